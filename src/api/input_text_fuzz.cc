#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/input_text.h"
#include "base/check.h"
#include "base/json.h"

// What the header promises of what was accepted, and that everything else is an error with words.

namespace fathom {
namespace {

void Check(std::string_view text) {
  if (const auto ids = ParseIds("--ids", text); ids.ok()) {
    FATHOM_CHECK(!ids->empty());
    for (const int32_t id : *ids) FATHOM_CHECK(id >= 0);
  } else {
    FATHOM_CHECK(!ids.error().what.empty());
  }
  if (const auto bias = ParseLogitBias("--logit-bias", text); bias.ok()) {
    FATHOM_CHECK(bias->first >= 0 && std::isfinite(bias->second));
  }
  const auto json = ParseJson(text, "f");
  if (!json.ok()) return;
  if (const auto chat = ParseConversation(JsonReader(*json, "f")); chat.ok()) {
    FATHOM_CHECK(!chat->messages.as_array().empty());
    for (const Json& message : chat->messages.as_array()) {
      FATHOM_CHECK(message.Find("role")->is_string());
    }
    FATHOM_CHECK(chat->tools.is_null() || chat->tools.is_array());
  }
}

}  // namespace
}  // namespace fathom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fathom::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
