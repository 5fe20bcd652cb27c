#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/result.h"

// Any bytes give a document or an error with its source; a document survives being written and
// read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const fathom::Result<fathom::Json> parsed = fathom::ParseJson(text, "fuzz.json");
  if (!parsed.ok()) {
    FATHOM_CHECK(!parsed.error().what.empty());
    FATHOM_CHECK(parsed.error().where == "fuzz.json");
    FATHOM_CHECK(parsed.error().kind == fathom::ErrorKind::kBadInput);
    return 0;
  }
  const fathom::Result<fathom::Json> again = fathom::ParseJson(parsed->Dump(), "dump");
  FATHOM_CHECK(again.ok());
  FATHOM_CHECK(*again == *parsed);
  return 0;
}
