#include "api/reasoning_splitter.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace fathom {
namespace {

struct Case {
  const char* name;
  ReasoningMode mode;
  std::string reply;
  std::string reasoning;
  std::string text;
};

constexpr ReasoningMode kOff = ReasoningMode::kOff;
constexpr ReasoningMode kTagged = ReasoningMode::kTagged;
constexpr ReasoningMode kOpened = ReasoningMode::kOpened;

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"no tags", kTagged, "Hello.", "", "Hello."},
      {"both tags", kTagged, "<think>a</think>b", "a", "b"},
      {"whitespace beside the tags", kTagged, "<think>\na b\n</think>\n\nc\n", "a b", "c\n"},
      {"whitespace before the opening tag", kTagged, "\n <think>a</think>b", "a", "b"},
      {"whitespace inside stays", kTagged, "<think>a\n\nb</think>c\n\nd", "a\n\nb", "c\n\nd"},
      {"empty reasoning", kTagged, "<think>\n\n</think>\n\nb", "", "b"},
      {"nothing at all inside", kTagged, "<think></think>b", "", "b"},
      {"never closed", kTagged, "<think>a b", "a b", ""},
      {"never closed, ends in whitespace", kTagged, "<think>a \n", "a \n", ""},
      {"cut inside the closing tag", kTagged, "<think>a</thi", "a</thi", ""},
      {"cut inside the opening tag", kTagged, "<thi", "", "<thi"},
      {"only whitespace", kTagged, " \n", "", " \n"},
      {"leading whitespace of an answer stays", kTagged, "  b", "", "  b"},
      {"opening tag too late", kTagged, "a<think>b</think>c", "", "a<think>b</think>c"},
      {"closing tag without an opening one", kTagged, "a</think>b", "", "a</think>b"},
      {"a second pair is text", kTagged, "<think>a</think>b<think>c</think>", "a",
       "b<think>c</think>"},
      {"an opening tag inside reasoning is reasoning", kTagged, "<think>a<think>b</think>c",
       "a<think>b", "c"},
      {"almost a closing tag", kTagged, "<think>a</thinx></think>b", "a</thinx>", "b"},
      {"closing tag begun twice", kTagged, "<think>a</th</think>b", "a</th", "b"},
      {"almost an opening tag", kTagged, "<thinking>a", "", "<thinking>a"},
      {"the prompt opened it", kOpened, "a</think>b", "a", "b"},
      {"the prompt opened it, with newlines", kOpened, "\na\n</think>\n\nb", "a", "b"},
      {"the prompt opened it, closed at once", kOpened, "</think>b", "", "b"},
      {"the prompt opened it, never closed", kOpened, "a", "a", ""},
      {"off", kOff, "<think>\na</think>b", "", "<think>\na</think>b"},
      {"characters of several bytes", kTagged, "<think>想 </think> 答", "想", "答"},
      {"empty reply", kTagged, "", "", ""},
  };
  return cases;
}

ReplyDelta Feed(const Case& row, size_t piece) {
  ReasoningSplitter splitter(row.mode);
  ReplyDelta all;
  const auto add = [&all](const ReplyDelta& delta) {
    all.reasoning += delta.reasoning;
    all.text += delta.text;
  };
  for (size_t at = 0; at < row.reply.size(); at += piece) {
    add(splitter.Push(row.reply.substr(at, piece)));
  }
  add(splitter.Finish());
  return all;
}

TEST(ReasoningSplitter, SplitsTheSameHoweverTheReplyIsCut) {
  for (const Case& row : Cases()) {
    for (size_t piece = 1; piece <= row.reply.size() + 1; ++piece) {
      const ReplyDelta all = Feed(row, piece);
      EXPECT_EQ(all.reasoning, row.reasoning) << row.name << ", pieces of " << piece;
      EXPECT_EQ(all.text, row.text) << row.name << ", pieces of " << piece;
    }
  }
}

TEST(ReasoningSplitter, HoldsBackOnlyWhitespaceAndBeginningsOfTheClosingTag) {
  ReasoningSplitter splitter(ReasoningMode::kOpened);
  EXPECT_EQ(splitter.Push("one").reasoning, "one");
  EXPECT_EQ(splitter.Push(" two \n").reasoning, " two");
  EXPECT_EQ(splitter.Push("<").reasoning, "");
  EXPECT_EQ(splitter.Push("b").reasoning, " \n<b");
  EXPECT_TRUE(splitter.inside());
  EXPECT_EQ(splitter.Push("</think>").reasoning, "");
  EXPECT_FALSE(splitter.inside());
  EXPECT_EQ(splitter.Push(" x").text, "x");
}

TEST(ReasoningModeAfter, ThePromptMayOpenTheReasoning) {
  EXPECT_EQ(ReasoningModeAfter("<bot><think>\n"), ReasoningMode::kOpened);
  EXPECT_EQ(ReasoningModeAfter("<bot><think>"), ReasoningMode::kOpened);
  EXPECT_EQ(ReasoningModeAfter("<bot><think>a"), ReasoningMode::kTagged);
  EXPECT_EQ(ReasoningModeAfter("<bot></think>"), ReasoningMode::kTagged);
  EXPECT_EQ(ReasoningModeAfter(""), ReasoningMode::kTagged);
}

}  // namespace
}  // namespace fathom
