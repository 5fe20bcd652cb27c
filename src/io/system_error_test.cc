#include "io/system_error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "base/result.h"

namespace fathom {
namespace {

TEST(SystemError, EachReasonHasItsFix) {
  struct Row {
    int error_number;
    std::string text;
  };
  const Row rows[] = {
      {ENOENT,
       "No such file or directory\n  where: /p\n"
       "  fix: check the name: there is nothing at this place\n"},
      {ENOTDIR,
       "Not a directory\n  where: /p\n"
       "  fix: check the name: a part of this path is a file and not a folder\n"},
      {EISDIR, "Is a directory\n  where: /p\n  fix: name a file and not a folder\n"},
      {EACCES,
       "Permission denied\n  where: /p\n  fix: give this user the right to it (`ls -ld` shows "
       "whose it is), or use another place\n"},
      {EROFS,
       "Read-only file system\n  where: /p\n"
       "  fix: this file system is read-only: choose another folder\n"},
      {EMFILE,
       "Too many open files\n  where: /p\n  fix: raise the limit of open files (`ulimit -n`)\n"},
      {ENOMEM,
       "Cannot allocate memory\n  where: /p\n"
       "  fix: close other programs, or use a smaller model\n"},
      {EIO,
       "Input/output error\n  where: /p\n"
       "  fix: the disk or the network behind it fails: see `dmesg`, then try another copy\n"},
      {ELOOP,
       "Too many levels of symbolic links\n  where: /p\n  fix: check that the place exists and may "
       "be used by this user, then try again\n"},
  };
  for (const Row& row : rows) {
    const Error error = SystemError(ErrorKind::kBadInput, "cannot do it", row.error_number, "/p");
    EXPECT_EQ(error.ToString(), "error: cannot do it: " + row.text);
    EXPECT_EQ(error.kind, ErrorKind::kBadInput);
  }
}

TEST(SystemError, AFullDiskDoesNotFitWhateverWasDone) {
  for (const int error_number : {ENOSPC, EDQUOT}) {
    const Error error = SystemError(ErrorKind::kFailed, "cannot write", error_number, "/p");
    EXPECT_EQ(error.kind, ErrorKind::kDoesNotFit);
    EXPECT_EQ(error.fix, "make room on this disk, or choose another folder");
  }
}

}  // namespace
}  // namespace fathom
