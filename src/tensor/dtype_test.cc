#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <optional>

namespace fathom {
namespace {

struct Row {
  DType dtype;
  const char* name;
  int bytes;
  bool is_float;
};

constexpr Row kRows[] = {{DType::kF32, "F32", 4, true},   {DType::kF16, "F16", 2, true},
                         {DType::kBF16, "BF16", 2, true}, {DType::kF8E4M3, "F8_E4M3", 1, true},
                         {DType::kI8, "I8", 1, false},    {DType::kI32, "I32", 4, false},
                         {DType::kI64, "I64", 8, false}};

TEST(DType, NamesAndSizesAsSafetensorsHasThem) {
  for (const Row& row : kRows) {
    EXPECT_EQ(DTypeName(row.dtype), row.name);
    EXPECT_EQ(ParseDType(row.name), row.dtype);
    EXPECT_EQ(DTypeBytes(row.dtype), row.bytes);
    EXPECT_EQ(IsFloat(row.dtype), row.is_float);
  }
}

TEST(DType, UnknownNamesAreNoType) {
  for (const char* name : {"", "f32", "F8_E5M2", "BOOL", "F32 "}) {
    EXPECT_EQ(ParseDType(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace fathom
