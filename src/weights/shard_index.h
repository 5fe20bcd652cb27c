#ifndef FATHOM_WEIGHTS_SHARD_INDEX_H_
#define FATHOM_WEIGHTS_SHARD_INDEX_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// The names that a model's weights have in its folder: an index of shards, or one file.
inline constexpr const char* kShardIndexName = "model.safetensors.index.json";
inline constexpr const char* kSingleShardName = "model.safetensors";

// model.safetensors.index.json: which shard holds which tensor.
struct ShardIndex {
  std::vector<std::string> shards;                   // names inside the folder, sorted, each once
  std::map<std::string, int, std::less<>> shard_of;  // tensor -> index into shards
};

// Reads the index. Its metadata (total_size) is not used: writers disagree about what it counts.
// Errors (kBadInput): no weight_map, no tensors, a shard that is not a plain file name (an index
// must not lead out of its folder).
Result<ShardIndex> ParseShardIndex(const Json& json, std::string_view source);

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_SHARD_INDEX_H_
