#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/input_text.h"
#include "api/score_line.h"
#include "base/check.h"
#include "base/json.h"

// What the header promises of a line that was accepted: its name can be a file's name, its ids are
// in the vocabulary, its messages have roles. All else is an error with its place.

namespace fathom {
namespace {

constexpr int64_t kVocab = 1000;

void CheckInput(const std::vector<int32_t>& ids) {
  for (const int32_t id : ids) FATHOM_CHECK(id >= 0 && id < kVocab);
}
void CheckInput(const std::string& /*text*/) {}
void CheckInput(const Conversation& conversation) {
  FATHOM_CHECK(!conversation.messages.as_array().empty());
  for (const Json& message : conversation.messages.as_array()) {
    FATHOM_CHECK(message.Find("role")->is_string());
  }
}

void Check(std::string_view text) {
  const auto line = ParseScoreLine(text, "f: line 1", kVocab);
  if (!line.ok()) {
    FATHOM_CHECK(!line.error().what.empty() && line.error().where.starts_with("f: line 1"));
    return;
  }
  FATHOM_CHECK(!line->id.empty() && line->id.size() <= 200 && line->id != "." && line->id != "..");
  FATHOM_CHECK(line->id.find_first_of("/\\ \n") == std::string::npos);
  std::visit([](const auto& input) { CheckInput(input); }, line->input);
}

}  // namespace
}  // namespace fathom

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fathom::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
