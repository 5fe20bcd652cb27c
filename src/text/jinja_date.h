#ifndef FATHOM_TEXT_JINJA_DATE_H_
#define FATHOM_TEXT_JINJA_DATE_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace fathom::jinja {

// strftime of the midnight that begins `date` ("2026-01-02"), in the C locale. Errors (kBadInput):
// no such date, a directive other than %a %A %b %B %d %e %H %I %j %m %M %p %S %y %Y %F %T %% (also
// with "-": without leading zeros).
Result<std::string> FormatDate(std::string_view format, std::string_view date);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_DATE_H_
