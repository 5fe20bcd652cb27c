#include "base/result.h"

#include <string>
#include <utility>

namespace fathom {

std::string Error::ToString() const {
  std::string text = "error: " + what + "\n";
  if (!where.empty()) text += "  where: " + where + "\n";
  if (!fix.empty()) text += "  fix: " + fix + "\n";
  return text;
}

Error Within(std::string outer, Error error) {
  error.where = error.where.empty() ? std::move(outer) : std::move(outer) + ": " + error.where;
  return error;
}

}  // namespace fathom
