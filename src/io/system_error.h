#ifndef FATHOM_IO_SYSTEM_ERROR_H_
#define FATHOM_IO_SYSTEM_ERROR_H_

#include <string>

#include "base/result.h"

namespace fathom {

// What the system answered to a call on `path`: "<what>: Permission denied", with what a person can
// do about this errno. A full disk is kDoesNotFit whatever `kind` says.
Error SystemError(ErrorKind kind, std::string what, int error_number, std::string path);

}  // namespace fathom

#endif  // FATHOM_IO_SYSTEM_ERROR_H_
