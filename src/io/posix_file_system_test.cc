#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "io/temp_folder_testing.h"

namespace fathom {
namespace {

class PosixFiles : public testing::Test {
 protected:
  void Write(const std::string& name, std::string_view text) {
    auto file = files->Create(folder / name);
    ASSERT_TRUE(file.ok()) << file.error().ToString();
    ASSERT_TRUE((*file)->Append(text).ok());
    ASSERT_TRUE((*file)->Commit().ok());
  }
  std::vector<std::string> Names() { return *files->List(folder.path()); }

  TempFolder folder;
  std::unique_ptr<FileSystem> files = MakePosixFileSystem();
};

std::string ErrorOf(const auto& result) {
  return result.ok() ? "no error" : result.error().ToString();
}

TEST_F(PosixFiles, WhatIsWrittenIsRead) {
  Write("a", "hello");
  const auto file = files->Open(folder / "a");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->size(), 5);
  EXPECT_EQ((*file)->path(), folder / "a");
  std::string part(3, '\0');
  ASSERT_TRUE((*file)->ReadAt(1, std::as_writable_bytes(std::span(part))).ok());
  EXPECT_EQ(part, "ell");
  EXPECT_EQ(*files->ReadText(folder / "a"), "hello");
  (*file)->Forget(0, 5);
}

TEST_F(PosixFiles, MapShowsTheWholeFile) {
  Write("a", "hello");
  Write("empty", "");
  const auto bytes = (*files->Map(folder / "a"))->bytes();
  EXPECT_EQ(bytes.size(), 5U);
  const auto kept = files->Map(folder / "a");
  EXPECT_EQ((*kept)->bytes()[4], std::byte{'o'});
  EXPECT_TRUE((*files->Map(folder / "empty"))->bytes().empty());
}

TEST_F(PosixFiles, AnOutputAppearsWithItsCommit) {
  Write("a", "old");
  {
    auto file = files->Create(folder / "a");
    ASSERT_TRUE((*file)->Append(std::string_view("new")).ok());
    EXPECT_EQ(Names(), (std::vector<std::string>{"a", "a.fathom-partial"}));
    EXPECT_EQ(*files->ReadText(folder / "a"), "old");
    ASSERT_TRUE((*file)->Commit().ok());
  }
  EXPECT_EQ(Names(), std::vector<std::string>{"a"});
  EXPECT_EQ(*files->ReadText(folder / "a"), "new");
}

TEST_F(PosixFiles, AnOutputThatAKilledRunLeftBehindIsReplaced) {
  Write("a.fathom-partial", "what was written until then");
  Write("a.partial", "a person's");
  auto file = files->Create(folder / "a");
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  ASSERT_TRUE((*file)->Append(std::string_view("new")).ok());
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_EQ(Names(), (std::vector<std::string>{"a", "a.partial"}));
  EXPECT_EQ(*files->ReadText(folder / "a"), "new");
  EXPECT_EQ(*files->ReadText(folder / "a.partial"), "a person's");
}

TEST_F(PosixFiles, AnOutputThatIsBeingWrittenIsRefusedToOthers) {
  auto file = files->Create(folder / "a");
  ASSERT_TRUE((*file)->Append(std::string_view("first")).ok());
  EXPECT_EQ(ErrorOf(MakePosixFileSystem()->Create(folder / "a")),
            "error: another run is writing this file\n  where: " + (folder / "a") +
                "\n  fix: wait until it has ended, or name another file\n");
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_EQ(*files->ReadText(folder / "a"), "first");
  EXPECT_TRUE(files->Create(folder / "a").ok());  // and not what is written from now on
}

TEST_F(PosixFiles, AnUnfinishedOutputThatCannotBeReplacedIsNamed) {
  ASSERT_TRUE(files->MakeDirectory(folder / "a.fathom-partial").ok());
  EXPECT_EQ(ErrorOf(files->Create(folder / "a")),
            "error: cannot replace the unfinished output: Is a directory\n  where: " +
                (folder / "a.fathom-partial") + "\n  fix: name a file and not a folder\n");
}

TEST_F(PosixFiles, PartialFilesCanBeRemovedBeforeAnEndWithoutDestructors) {
  auto a = files->Create(folder / "a");
  auto b = files->Create(folder / "b");
  ASSERT_TRUE((*b)->Commit().ok());
  files->RemovePartialFiles();
  EXPECT_EQ(Names(), std::vector<std::string>{"b"});
  EXPECT_EQ(ErrorOf((*a)->Commit()),
            "error: cannot rename " + (folder / "a.fathom-partial") +
                ": No such file or directory\n  where: " + (folder / "a") +
                "\n  fix: check the name: there is nothing at this place\n");
}

TEST_F(PosixFiles, AnOutputWithoutCommitLeavesNothing) {
  {
    auto file = files->Create(folder / "a");
    ASSERT_TRUE((*file)->Append(std::string_view("half")).ok());
  }
  EXPECT_TRUE(Names().empty());
}

TEST_F(PosixFiles, AFileCutWhileOpenIsAnError) {
  Write("a", "0123456789");
  const auto file = files->Open(folder / "a");
  std::filesystem::resize_file(folder / "a", 4);
  std::array<std::byte, 8> out{};
  EXPECT_EQ(ErrorOf((*file)->ReadAt(2, out)),
            "error: the file ends at byte 4, 6 more were expected: it was cut while being read\n"
            "  where: " +
                (folder / "a") + "\n  fix: leave the file alone while it is read, and run again\n");
}

TEST_F(PosixFiles, AFullDiskNamesFileAndBytesAndIsItsOwnKind) {
  // /dev/full takes nothing: every write fails as on a full disk.
  std::filesystem::create_symlink("/dev/full", folder / "a.fathom-partial");
  auto file = files->Create(folder / "a");
  ASSERT_TRUE(file.ok());
  const Status status = (*file)->Append(std::string_view("12345"));
  EXPECT_EQ(ErrorOf(status),
            "error: cannot write 5 bytes after the first 0: No space left on device\n"
            "  where: " +
                (folder / "a") + "\n  fix: make room on this disk, or choose another folder\n");
  EXPECT_EQ(status.error().kind, ErrorKind::kDoesNotFit);
}

TEST_F(PosixFiles, ErrorsNameThePathAndTheReason) {
  Write("a", "x");
  EXPECT_EQ(ErrorOf(files->Open(folder / "none")),
            "error: cannot open the file: No such file or directory\n  where: " +
                (folder / "none") + "\n  fix: check the name: there is nothing at this place\n");
  EXPECT_EQ(ErrorOf(files->Map(folder / "none")),
            "error: cannot open the file: No such file or directory\n  where: " +
                (folder / "none") + "\n  fix: check the name: there is nothing at this place\n");
  EXPECT_EQ(ErrorOf(files->Open(folder.path())),
            "error: expected a file, found a directory\n  where: " + folder.path() +
                "\n  fix: name a regular file\n");
  EXPECT_EQ(ErrorOf(files->List(folder / "none")),
            "error: cannot list the folder: No such file or directory\n  where: " +
                (folder / "none") + "\n  fix: check the name: there is nothing at this place\n");
  EXPECT_EQ(
      ErrorOf(files->Create(folder / "none/a")),
      "error: cannot create the file: No such file or directory\n  where: " + (folder / "none/a") +
          "\n  fix: make the folder " + (folder / "none") + " first, or name another\n");
  EXPECT_EQ(ErrorOf(files->MakeDirectory(folder / "a")),
            "error: cannot make the folder: Not a directory\n  where: " + (folder / "a") +
                "\n  fix: check the name: a part of this path is a file and not a folder\n");
  EXPECT_EQ(ErrorOf(files->ReadText(folder / "a", 0)),
            "error: the input has 1 bytes, at most 0 bytes are allowed here\n  where: " +
                (folder / "a") + "\n  fix: name the right file, or split it into smaller ones\n");
}

// Root may do everything: as the user "nobody" for a while.
class WithoutRights {
 public:
  WithoutRights() { EXPECT_TRUE(::geteuid() != 0 || ::seteuid(65534) == 0); }
  WithoutRights(const WithoutRights&) = delete;
  WithoutRights& operator=(const WithoutRights&) = delete;
  ~WithoutRights() { EXPECT_EQ(::seteuid(::getuid()), 0); }
};

TEST_F(PosixFiles, WithoutPermissionTheErrorSaysSoAndNotThatNothingIsThere) {
  ASSERT_TRUE(files->MakeDirectory(folder / "locked").ok());
  Write("locked/a", "x");
  ASSERT_EQ(::chmod((folder / "locked").c_str(), 0), 0);
  {
    const WithoutRights now;
    const std::string fix =
        "\n  fix: give this user the right to it (`ls -ld` shows whose it is), or use another "
        "place\n";
    const std::string path = folder / "locked/a";
    EXPECT_TRUE(files->Exists(path)) << "nobody can tell, so opening it has to";
    EXPECT_EQ(ErrorOf(files->Open(path)),
              "error: cannot open the file: Permission denied\n  where: " + path + fix);
    EXPECT_EQ(ErrorOf(files->Create(path)),
              "error: cannot create the file: Permission denied\n  where: " + path + fix);
    EXPECT_EQ(
        ErrorOf(files->List(folder / "locked")),
        "error: cannot list the folder: Permission denied\n  where: " + (folder / "locked") + fix);
  }
  ASSERT_EQ(::chmod((folder / "locked").c_str(), 0700), 0);
}

TEST_F(PosixFiles, AStreamIsReadToItsEndWhateverItIs) {
  Write("a", "text\n");
  EXPECT_EQ(*files->ReadStream(folder / "a", 5), "text\n");
  EXPECT_EQ(ErrorOf(files->ReadStream(folder / "a", 4)),
            "error: the input has 5 bytes, at most 4 bytes are allowed here\n  where: " +
                (folder / "a") + "\n  fix: name the right file, or split it into smaller ones\n");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(folder / "pipe") << "from a pipe"; });
  EXPECT_EQ(*files->ReadStream(folder / "pipe", 100), "from a pipe");
  writer.join();
  EXPECT_EQ(ErrorOf(files->ReadStream("/dev/zero", 4)),
            "error: the input goes on, at most 4 bytes are allowed here\n  where: /dev/zero\n"
            "  fix: name the right file, or split it into smaller ones\n");
  EXPECT_EQ(ErrorOf(files->ReadStream(folder / "none", 4)),
            "error: cannot open the file: No such file or directory\n  where: " +
                (folder / "none") + "\n  fix: check the name: there is nothing at this place\n");
  EXPECT_EQ(ErrorOf(files->ReadStream(folder.path(), 4)),
            "error: cannot read: Is a directory\n  where: " + folder.path() +
                "\n  fix: name a file and not a folder\n");
}

TEST_F(PosixFiles, APipeIsRefusedWithoutWaitingForItsWriter) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(ErrorOf(files->Open(folder / "pipe")),
            "error: expected a regular file, found a pipe or device\n  where: " +
                (folder / "pipe") + "\n  fix: name a regular file\n");
}

TEST_F(PosixFiles, FollowsSymbolicLinks) {
  ASSERT_TRUE(files->MakeDirectory(folder / "blobs/deep").ok());
  ASSERT_TRUE(files->MakeDirectory(folder / "blobs/deep").ok());
  Write("blobs/0a1b", "data");
  std::filesystem::create_symlink("blobs/0a1b", folder / "name");
  std::filesystem::create_symlink("nowhere", folder / "broken");
  EXPECT_EQ(*files->ReadText(folder / "name"), "data");
  EXPECT_TRUE(files->Exists(folder / "name"));
  EXPECT_FALSE(files->Exists(folder / "broken"));
  EXPECT_TRUE(files->IsDirectory(folder / "blobs"));
  EXPECT_FALSE(files->IsDirectory(folder / "name"));
  EXPECT_EQ(Names(), (std::vector<std::string>{"blobs", "broken", "name"}));
}

TEST_F(PosixFiles, AnOutputNeverTakesThePlaceOfWhatIsNoFile) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& name : {folder.path(), folder / "pipe", std::string("/dev/null")}) {
    EXPECT_EQ(ErrorOf(files->Create(name)),
              "error: cannot create the file: a folder, pipe or device has this name\n  where: " +
                  name + "\n  fix: name a file that is new or may be replaced\n");
  }
}

TEST_F(PosixFiles, AnOutputThroughALinkKeepsTheLink) {
  Write("real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  auto file = files->Create(folder / "link");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->Append(std::string_view("new")).ok());
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_EQ(*files->ReadText(folder / "real"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST_F(PosixFiles, AnOutputThroughALinkThatLeadsNowhereMakesWhatItNames) {
  std::filesystem::create_symlink("further", folder / "link");
  std::filesystem::create_symlink("new", folder / "further");
  auto file = files->Create(folder / "link");
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  ASSERT_TRUE((*file)->Append(std::string_view("text")).ok());
  ASSERT_TRUE((*file)->Commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "new"));
  EXPECT_EQ(*files->ReadText(folder / "link"), "text");
  std::filesystem::create_symlink("none/new", folder / "lost");
  EXPECT_EQ(ErrorOf(files->Create(folder / "lost")),
            "error: cannot create the file: No such file or directory\n  where: " +
                (folder / "none/new") + "\n  fix: make the folder " + (folder / "none") +
                " first, or name another\n");
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(ErrorOf(files->Create(folder / "circle")),
            "error: cannot create the file: Too many levels of symbolic links\n  where: " +
                (folder / "circle") +
                "\n  fix: check that the place exists and may be used by this user, then try "
                "again\n");
}

TEST_F(PosixFiles, OnePlaceMayHaveSeveralNames) {
  Write("real", "");
  std::filesystem::create_symlink("real", folder / "link");
  EXPECT_TRUE(SamePlace(folder / "link", folder / "./real"));
  EXPECT_FALSE(SamePlace(folder / "real", folder / "none"));
  std::filesystem::create_symlink("new", folder / "dangling");
  EXPECT_TRUE(SamePlace(folder / "dangling", folder / "new"));
  // Of a name no part of which exists too.
  EXPECT_TRUE(SamePlace("there-is-no-such-name", "./there-is-no-such-name"));
}

TEST_F(PosixFiles, ReadsFromAFolderWithoutWritePermission) {
  Write("a", "data");
  std::filesystem::permissions(folder / "a", std::filesystem::perms::owner_read);
  std::filesystem::permissions(
      folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(*files->ReadText(folder / "a"), "data");
  EXPECT_TRUE(files->Map(folder / "a").ok());
}

TEST(JoinPath, PutsOneSlashBetween) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
}

}  // namespace
}  // namespace fathom
