#ifndef FATHOM_CLI_EXIT_CODE_H_
#define FATHOM_CLI_EXIT_CODE_H_

#include "base/result.h"

namespace fathom {

// What every command ends with; scripts rely on the numbers.
enum class ExitCode {
  kDone = 0,
  kCheckFailed = 1,    // the check or comparison that was asked for failed
  kBadInput = 2,       // wrong usage or bad input; nothing was changed
  kFailed = 3,         // failed while running, or the reader of the output went away
  kDoesNotFit = 4,     // memory or disk
  kInterrupted = 130,  // by Ctrl-C; Interrupt::exit_code() has the number of another signal
};

ExitCode ExitCodeOf(ErrorKind kind);

}  // namespace fathom

#endif  // FATHOM_CLI_EXIT_CODE_H_
