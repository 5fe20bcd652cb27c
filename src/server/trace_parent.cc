#include "server/trace_parent.h"

#include <cstddef>
#include <string_view>

namespace fathom {
namespace {

constexpr std::string_view kForm = "vv-tttttttttttttttttttttttttttttttt-pppppppppppppppp-ff";

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool IsZero(std::string_view digits) {
  return digits.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

bool IsTraceParent(std::string_view header) {
  if (header.size() != kForm.size() || header.starts_with("ff")) return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '-' ? header[i] != '-' : !IsHex(header[i])) return false;
  }
  const bool has_trace = !IsZero(header.substr(kForm.find('t'), 32));
  const bool has_parent = !IsZero(header.substr(kForm.find('p'), 16));
  return has_trace && has_parent;
}

}  // namespace fathom
