#include "api/text_stream.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/reasoning_splitter.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

// Ids of a reply: control tokens and pieces by name, everything else byte by byte.
std::vector<int32_t> Ids(const std::vector<std::string>& parts) {
  std::vector<int32_t> ids;
  for (const std::string& part : parts) {
    if (part == "<think>") {
      ids.push_back(kTinyThink);
    } else if (part == "</think>") {
      ids.push_back(kTinyThinkEnd);
    } else if (part == "<eos>") {
      ids.push_back(kTinyEos);
    } else {
      int32_t id = kTinyFirstPiece;
      bool found = false;
      for (const std::string& piece : TinyPieces()) {
        if (piece == part) ids.push_back(id), found = true;
        ++id;
      }
      if (found) continue;
      const std::vector<int32_t> bytes = TinyBytes(part);
      ids.insert(ids.end(), bytes.begin(), bytes.end());
    }
  }
  return ids;
}

struct Case {
  const char* name;
  ReasoningMode mode;
  std::vector<std::string> stop;
  std::vector<std::string> reply;
  std::string reasoning;
  std::string text;
  std::string raw;
  int64_t reasoning_tokens;
  bool stopped;
};

constexpr ReasoningMode kOff = ReasoningMode::kOff;
constexpr ReasoningMode kTagged = ReasoningMode::kTagged;
constexpr ReasoningMode kOpened = ReasoningMode::kOpened;

const std::vector<Case>& Cases() {  // NOLINT(readability-function-size): a table
  static const std::vector<Case> cases = {
      {"plain", kTagged, {}, {"hello", " world"}, "", "hello world", "hello world", 0, false},
      {"tags as tokens",
       kTagged,
       {},
       {"<think>", "\n", "hello", "</think>", "\n\n", "ok"},
       "hello",
       "ok",
       "<think>\nhello</think>\n\nok",
       2,
       false},
      {"the prompt opened it",
       kOpened,
       {},
       {"hello", "\n", "</think>", "\n\n", "ok"},
       "hello",
       "ok",
       "hello\n</think>\n\nok",
       2,
       false},
      {"never closed",
       kOpened,
       {},
       {"hello", " world"},
       "hello world",
       "",
       "hello world",
       2,
       false},
      {"tags across tokens",
       kTagged,
       {},
       {"<thi", "nk>", "a", "</th", "ink>\n\n", "b"},
       "a",
       "b",
       "<think>a</think>\n\nb",
       2,
       false},
      {"off: tags are text",
       kOff,
       {},
       {"<think>", "a", "</think>", "b"},
       "",
       "<think>a</think>b",
       "<think>a</think>b",
       0,
       false},
      {"special tokens are left out",
       kTagged,
       {},
       {"hello", "<eos>", " world"},
       "",
       "hello world",
       "hello world",
       0,
       false},
      {"a stop string in one token",
       kTagged,
       {"STOP"},
       {"hello", "STOP", " world"},
       "",
       "hello",
       "hello",
       0,
       true},
      {"a stop string across tokens",
       kTagged,
       {"STOP"},
       {"hello", " ST", "OP!", "x"},
       "",
       "hello ",
       "hello ",
       0,
       true},
      {"half a stop string at the end",
       kTagged,
       {"STOP"},
       {"hello", " ST"},
       "",
       "hello ST",
       "hello ST",
       0,
       false},
      {"a stop string inside the reasoning",
       kTagged,
       {"STOP"},
       {"<think>", "a", "STOP", "b"},
       "a",
       "",
       "<think>a",
       2,
       true},
      {"a stop string over the closing tag",
       kTagged,
       {"</think>\n\n"},
       {"<think>", "a", "</think>", "\n\n", "b"},
       "a",
       "",
       "<think>a",
       1,
       true},
      {"a stop string that begins in the reasoning is held back, its tokens still count",
       kOpened,
       {"abcd"},
       {"abc", "</think>", "x"},
       "abc",
       "x",
       "abc</think>x",
       3,
       false},
      {"a character across tokens",
       kTagged,
       {},
       {"\xe4\xbd", "\xa0\xe5", "\xa5\xbd"},
       "",
       "你好",
       "你好",
       0,
       false},
      {"half a character at the end",
       kTagged,
       {},
       {"a", "\xe4\xbd"},
       "",
       "a\uFFFD",
       "a\uFFFD",
       0,
       false},
      {"half a character before a tag",
       kOpened,
       {},
       {"\xe4\xbd", "</think>", "b"},
       "\uFFFD",
       "b",
       "\uFFFD</think>b",
       1,
       false},
      {"nothing", kTagged, {}, {}, "", "", "", 0, false},
  };
  return cases;
}

class TextStreamTest : public testing::TestWithParam<bool> {
 protected:
  Tokenizer tokenizer_ = Tokenizer::Parse(TinyTokenizerFiles(GetParam()), "").value();
};

INSTANTIATE_TEST_SUITE_P(TagsSpecialOrNot, TextStreamTest, testing::Bool());

TEST_P(TextStreamTest, TurnsIdsIntoReasoningAndText) {
  for (const Case& row : Cases()) {
    // Tags that are special tokens are only looked for where there is reasoning.
    if (row.mode == kOff && GetParam()) continue;
    TextStream stream(tokenizer_, {row.stop, true, row.mode});
    ReplyDelta all;
    const auto add = [&all](const ReplyDelta& delta) {
      all.reasoning += delta.reasoning;
      all.text += delta.text;
    };
    for (const int32_t id : Ids(row.reply)) add(stream.Push(id));
    add(stream.Finish());
    EXPECT_EQ(all.reasoning, row.reasoning) << row.name;
    EXPECT_EQ(all.text, row.text) << row.name;
    EXPECT_EQ(stream.raw_text(), row.raw) << row.name;
    EXPECT_EQ(stream.reasoning_tokens(), row.reasoning_tokens) << row.name;
    EXPECT_EQ(stream.stopped(), row.stopped) << row.name;
  }
}

TEST_P(TextStreamTest, NeverGivesPartOfACharacter) {
  TextStream stream(tokenizer_, {{"好"}, true, kTagged});
  EXPECT_EQ(stream.Push(Ids({"\xe4\xbd"})[0]).text, "");
  EXPECT_EQ(stream.Push(Ids({"\xa0\xe5"})[0]).text, "你");
  EXPECT_EQ(stream.Push(TinyByte('\xa5')).text, "");
  EXPECT_EQ(stream.Push(TinyByte('\xbe')).text, "\xe5\xa5\xbe");
}

struct OptionsCase {
  const char* name;
  TextStreamOptions options;
  std::vector<std::string> reply;
  std::string reasoning;
  std::string text;
};

TEST_P(TextStreamTest, KeepsStopStringsAndTagsWhereItIsTold) {
  TextStreamOptions inline_opened;
  inline_opened.reasoning = kOpened;
  inline_opened.inline_reasoning = true;
  TextStreamOptions inline_tagged = inline_opened;
  inline_tagged.reasoning = kTagged;
  TextStreamOptions include_stop;
  include_stop.stop = {"STOP"};
  include_stop.include_stop = true;
  TextStreamOptions min_tokens;
  min_tokens.stop = {"STOP"};
  min_tokens.min_tokens = 2;
  const std::vector<std::string> reply = {"hello", "</think>", "\n\n", "ok"};
  const std::vector<OptionsCase> rows = {
      {"inline, the prompt opened it", inline_opened, reply, "", "<think>\nhello</think>\n\nok"},
      {"inline, no text", inline_opened, {}, "", "<think>\n"},
      {"inline, the reply opens it",
       inline_tagged,
       {"<think>", "a", "</think>", "b"},
       "",
       "<think>a</think>b"},
      {"inline, no reasoning", inline_tagged, {"hello"}, "", "hello"},
      {"the stop string stays", include_stop, {"a", " ST", "OP!", "x"}, "", "a STOP"},
      {"it stays in the reasoning", include_stop, {"<think>", "a", "STOP", "x"}, "aSTOP", ""},
      {"a stop string too early", min_tokens, {"STOP", "a", "STOP", "b"}, "", "STOPa"},
      {"a stop string half too early", min_tokens, {"a", " ST", "OP!", "STOP"}, "", "a STOP!"},
  };
  for (const OptionsCase& row : rows) {
    TextStream stream(tokenizer_, row.options);
    ReplyDelta all;
    for (const int32_t id : Ids(row.reply)) {
      const ReplyDelta delta = stream.Push(id);
      all.reasoning += delta.reasoning;
      all.text += delta.text;
    }
    const ReplyDelta rest = stream.Finish();
    EXPECT_EQ(all.reasoning + rest.reasoning, row.reasoning) << row.name;
    EXPECT_EQ(all.text + rest.text, row.text) << row.name;
  }
}

TEST_P(TextStreamTest, CountsTheReasoningThatStaysInTheText) {
  TextStreamOptions options;
  options.inline_reasoning = true;
  TextStream stream(tokenizer_, options);
  for (const int32_t id : Ids({"<think>", "a", "hello", "</think>", "b"})) stream.Push(id);
  EXPECT_EQ(stream.reasoning_tokens(), 2);
  EXPECT_EQ(stream.raw_text(), "<think>ahello</think>b");
}

// A stream may be handed on: its stages keep their own state.
TEST_P(TextStreamTest, GoesOnAfterAMove) {
  TextStream stream(tokenizer_, {{"STOP"}, true, kOpened});
  EXPECT_EQ(stream.Push(Ids({"hello"})[0]).reasoning, "hello");
  EXPECT_EQ(stream.Push(Ids({" ST"})[0]).reasoning, "");
  TextStream moved = std::move(stream);
  EXPECT_EQ(moved.Push(Ids({"OP!"})[0]).reasoning, "");
  EXPECT_EQ(moved.matched_stop(), "STOP");
  EXPECT_TRUE(moved.inside_reasoning());
}

}  // namespace
}  // namespace fathom
