#ifndef FATHOM_CLI_INTERRUPT_H_
#define FATHOM_CLI_INTERRUPT_H_

#include <thread>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// Ctrl-C (SIGINT), SIGTERM and SIGHUP as a flag that long work looks at. The process has one
// disposition a signal, so all objects share one state; it lives here and nowhere else.
//
// Ctrl-C asks to stop what is being done, and work may go on with something else (Clear). SIGTERM
// and SIGHUP ask the program to end, and nothing takes that back. SIGHUP stays ignored where it
// was, as under nohup, and so does SIGINT, as of a script's job in the background: a Ctrl-C is not
// meant for it.
//
// A second Ctrl-C before the first was noticed ends the process at once, so that nobody is held by
// a step that takes minutes. The others may come in pairs (from a shell and from its terminal) and
// end nothing at once.
class Interrupt {
 public:
  // Installs the handlers; until WatchFlag is called a signal ends the process at once. Errors
  // (kFailed): the system has no files left for it.
  static Status Install();
  // From now on a signal sets the flag: for work that looks at it and has something to finish.
  void WatchFlag();
  // The same, and no number of signals ends the process: for a server, which looks at count().
  void WatchCount();

  bool requested() const;
  // The program is to end, not only what it is doing.
  bool ends_program() const;
  // How many signals came since the flag is watched, Ctrl-C and the others together.
  int count() const;
  // Forgets a Ctrl-C.
  void Clear();
  // Readable once the flag is set: for poll() together with an input.
  int wake_fd() const;
  // What a shell expects of a program that a signal ended: 128 + its number, 130 for Ctrl-C.
  int exit_code() const;
};

// While it lives, a second Ctrl-C removes the partial files of `files` before it ends the process.
// There is one at a time. Where the system refuses the thread for it they stay; a later run
// replaces them.
class PartialFileGuard {
 public:
  explicit PartialFileGuard(FileSystem& files);
  ~PartialFileGuard();
  PartialFileGuard(const PartialFileGuard&) = delete;
  PartialFileGuard& operator=(const PartialFileGuard&) = delete;

 private:
  std::thread waiting_;
};

}  // namespace fathom

#endif  // FATHOM_CLI_INTERRUPT_H_
