#ifndef FATHOM_BASE_CHECK_H_
#define FATHOM_BASE_CHECK_H_

namespace fathom {

// Prints the broken precondition and ends the process (abort). Never returns.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace fathom

// Inside the program a broken precondition is a bug: it ends the job with its place.
#define FATHOM_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::fathom::CheckFailed(#condition, __FILE__, __LINE__))

#endif  // FATHOM_BASE_CHECK_H_
