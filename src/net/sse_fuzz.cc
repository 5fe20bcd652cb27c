#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "net/sse.h"
#include "net/sse_testing.h"

namespace {

using Messages = std::vector<fathom::SseMessage>;

Messages Parse(std::string_view first, std::string_view second) {
  Messages messages;
  fathom::SseParser parser;
  const auto keep = [&](const fathom::SseMessage& message) { messages.push_back(message); };
  FATHOM_CHECK(parser.Feed(first, keep).ok() && parser.Feed(second, keep).ok());
  return messages;
}

}  // namespace

// Checks what net/sse.h promises: the first byte says where the others are cut in two, which makes
// no difference; and the data of an event can be written and reads back the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t cut = text.size() * data[0] / 255;
  const Messages whole = Parse(text, "");
  const Messages parts = Parse(text.substr(0, cut), text.substr(cut));
  FATHOM_CHECK(whole.size() == parts.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    FATHOM_CHECK(whole[i].data == parts[i].data && whole[i].event == parts[i].event &&
                 whole[i].id == parts[i].id);
    const Messages again = Parse(fathom::SseEvent(whole[i].data), "");
    FATHOM_CHECK(again.size() == 1 && again[0].data == whole[i].data);
  }
  return 0;
}
