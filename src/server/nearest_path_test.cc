#include "server/nearest_path.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace fathom {
namespace {

TEST(NearestPath, IsWhatASlipWasMeantToBe) {
  const std::vector<std::string_view> paths = {"/v1/chat/completions", "/chat/completions",
                                               "/v1/models", "/models", "/health"};
  struct Row {
    std::string path;
    std::string_view nearest;
  };
  const Row rows[] = {
      {"/v1/chat/completion", "/v1/chat/completions"},
      {"/v1/chat/completions/", "/v1/chat/completions"},
      {"/v1/v1/chat/completions", "/v1/chat/completions"},
      {"/V1/models", "/v1/models"},
      {"/v2/models", "/v1/models"},
      {"/model", "/models"},
      {"/healthz", "/health"},  // one character
      {"/heal", "/health"},     // two of seven
      {"/hea", ""},             // three of seven
      {"/v1/embeddings", ""},
      {"", ""},
      {"/v1/models" + std::string(191, '/'), ""},
  };
  for (const Row& row : rows) EXPECT_EQ(NearestPath(row.path, paths), row.nearest) << row.path;
}

}  // namespace
}  // namespace fathom
