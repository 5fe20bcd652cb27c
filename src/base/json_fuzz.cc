#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"

// Checks what base/json.h promises: text that is read can be written, and reads back the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = fathom::ParseJson(text, "fuzz");
  if (!json.ok()) {
    FATHOM_CHECK(!json.error().what.empty() && json.error().where == "fuzz");
    return 0;
  }
  for (const int indent : {-1, 2}) {
    for (const bool ascii : {false, true}) {
      const auto again = fathom::ParseJson(json->Dump(indent, ascii), "again");
      FATHOM_CHECK(again.ok() && *again == *json);
    }
  }
  return 0;
}
