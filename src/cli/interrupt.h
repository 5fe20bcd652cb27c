#ifndef FATHOM_CLI_INTERRUPT_H_
#define FATHOM_CLI_INTERRUPT_H_

namespace fathom {

// Ctrl-C (SIGINT) as a flag that long work looks at. The process has one signal disposition, so all
// objects share one state; it lives here and nowhere else.
//
// A second Ctrl-C before the first was noticed (Clear) ends the process at once with 130, so that
// nobody is held by a step that takes minutes.
class Interrupt {
 public:
  // Installs the handler; until WatchFlag is called Ctrl-C ends the process at once with 130.
  static void Install();
  // From now on Ctrl-C sets the flag: for work that looks at it and has something to finish.
  void WatchFlag();

  bool requested() const;
  void Clear();
  // Readable once the flag is set: for poll() together with an input.
  int wake_fd() const;
};

}  // namespace fathom

#endif  // FATHOM_CLI_INTERRUPT_H_
