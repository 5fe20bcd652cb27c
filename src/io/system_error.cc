#include "io/system_error.h"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/result.h"

namespace fathom {
namespace {

const char* FixFor(int error_number) {
  switch (error_number) {
    case ENOENT:
      return "check the name: there is nothing at this place";
    case ENOTDIR:
      return "check the name: a part of this path is a file and not a folder";
    case EISDIR:
      return "name a file and not a folder";
    case EACCES:
    case EPERM:
      return "give this user the right to it (`ls -ld` shows whose it is), or use another place";
    case EROFS:
      return "this file system is read-only: choose another folder";
    case ENOSPC:
    case EDQUOT:
      return "make room on this disk, or choose another folder";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (`ulimit -n`)";
    case ENOMEM:
      return "close other programs, or use a smaller model";
    case EIO:
      return "the disk or the network behind it fails: see `dmesg`, then try another copy";
    default:
      return "check that the place exists and may be used by this user, then try again";
  }
}

bool IsFull(int error_number) { return error_number == ENOSPC || error_number == EDQUOT; }

}  // namespace

Error SystemError(ErrorKind kind, std::string what, int error_number, std::string path) {
  const std::string reason = std::error_code(error_number, std::generic_category()).message();
  return {std::move(what) + ": " + reason, std::move(path), FixFor(error_number),
          IsFull(error_number) ? ErrorKind::kDoesNotFit : kind};
}

}  // namespace fathom
