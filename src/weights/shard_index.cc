#include "weights/shard_index.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

bool IsPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

Result<ShardIndex> ParseShardIndex(const Json& json, std::string_view source) {
  FATHOM_TRY(const JsonReader map,
             JsonReader(json, JsonSource::Fetched(source)).Object("weight_map"));
  const Json::Object& members = map.value().as_object();
  if (members.empty()) return map.Mismatch("", "the shard of each tensor");
  std::set<std::string> names;
  for (const auto& [tensor, shard] : members) {
    if (!shard.is_string() || !IsPlainName(shard.as_string())) {
      return map.Mismatch(tensor, "the name of a file in this folder");
    }
    names.insert(shard.as_string());
  }
  ShardIndex index;
  index.shards.assign(names.begin(), names.end());
  for (const auto& [tensor, shard] : members) {
    const auto at = std::lower_bound(index.shards.begin(), index.shards.end(), shard.as_string());
    index.shard_of.emplace(tensor, static_cast<int>(at - index.shards.begin()));
  }
  return index;
}

}  // namespace fathom
