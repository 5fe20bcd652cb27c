#include "base/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {
namespace {

TEST(Closest, FindsWhatWasProbablyMeant) {
  const std::vector<std::string_view> words = {"run",   "inspect",      "tokenize",
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

TEST(Closest, FindsThePathOfASlip) {
  const std::vector<std::string_view> paths = {
      "/v1/chat/completions", "/chat/completions", "/v1/models", "/models", "/health", "/ping"};
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"/v1/chat/completion", "/v1/chat/completions"},
      {"/v1/chat/completions/", "/v1/chat/completions"},
      {"/v1/v1/chat/completions", "/v1/chat/completions"},
      {"/V1/models", "/v1/models"},
      {"/v1/chat", "/v1/chat/completions"},
      {"/healthz", "/health"},
      {"/v1/embeddings", ""},
      {"/", ""},
      {"/v1/models" + std::string(191, '/'), ""},
  };
  for (const auto& [given, expected] : rows) EXPECT_EQ(Closest(given, paths), expected) << given;
}

}  // namespace
}  // namespace fathom
