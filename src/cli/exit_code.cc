#include "cli/exit_code.h"

#include "base/check.h"
#include "base/result.h"

namespace fathom {

ExitCode ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadInput:
      return ExitCode::kBadInput;
    case ErrorKind::kFailed:
      return ExitCode::kFailed;
    case ErrorKind::kDoesNotFit:
      return ExitCode::kDoesNotFit;
    case ErrorKind::kInterrupted:
      return ExitCode::kInterrupted;
  }
  FATHOM_CHECK(false);
}

}  // namespace fathom
