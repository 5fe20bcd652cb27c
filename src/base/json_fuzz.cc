#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/result.h"

namespace {

size_t ValuesIn(const fathom::Json& json) {
  size_t count = 1;
  if (json.is_array()) {
    for (const fathom::Json& item : json.as_array()) count += ValuesIn(item);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.as_object()) count += ValuesIn(value);
  }
  return count;
}

}  // namespace

// Checks what base/json.h promises: text that is read can be written, and reads back the same; so
// many values are read and no more; errors are short.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = fathom::ParseJson(text, "fuzz");
  if (!json.ok()) {
    const fathom::Error& error = json.error();
    FATHOM_CHECK(!error.what.empty() && error.where.starts_with("fuzz"));
    FATHOM_CHECK(!error.unquoted.empty() && error.what.size() < 500);
    return 0;
  }
  const size_t values = ValuesIn(*json);
  FATHOM_CHECK(fathom::ParseJson(text, "fuzz", values).ok());
  FATHOM_CHECK(!fathom::ParseJson(text, "fuzz", values - 1).ok());
  for (const int indent : {-1, 2}) {
    for (const bool ascii : {false, true}) {
      const auto again = fathom::ParseJson(json->Dump(indent, ascii), "again");
      FATHOM_CHECK(again.ok() && *again == *json);
    }
  }
  return 0;
}
