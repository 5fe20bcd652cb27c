#ifndef FATHOM_SERVER_TRACE_PARENT_H_
#define FATHOM_SERVER_TRACE_PARENT_H_

#include <string_view>

namespace fathom {

// True for a header traceparent of version 00's form (https://www.w3.org/TR/trace-context/, section
// 3.2): "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01". What a client sends under that
// name otherwise may be of any length, and is not to fill the log.
bool IsTraceParent(std::string_view header);

}  // namespace fathom

#endif  // FATHOM_SERVER_TRACE_PARENT_H_
