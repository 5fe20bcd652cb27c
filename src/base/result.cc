#include "base/result.h"

#include <string>
#include <utility>

#include "base/check.h"

namespace fathom {

Error::Error(std::string what_failed, std::string where_failed, std::string what_to_do,
             ErrorKind error_kind)
    : what(std::move(what_failed)),
      where(std::move(where_failed)),
      fix(std::move(what_to_do)),
      kind(error_kind) {
  FATHOM_CHECK(!fix.empty());
}

std::string Error::ToString() const {
  std::string text = "error: " + what + "\n";
  if (!where.empty()) text += "  where: " + where + "\n";
  return text + "  fix: " + fix + "\n";
}

Error Within(std::string outer, Error error) {
  error.where = error.where.empty() ? std::move(outer) : std::move(outer) + ": " + error.where;
  return error;
}

}  // namespace fathom
