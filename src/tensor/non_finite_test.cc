#include "tensor/non_finite.h"

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string_view>

#include "tensor/dtype.h"

namespace fathom {
namespace {

TEST(FindNonFinite, FindsTheFirstCodeOfEveryType) {
  const auto find = [](DType dtype, std::string_view codes) {
    return FindNonFinite(dtype, std::as_bytes(std::span(codes)));
  };
  using std::string_view_literals::operator""sv;
  // The largest finite codes of either sign, then what is beyond.
  EXPECT_EQ(find(DType::kF8E4M3, "\x7e\xfe\x80\x00\x7e\xfe\x7e\xfe\x7e"sv), std::nullopt);
  EXPECT_EQ(find(DType::kF8E4M3, "\x7e\xfe\x80\x00\x7e\xfe\x7e\xfe\x7f"sv), 8);
  EXPECT_EQ(find(DType::kF8E4M3, "\x7e\xff\x7f"sv), 1);
  EXPECT_EQ(find(DType::kBF16, "\x7f\x7f\x7f\xff"sv), std::nullopt);
  EXPECT_EQ(find(DType::kBF16, "\x7f\x7f\x80\xff"sv), 1);
  EXPECT_EQ(find(DType::kF16, "\xff\x7b\xff\xfb"sv), std::nullopt);
  EXPECT_EQ(find(DType::kF16, "\xff\x7b\xff\xfb\x00\x00\x00\x00\x00\x7c"sv), 4);
  EXPECT_EQ(find(DType::kF32, "\xff\xff\x7f\x7f\xff\xff\x7f\xff"sv), std::nullopt);
  EXPECT_EQ(find(DType::kF32, "\xff\xff\x7f\x7f\x00\x00\x80\x7f"sv), 1);
  EXPECT_EQ(find(DType::kF32, ""sv), std::nullopt);
}

}  // namespace
}  // namespace fathom
