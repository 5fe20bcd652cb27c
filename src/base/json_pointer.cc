#include "base/json_pointer.h"

#include <string>
#include <string_view>

#include "base/format.h"

namespace fathom {

std::string PointerToken(std::string_view key) {
  std::string out;
  for (const char c : Shortened(key)) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace fathom
