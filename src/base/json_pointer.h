#ifndef FATHOM_BASE_JSON_POINTER_H_
#define FATHOM_BASE_JSON_POINTER_H_

#include <string>
#include <string_view>

namespace fathom {

// A key as a part of a JSON pointer in a message: "~" and "/" are escaped (RFC 6901), and what is
// longer than a message should be is cut.
std::string PointerToken(std::string_view key);

}  // namespace fathom

#endif  // FATHOM_BASE_JSON_POINTER_H_
