#ifndef FATHOM_NET_OPEN_FILES_H_
#define FATHOM_NET_OPEN_FILES_H_

#include <cstdint>
#include <system_error>

#include "base/result.h"

namespace fathom {

// Lets this process have so many connections and `others`, files beside them, open at once: raises
// its own limit where that is needed and the system allows it. Errors (kDoesNotFit): it does not,
// with both numbers, and how many connections it does allow.
Status AllowOpenFiles(int64_t connections, int64_t others);

// The error (kDoesNotFit) of a queue for the events of sockets that the system refused.
Error NoEventQueue(const std::error_code& refused);

}  // namespace fathom

#endif  // FATHOM_NET_OPEN_FILES_H_
