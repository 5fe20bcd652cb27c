#include "cli/line_reader.h"

#include <poll.h>
#include <sys/poll.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>

namespace fathom {

LineReader::Event LineReader::Next(std::string& line) {
  const Event event = NextPiece(line);
  if (event == Event::kLine || event == Event::kTooLong) ++line_number_;
  return event == Event::kLine && line.size() > most_bytes_ ? Event::kTooLong : event;
}

LineReader::Event LineReader::NextPiece(std::string& line) {
  while (!TakeLine(line)) {
    if (buffer_.size() > most_bytes_ + 1) return Event::kTooLong;  // a '\r' does not count
    const Event event = Fill();
    if (event == Event::kInterrupted) {
      buffer_.clear();
      searched_ = 0;
      return event;
    }
    if (event == Event::kEnd) {
      line = std::exchange(buffer_, "");
      searched_ = 0;
      return line.empty() ? Event::kEnd : Event::kLine;
    }
  }
  return Event::kLine;
}

bool LineReader::TakeLine(std::string& line) {
  const size_t end = buffer_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = buffer_.size();
    return false;
  }
  line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  searched_ = 0;
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

LineReader::Event LineReader::Fill() {
  std::array<pollfd, 2> waiting = {pollfd{fd_, POLLIN, 0}, pollfd{interrupt_.wake_fd(), POLLIN, 0}};
  while (true) {
    if (interrupt_.requested()) {
      interrupt_.Clear();
      return Event::kInterrupted;
    }
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return Event::kEnd;
    if (waiting[0].revents == 0 || interrupt_.requested()) continue;
    std::array<char, 4096> bytes;
    const ssize_t size = read(fd_, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return Event::kEnd;
    buffer_.append(bytes.data(), static_cast<size_t>(size));
    return Event::kLine;
  }
}

}  // namespace fathom
