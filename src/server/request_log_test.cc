#include "server/request_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <string>
#include <string_view>

namespace fathom {
namespace {

TEST(FormatUtc, IsRfc3339) {
  EXPECT_EQ(FormatUtc(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatUtc(951827696789), "2000-02-29T12:34:56.789Z");
}

TEST(ServerLog, WritesOneObjectALine) {
  std::string text;
  ServerLog log([&text](std::string_view line) { text += line; }, [] { return int64_t{1500}; });
  log.Info("request", {{"id", "a\nb"}, {"tokens", 3}});
  log.Flush();
  EXPECT_EQ(text,
            "{\"time\":\"1970-01-01T00:00:01.500Z\",\"level\":\"info\",\"event\":\"request\","
            "\"id\":\"a\\nb\",\"tokens\":3}\n");
}

TEST(ServerLog, NamesAnUnknownFieldOnce) {
  int lines = 0;
  ServerLog log([&lines](std::string_view) { ++lines; }, [] { return int64_t{0}; });
  log.UnknownFields({"a", "b"});
  log.UnknownFields({"b", "c"});
  log.Flush();
  EXPECT_EQ(lines, 3);
}

TEST(ServerLog, SaysOnceThatPrioritiesAreIgnored) {
  std::string text;
  ServerLog log([&text](std::string_view line) { text += line; }, [] { return int64_t{0}; });
  log.IgnoredPriority();
  log.IgnoredPriority();
  log.Flush();
  EXPECT_EQ(text,
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"warning\",\"event\":"
            "\"priority_ignored\",\"message\":\"requests have `priority`; it is heeded with "
            "--allow-priority only\"}\n");
}

// A reader that hangs holds up nobody who writes: 100,000 lines do not fit, and the log says so
// when it is read again.
TEST(ServerLog, AReaderThatHangsHoldsUpNobody) {
  std::promise<void> read_on;
  const std::shared_future<void> reads = read_on.get_future().share();
  std::string text;
  ServerLog log(
      [&](std::string_view line) {
        reads.wait();
        text += line;
      },
      [] { return int64_t{0}; });
  for (int i = 0; i < 100'000; ++i) log.Info("request");
  read_on.set_value();
  log.Flush();
  EXPECT_NE(text.find("\"event\":\"log_lines_lost\",\"lines\":"), std::string::npos);
}

}  // namespace
}  // namespace fathom
