#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/memory_file_system_testing.h"

namespace fathom {
namespace {

TEST(MemoryFiles, BehaveAsADisk) {
  MemoryFileSystem files;
  ASSERT_TRUE(files.MakeDirectory("/d").ok());
  auto file = files.Create("/d/a");
  ASSERT_TRUE((*file)->Append(std::string_view("text")).ok());
  EXPECT_FALSE(files.Exists("/d/a"));
  EXPECT_TRUE(files.Exists("/d/a.fathom-partial"));
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_EQ(*files.ReadText("/d/a"), "text");
  EXPECT_EQ((*files.Map("/d/a"))->bytes().size(), 4U);
  EXPECT_EQ(*files.List("/d"), std::vector<std::string>{"a"});
  EXPECT_TRUE(files.IsDirectory("/d"));
  EXPECT_FALSE(files.IsDirectory("/d/a"));
  EXPECT_FALSE(files.Open("/d/b").ok());
}

TEST(MemoryFiles, FailAsTheyAreTold) {
  MemoryFileSystem files;
  files.Put("/a", "0123456789");
  std::array<std::byte, 4> out{};
  files.FailReadsAt("/a", 5);
  EXPECT_TRUE((*files.Open("/a"))->ReadAt(6, out).ok());
  EXPECT_FALSE((*files.Open("/a"))->ReadAt(2, out).ok());
  files.Put("/b", "0123456789");
  files.CutWhileReading("/b", 8);
  EXPECT_EQ((*files.Open("/b"))->size(), 10);
  EXPECT_FALSE((*files.Open("/b"))->ReadAt(6, out).ok());
  files.FailCreate("/c");
  EXPECT_FALSE(files.Create("/c").ok());
  files.SetFreeSpace(3);
  auto file = files.Create("/d");
  EXPECT_TRUE((*file)->Append(std::string_view("12")).ok());
  EXPECT_EQ((*file)->Append(std::string_view("34")).error().kind, ErrorKind::kDoesNotFit);
}

}  // namespace
}  // namespace fathom
