#include "spec/token_ids.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {

Result<std::vector<int64_t>> ParseTokenIds(const JsonReader& json, std::string_view key,
                                           int64_t vocab) {
  if (!json.Has(key)) return std::vector<int64_t>();
  const Json* value = json.value().Find(key);
  if (!value->is_array()) {
    FATHOM_TRY(const int64_t id, json.Int(key, 0, vocab - 1));
    return std::vector<int64_t>{id};
  }
  FATHOM_TRY(const JsonReader list, json.ArrayAt(key));
  std::vector<int64_t> ids;
  for (size_t i = 0; i < value->as_array().size(); ++i) {
    const Json& item = value->as_array()[i];
    if (!item.fits_int() || item.as_int() < 0 || item.as_int() >= vocab) {
      return list.At(i).Mismatch("", Format("an integer from 0 to {}", vocab - 1));
    }
    ids.push_back(item.as_int());
  }
  return ids;
}

}  // namespace fathom
