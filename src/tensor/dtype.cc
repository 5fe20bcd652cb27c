#include "tensor/dtype.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom {
namespace {

struct DTypeInfo {
  std::string_view name;
  int64_t bytes;
  bool is_float;
};

// In the order of the enum.
constexpr std::array<DTypeInfo, 7> kDTypes = {{{"F32", 4, true},
                                               {"F16", 2, true},
                                               {"BF16", 2, true},
                                               {"F8_E4M3", 1, true},
                                               {"I8", 1, false},
                                               {"I32", 4, false},
                                               {"I64", 8, false}}};

const DTypeInfo& Info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }

}  // namespace

std::string_view DTypeName(DType dtype) { return Info(dtype).name; }
int64_t DTypeBytes(DType dtype) { return Info(dtype).bytes; }
bool IsFloat(DType dtype) { return Info(dtype).is_float; }

std::optional<DType> ParseDType(std::string_view name) {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace fathom
