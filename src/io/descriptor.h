#ifndef FATHOM_IO_DESCRIPTOR_H_
#define FATHOM_IO_DESCRIPTOR_H_

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace fathom {

// A file descriptor, closed by its destructor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

// Repeats a system call that a signal interrupted.
template <typename Call>
auto Retry(Call call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace fathom

#endif  // FATHOM_IO_DESCRIPTOR_H_
