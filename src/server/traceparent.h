#ifndef FATHOM_SERVER_TRACEPARENT_H_
#define FATHOM_SERVER_TRACEPARENT_H_

#include <string_view>

namespace fathom {

// True for a traceparent header as W3C Trace Context, section 3.2, has it in version 00: version,
// trace id, parent id and flags in lower-case hexadecimal digits, neither id zero. Versions to come
// begin the same way; of them at most 256 characters are taken.
bool IsTraceparent(std::string_view header);

}  // namespace fathom

#endif  // FATHOM_SERVER_TRACEPARENT_H_
