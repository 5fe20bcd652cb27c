#include "server/api_keys.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "io/memory_file_system_testing.h"

namespace fathom {
namespace {

TEST(ApiKeys, AreReadFromFlagsFileAndEnvironment) {
  MemoryFileSystem files;
  files.Put("keys.txt", "# for the team\nsk-file-1\n\n  sk-file-2  \r\n");
  const ApiKeys keys =
      ApiKeys::Load({"sk-flag"}, "keys.txt", files, {"VLLM_API_KEY", "sk-env-1, sk-env-2"}).value();
  EXPECT_EQ(keys.size(), 5U);
  EXPECT_EQ(keys.Describe(), "one of 5 keys: 1 of --api-key, 2 of keys.txt, 2 of VLLM_API_KEY");
  EXPECT_EQ(keys.Find("Bearer sk-flag"), 0U);
  EXPECT_EQ(keys.Find("Bearer sk-file-1"), 1U);
  EXPECT_EQ(keys.Find("bearer  sk-file-2 "), 2U);
  EXPECT_EQ(keys.Find("BEARER sk-env-1"), 3U);
  EXPECT_EQ(keys.Find("Bearer sk-env-2"), 4U);
}

// A pipe, as --api-key-file <(pass show fathom) names one: it has no size and is read once.
class PipeFileSystem : public MemoryFileSystem {
 public:
  Result<std::unique_ptr<ReadableFile>> Open(const std::string& path) override {
    return BadInput("is no regular file", path, "name a file");
  }
  Result<std::string> ReadStream(const std::string& /*path*/, int64_t /*limit*/) override {
    return std::string("sk-1\nsk-2\n");
  }
};

TEST(ApiKeys, MayComeThroughAPipe) {
  PipeFileSystem files;
  const auto keys = ApiKeys::Load({}, "/dev/fd/63", files, {});
  ASSERT_TRUE(keys.ok()) << keys.error().ToString();
  EXPECT_EQ(keys->Find("Bearer sk-2"), 1U);
}

TEST(ApiKeys, OneAloneIsSaidSo) {
  MemoryFileSystem files;
  EXPECT_EQ(ApiKeys::Load({"sk-1"}, "", files, {})->Describe(), "a key: 1 of --api-key");
}

TEST(ApiKeys, OnlyAWholeKeyOpens) {
  MemoryFileSystem files;
  const ApiKeys keys = ApiKeys::Load({"sk-abc"}, "", files, {}).value();
  for (const std::string_view given :
       {"", "Bearer", "Bearer ", "Bearer sk-ab", "Bearer sk-abcd", "Bearer sk-abcsk-abc",
        "Bearer Sk-abc", "Basic sk-abc", "sk-abc"}) {
    EXPECT_EQ(keys.Find(given), std::nullopt) << given;
  }
}

TEST(ApiKeys, WithoutAnyNoneIsRequired) {
  MemoryFileSystem files;
  EXPECT_FALSE(ApiKeys::Load({}, "", files, {})->required());
}

TEST(ApiKeys, WhatNoHeaderCanCarryIsRefusedWithoutShowingIt) {
  MemoryFileSystem files;
  files.Put("empty.txt", "\n# nothing\n");
  files.Put("space.txt", "good\nsk secret\n");
  struct Row {
    std::vector<std::string> flags;
    std::string file;
    const char* environment;
    std::string text;
  };
  const Row rows[] = {
      {{""},
       "",
       nullptr,
       "error: a key is empty\n  where: --api-key\n"
       "  fix: give a key, or leave it out\n"},
      {{},
       "empty.txt",
       nullptr,
       "error: the file holds no key\n  where: --api-key-file: empty.txt\n"
       "  fix: write one key a line\n"},
      {{},
       "space.txt",
       nullptr,
       "error: character 3 of a key is not a visible ASCII character, so no header can carry it\n"
       "  where: space.txt: line 2\n  fix: take letters, digits and punctuation\n"},
      {{},
       "",
       "a,,b",
       "error: a key is empty\n  where: the environment's FATHOM_API_KEY\n"
       "  fix: give a key, or leave it out\n"},
      {{},
       "",
       "",
       "error: a key is empty\n  where: the environment's FATHOM_API_KEY\n"
       "  fix: give a key, or leave it out\n"},
  };
  for (const Row& row : rows) {
    const Result<ApiKeys> keys =
        ApiKeys::Load(row.flags, row.file, files, {"FATHOM_API_KEY", row.environment});
    ASSERT_FALSE(keys.ok()) << row.text;
    EXPECT_EQ(keys.error().ToString(), row.text);
  }
}

}  // namespace
}  // namespace fathom
