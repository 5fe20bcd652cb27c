#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom {
namespace {

TEST(DType, NamesBytesAndKindsAreThoseOfSafetensors) {
  struct Row {
    DType dtype;
    std::string_view name;
    int64_t bytes;
    bool is_float;
  };
  const std::vector<Row> rows = {
      {DType::kF32, "F32", 4, true},   {DType::kF16, "F16", 2, true},
      {DType::kBF16, "BF16", 2, true}, {DType::kF8E4M3, "F8_E4M3", 1, true},
      {DType::kI8, "I8", 1, false},    {DType::kI32, "I32", 4, false},
      {DType::kI64, "I64", 8, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(DTypeName(row.dtype), row.name);
    EXPECT_EQ(ParseDType(row.name), row.dtype);
    EXPECT_EQ(DTypeBytes(row.dtype), row.bytes);
    EXPECT_EQ(IsFloat(row.dtype), row.is_float);
  }
}

TEST(DType, UnknownNamesAreNone) {
  for (const std::string_view name : {"", "f32", "F64", "F8_E5M2", "BOOL"}) {
    EXPECT_EQ(ParseDType(name), std::nullopt);
  }
}

}  // namespace
}  // namespace fathom
