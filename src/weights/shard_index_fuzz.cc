#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "weights/shard_index.h"

// Checks what weights/shard_index.h promises: every tensor has a shard, and no shard leads out of
// its folder.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto json =
      fathom::ParseJson(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!json.ok()) return 0;
  const auto index = fathom::ParseShardIndex(*json, "fuzz");
  if (!index.ok()) return 0;
  FATHOM_CHECK(!index->shards.empty());
  for (const auto& shard : index->shards) {
    FATHOM_CHECK(!shard.empty() && shard != ".." && shard.find('/') == shard.npos);
  }
  for (const auto& [tensor, shard] : index->shard_of) {
    FATHOM_CHECK(shard >= 0 && static_cast<size_t>(shard) < index->shards.size());
  }
  return 0;
}
