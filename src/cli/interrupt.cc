#include "cli/interrupt.h"

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "base/result.h"
#include "io/file_system.h"
#include "io/system_error.h"

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
std::atomic<bool> only_counts = false;
std::array<int, 2> wake_pipe = {-1, -1};
std::atomic<bool> guarded = false;    // a PartialFileGuard ends the process
std::atomic<bool> impatient = false;  // Ctrl-C came twice
sem_t guard_wakes;                    // it is impatient, or the guard is to end
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

int CodeOf(int signal) { return 128 + signal; }

void OnSignal(int signal) {
  const int saved_errno = errno;
  if (exit_at_once) _exit(CodeOf(signal));
  ++signal_count;
  if (signal != SIGINT) {
    ending_signal = signal;
  } else if (requested_flag.exchange(true) && !only_counts) {
    if (!guarded) _exit(CodeOf(SIGINT));
    impatient = true;
    sem_post(&guard_wakes);
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

Status Interrupt::Install() {
  if (pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return SystemError(ErrorKind::kFailed, "cannot make a pipe for signals", errno, "");
  }
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  for (const int signal : {SIGINT, SIGHUP}) {
    if (!IsIgnored(signal)) sigaction(signal, &action, nullptr);
  }
  // A reader that goes away shows as EPIPE where it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  return Ok();
}

void Interrupt::WatchFlag() { exit_at_once = false; }

void Interrupt::WatchCount() {
  only_counts = true;
  WatchFlag();
}

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

PartialFileGuard::PartialFileGuard(FileSystem& files) {
  FATHOM_CHECK(!guarded && sem_init(&guard_wakes, 0, 0) == 0);
  try {
    waiting_ = std::thread([&files] {
      while (sem_wait(&guard_wakes) != 0) {
      }
      if (!impatient) return;
      files.RemovePartialFiles();
      _exit(CodeOf(SIGINT));
    });
  } catch (const std::system_error&) {
    return;
  }
  guarded = true;
}

PartialFileGuard::~PartialFileGuard() {
  guarded = false;
  if (!waiting_.joinable()) return;
  sem_post(&guard_wakes);
  waiting_.join();
}

}  // namespace fathom
