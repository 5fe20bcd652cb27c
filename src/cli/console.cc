#include "cli/console.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

// Writes everything; returns 0, or the errno that ended it.
int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// As https://no-color.org has it: set to anything but nothing.
bool ColourRefused() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

}  // namespace

void HoldStandardStreams() {
  // The lowest free number is what open gives.
  int fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDONLY);
  if (fd > STDERR_FILENO) close(fd);
}

Console::Console(int out_fd, int err_fd)
    : out_fd_(out_fd),
      err_fd_(err_fd),
      out_is_terminal_(isatty(out_fd) == 1),
      err_is_terminal_(isatty(err_fd) == 1),
      styled_(out_is_terminal_ && !ColourRefused()) {}

Status Console::Print(std::string_view text) {
  const int error = WriteAll(out_fd_, text);
  if (error == 0) return Ok();
  output_closed_ = error == EPIPE;
  return Failed(Format("standard output cannot be written: {}", std::strerror(error)), "",
                "make room where it goes, or send it elsewhere");
}

void Console::Note(std::string_view text) { WriteAll(err_fd_, text); }

}  // namespace fathom
