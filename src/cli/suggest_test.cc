#include "cli/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fathom {
namespace {

TEST(Closest, FindsWhatWasProbablyMeant) {
  const std::vector<std::string> words = {"run",   "inspect",      "tokenize",
                                          "score", "--max-tokens", "--max-model-len"};
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"rum", "run"},
      {"rnu", "run"},
      {"ru", "run"},
      {"inspct", "inspect"},
      {"tokenise", "tokenize"},
      {"tok", "tokenize"},
      {"scoer", "score"},
      {"--max-token", "--max-tokens"},
      {"--max_tokens", "--max-tokens"},
      {"--maxtokens", "--max-tokens"},
      {"serve", ""},
      {"xyz", ""},
      {"", ""},
  };
  for (const auto& [given, expected] : rows) EXPECT_EQ(Closest(given, words), expected) << given;
}

}  // namespace
}  // namespace fathom
