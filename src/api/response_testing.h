#ifndef FATHOM_API_RESPONSE_TESTING_H_
#define FATHOM_API_RESPONSE_TESTING_H_

#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// The payloads of a stream of server-sent events. Ends the process where an event is not
// "data: ...\n\n" on one line, or its payload no JSON.
std::vector<std::string> PayloadsOrDie(std::string_view stream);

}  // namespace fathom

#endif  // FATHOM_API_RESPONSE_TESTING_H_
