#include "tensor/mat_view.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

namespace fathom {
namespace {

// 3 rows of 4: value = 10 * row + column.
class MatViewTest : public testing::Test {
 protected:
  std::array<int, 12> data_ = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  MatView<int> view_{data_.data(), 3, 4};
};

TEST_F(MatViewTest, RowsAndColumnsAreViewsOfTheSameElements) {
  EXPECT_EQ(view_.Rows(1, 2)[0][3], 13);
  const MatView<int> part = view_.Rows(1, 2).Cols(2, 2);
  EXPECT_EQ(part.rows(), 2);
  EXPECT_EQ(part.cols(), 2);
  EXPECT_EQ(part.stride(), 4);
  EXPECT_EQ(part[1][0], 22);
  part[1][0] = 7;
  EXPECT_EQ(data_[10], 7);
}

TEST_F(MatViewTest, IsReadWhereAConstViewIsAskedFor) {
  const MatView<const int> read = view_.Cols(1, 2);
  EXPECT_EQ(read[2][1], 22);
  EXPECT_EQ(read.stride(), 4);
}

TEST_F(MatViewTest, PartsMayBeEmpty) {
  EXPECT_TRUE(view_.Rows(3, 0).empty());
  EXPECT_TRUE(view_.Cols(4, 0).empty());
  EXPECT_TRUE(MatView<int>().empty());
  EXPECT_FALSE(view_.empty());
}

using MatViewDeathTest = MatViewTest;

TEST_F(MatViewDeathTest, PartsOutsideEndTheProcess) {
  EXPECT_DEATH(view_.Rows(2, 2), "first \\+ count <= rows_");
  EXPECT_DEATH(view_.Cols(-1, 2), "first >= 0");
  EXPECT_DEATH(MatView<int>(data_.data(), 3, 4, 3), "stride >= cols");
}

TEST(Matrix, IsAlignedAndMoves) {
  Matrix<float> matrix(3, 5);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.data()) % 64, 0U);
  matrix[2][4] = 1.5F;
  const Matrix<float> moved = std::move(matrix);
  EXPECT_EQ(moved[2][4], 1.5F);
  EXPECT_EQ(moved.view().stride(), 5);
}

TEST(Matrix, KeepsItsMemoryWhenItShrinks) {
  Matrix<float> matrix(4, 8);
  const float* const before = matrix.data();
  matrix.Resize(8, 4);
  EXPECT_EQ(matrix.data(), before);
  EXPECT_EQ(matrix.rows(), 8);
  matrix.Resize(8, 5);
  EXPECT_EQ(matrix.cols(), 5);
}

}  // namespace
}  // namespace fathom
