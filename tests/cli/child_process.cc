#include "tests/cli/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/poll.h>
#include <sys/resource.h>  // NOLINT(misc-include-cleaner): defines rusage
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace fathom {
namespace {

struct Pipe {
  int read = -1, write = -1;
};

Pipe MakePipe() {
  std::array<int, 2> ends;
  FATHOM_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0);
  return {ends[0], ends[1]};
}

// The master; its other side is opened by the child, which so gets it as controlling terminal.
int MakeTerminal() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  FATHOM_CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  return master;
}

[[noreturn]] void Execute(const std::vector<std::string>& args,
                          const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  std::string program = FATHOM_PROGRAM;
  argv.push_back(program.data());
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

void Close(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

std::string ErrorIn(const Outcome& outcome) {
  const size_t at = outcome.err.find("error:");
  return at == std::string::npos ? "no error in: " + outcome.err : outcome.err.substr(at);
}

Child::Child(const std::vector<std::string>& args, Streams streams,
             const std::map<std::string, std::string>& environment) {
  const bool terminal = streams == Streams::kTerminal;
  Pipe in, out, err;
  std::string slave;
  if (terminal) {
    out_ = MakeTerminal();
    slave = ptsname(out_);
  } else {
    in = MakePipe();
    out = MakePipe();
    err = MakePipe();
  }
  signal(SIGPIPE, SIG_IGN);
  pid_ = fork();
  FATHOM_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);  // ignored where the tests run in the background
    if (terminal) {
      setsid();
      in.read = out.write = err.write = open(slave.c_str(), O_RDWR);
      ioctl(in.read, TIOCSCTTY, 0);
    }
    dup2(in.read, STDIN_FILENO);
    dup2(out.write, STDOUT_FILENO);
    dup2(err.write, STDERR_FILENO);
    Execute(args, environment);
  }
  if (terminal) return;
  for (int fd : {in.read, out.write, err.write}) close(fd);
  in_ = in.write;
  out_ = out.read;
  err_ = err.read;
}

Child::~Child() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (int* fd : {&in_, &out_, &err_}) Close(*fd);
}

void Child::Write(std::string_view text) {
  const int fd = in_ >= 0 ? in_ : out_;
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0) return;  // it ended without reading everything
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void Child::CloseInput() { Close(in_); }
void Child::CloseOutput() { Close(out_); }

bool Child::ReadUntil(std::string_view text) { return FindIn(outcome_.out, out_found_, text); }
bool Child::ReadErrUntil(std::string_view text) { return FindIn(outcome_.err, err_found_, text); }

bool Child::FindIn(const std::string& stream, size_t& found, std::string_view text) {
  size_t at = stream.find(text, found);
  while (at == std::string::npos) {
    if (!ReadSome()) return false;
    at = stream.find(text, found);
  }
  found = at + text.size();
  return true;
}

void Child::Signal(int signal) { kill(pid_, signal); }

Outcome Child::Finish() {
  while (ReadSome()) {
  }
  int status = 0;
  rusage usage{};
  FATHOM_CHECK(wait4(pid_, &status, 0, &usage) == pid_);
  pid_ = -1;
  outcome_.peak_bytes = int64_t{usage.ru_maxrss} * 1024;
  outcome_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return outcome_;
}

bool Child::ReadSome() {
  std::array<pollfd, 2> waiting = {pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  if (out_ < 0 && err_ < 0) return false;
  poll(waiting.data(), waiting.size(), -1);
  for (auto& [fd, text] : {std::pair<int*, std::string*>(&out_, &outcome_.out),
                           std::pair<int*, std::string*>(&err_, &outcome_.err)}) {
    const size_t index = fd == &out_ ? 0 : 1;
    if (*fd < 0 || waiting[index].revents == 0) continue;
    std::array<char, 4096> bytes;
    const ssize_t size = read(*fd, bytes.data(), bytes.size());
    if (size <= 0) {
      Close(*fd);  // a terminal whose other side is gone reads as an error
    } else {
      text->append(bytes.data(), static_cast<size_t>(size));
    }
  }
  return true;
}

Outcome RunFathom(const std::vector<std::string>& args, std::string_view input,
                  const std::map<std::string, std::string>& environment) {
  Child child(args, Child::Streams::kPipes, environment);
  child.Write(input);
  child.CloseInput();
  return child.Finish();
}

}  // namespace fathom
