#include "cli/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "base/check.h"

namespace fathom {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "the handler may only touch such atomics");
// A signal handler is given nothing: what it touches has to be global.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> requested_flag = false;  // by Ctrl-C
std::atomic<int> ending_signal = 0;        // SIGTERM or SIGHUP, once one came
std::atomic<int> signal_count = 0;
std::atomic<bool> exit_at_once = true;
std::array<int, 2> wake_pipe = {-1, -1};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

int CodeOf(int signal) { return 128 + signal; }

void OnSignal(int signal) {
  const int saved_errno = errno;
  if (exit_at_once) _exit(CodeOf(signal));
  ++signal_count;
  if (signal != SIGINT) {
    ending_signal = signal;
  } else if (requested_flag.exchange(true)) {
    _exit(CodeOf(SIGINT));
  }
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(wake_pipe[1], &byte, 1);
  errno = saved_errno;
}

bool IsIgnored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void Interrupt::Install() {
  FATHOM_CHECK(pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) == 0);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  if (!IsIgnored(SIGHUP)) sigaction(SIGHUP, &action, nullptr);
  // A reader that goes away shows as EPIPE where it is written to.
  std::signal(SIGPIPE, SIG_IGN);
}

void Interrupt::WatchFlag() { exit_at_once = false; }

bool Interrupt::requested() const { return requested_flag || ends_program(); }

bool Interrupt::ends_program() const { return ending_signal != 0; }

void Interrupt::Clear() {
  std::array<char, 16> drained;
  while (read(wake_pipe[0], drained.data(), drained.size()) > 0) {
  }
  requested_flag = false;
}

int Interrupt::count() const { return signal_count; }

int Interrupt::wake_fd() const { return wake_pipe[0]; }

int Interrupt::exit_code() const { return CodeOf(ends_program() ? ending_signal.load() : SIGINT); }

}  // namespace fathom
