#include "api/stop_matcher.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fathom {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> stops;
  std::string text;
  std::string out;
  bool stopped;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"no stop strings", {}, "abc", "abc", false},
      {"not met", {"x"}, "abc", "abc", false},
      {"at the end", {"c"}, "abc", "ab", true},
      {"at the start", {"a"}, "abc", "", true},
      {"text after it is dropped", {"b"}, "abcbd", "a", true},
      {"a beginning that never completes comes out at the end", {"cd"}, "abc", "abc", false},
      {"a beginning that goes on otherwise", {"abd"}, "abcabc", "abcabc", false},
      {"a beginning inside a beginning", {"aab"}, "aaab", "a", true},
      {"repeated beginning", {"abab"}, "ababab", "", true},
      {"self-overlap", {"aba"}, "abcaba", "abc", true},
      {"the one completed first counts, though it began later",
       {"abcd", "bc"},
       "xabcd",
       "xa",
       true},
      {"of those completed together the longest", {"c", "abc"}, "xabcy", "x", true},
      {"a stop string inside the beginning of another", {"abcde", "c"}, "abcde", "ab", true},
      {"newlines", {"\n\n"}, "one\ntwo\n\nthree", "one\ntwo", true},
      {"characters of several bytes", {"。"}, "你好。再见", "你好", true},
      {"same first bytes, other character", {"é"}, "è", "è", false},
      {"the same twice", {"ab", "ab"}, "xab", "x", true},
  };
  return cases;
}

std::string Feed(const Case& row, size_t piece) {
  StopMatcher matcher(row.stops);
  std::string out;
  for (size_t at = 0; at < row.text.size(); at += piece) {
    out += matcher.Push(row.text.substr(at, piece));
  }
  out += matcher.Finish();
  EXPECT_EQ(matcher.stopped(), row.stopped) << row.name;
  return out;
}

TEST(StopMatcher, CutsBeforeTheFirstCompletedStopStringHoweverTheTextIsCut) {
  for (const Case& row : Cases()) {
    for (size_t piece = 1; piece <= row.text.size(); ++piece) {
      EXPECT_EQ(Feed(row, piece), row.out) << row.name << ", pieces of " << piece;
    }
  }
}

TEST(StopMatcher, HoldsBackOnlyWhatMayBecomeAStopString) {
  StopMatcher matcher({"</s>", "\n\nUser:"});
  EXPECT_EQ(matcher.Push("Hello"), "Hello");
  EXPECT_EQ(matcher.Push(" <"), " ");
  EXPECT_EQ(matcher.Push("b>"), "<b>");
  EXPECT_EQ(matcher.Push("\n\nUse"), "");
  EXPECT_EQ(matcher.Push("d\n"), "\n\nUsed");
  EXPECT_EQ(matcher.Finish(), "\n");
}

TEST(StopMatcher, MayKeepTheStopString) {
  for (size_t piece = 1; piece <= 9; ++piece) {
    StopMatcher matcher({"STOP", "OP"}, true);
    std::string out;
    const std::string text = "a STOP, b";
    for (size_t at = 0; at < text.size(); at += piece) out += matcher.Push(text.substr(at, piece));
    EXPECT_EQ(out + matcher.Finish(), "a STOP") << "pieces of " << piece;
    EXPECT_EQ(matcher.matched(), "STOP");
  }
}

TEST(StopMatcher, GivesNothingOnceStopped) {
  StopMatcher matcher({"b"});
  EXPECT_EQ(matcher.Push("abc"), "a");
  EXPECT_EQ(matcher.Push("def"), "");
  EXPECT_EQ(matcher.Finish(), "");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcherDeathTest, AnEmptyStopStringIsTheCallersBug) {
  EXPECT_DEATH(StopMatcher({"a", ""}), "empty");
}

TEST(StopMatcher, SaysWhichOneWasMet) {
  StopMatcher matcher({"c", "abc", "xyz"});
  matcher.Push("xa");
  EXPECT_EQ(matcher.matched(), std::nullopt);
  matcher.Push("b");
  matcher.Push("cxyz");
  EXPECT_EQ(matcher.matched(), "abc") << "the longest of those completed together";
  StopMatcher none({"q"});
  none.Push("abc");
  none.Finish();
  EXPECT_EQ(none.matched(), std::nullopt);
}

}  // namespace
}  // namespace fathom
