#include "net/sse.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "net/sse_testing.h"

namespace fathom {
namespace {

// "event|data|id" of each event, fed in pieces of `piece` bytes.
std::vector<std::string> Parse(std::string_view text, size_t piece) {
  SseParser parser;
  std::vector<std::string> events;
  for (size_t at = 0; at < text.size(); at += piece) {
    EXPECT_TRUE(parser
                    .Feed(text.substr(at, piece),
                          [&](const SseMessage& message) {
                            events.push_back(message.event + "|" + message.data + "|" + message.id);
                          })
                    .ok());
  }
  return events;
}

TEST(Sse, EventsAndCommentsAreWrittenAsTheStandardHasThem) {
  EXPECT_EQ(SseEvent("{\"a\":1}"), "data: {\"a\":1}\n\n");
  EXPECT_EQ(SseEvent(""), "data: \n\n");
  EXPECT_EQ(SseEvent("one\ntwo\r\nthree\rfour\n"),
            "data: one\ndata: two\ndata: three\ndata: four\ndata: \n\n");
}

TEST(SseParser, CutsStreamsIntoEventsHoweverTheyArrive) {
  struct Row {
    std::string_view text;
    std::vector<std::string> events;
  };
  const std::vector<Row> rows = {
      {"data: a\n\ndata: b\n\n", {"|a|", "|b|"}},
      {"data: a\r\n\r\ndata: b\r\n\r\n", {"|a|", "|b|"}},
      {"data: a\r\rdata: b\r\r", {"|a|", "|b|"}},
      {"data: a\r\n\ndata: b\n\r\n", {"|a|", "|b|"}},  // line ends of several kinds
      {"data:a\n\n", {"|a|"}},
      {"data:  a\n\n", {"| a|"}},  // one space is taken off
      {"data: one\ndata: two\n\n", {"|one\ntwo|"}},
      {"data\ndata\n\n", {"|\n|"}},  // the standard's own example
      {"data:\n\n", {"||"}},
      {": comment\n\ndata: a\n\n", {"|a|"}},
      {"event: ping\n\ndata: a\n\n", {"|a|"}},  // no data, no event; its name is forgotten
      {"event: error\nid: 7\ndata: a\n\ndata: b\n\n", {"error|a|7", "|b|"}},
      {"retry: 10\nunknown: x\ndata: a\n\n", {"|a|"}},
      {"\n\n\ndata: a\n\n", {"|a|"}},
      {"\xEF\xBB\xBF"
       "data: a\n\n",
       {"|a|"}},
      {"data: \xEF\xBB\xBF"
       "a\n\n",
       {"|\xEF\xBB\xBF"
        "a|"}},
      {"data: a\n\ndata: cut off", {"|a|"}},
      {"data: a\n\ndata: cut off\n", {"|a|"}},
      {"", {}},
  };
  for (const Row& row : rows) {
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{5}, size_t{1000}}) {
      EXPECT_EQ(Parse(row.text, piece), row.events) << row.text << " in pieces of " << piece;
    }
  }
}

TEST(SseParser, RefusesAnEventWithoutEnd) {
  SseParser parser(8);
  const auto ignore = [](const SseMessage&) {};
  EXPECT_TRUE(parser.Feed("data: a\n", ignore).ok());
  const Status status = parser.Feed("data: bcd", ignore);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().ToString(),
            "error: an event of the stream is larger than 8 bytes\n"
            "  fix: check that the server sends server-sent events\n");
}

}  // namespace
}  // namespace fathom
