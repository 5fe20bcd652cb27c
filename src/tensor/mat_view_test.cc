#include "tensor/mat_view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace fathom {
namespace {

TEST(MatView, RowsAndColumnsOfAStridedMatrix) {
  std::vector<float> data = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  const MatView<float> all(data.data(), 3, 4);
  const MatView<const float> part = all.Rows(1, 2).Cols(1, 2);
  EXPECT_EQ(part.rows(), 2);
  EXPECT_EQ(part.cols(), 2);
  EXPECT_EQ(part.stride(), 4);
  EXPECT_EQ(part[0][0], 11);
  EXPECT_EQ(part[1][1], 22);
  EXPECT_EQ(part.RowPtr(1), data.data() + 9);
}

TEST(MatView, EmptyHasNoElements) {
  EXPECT_TRUE(MatView<float>().empty());
  EXPECT_TRUE(MatView<float>(nullptr, 0, 5).empty());
}

TEST(MatViewDeathTest, PartsMustLieInside) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  float data[6] = {};
  const MatView<float> view(data, 2, 3);
  EXPECT_DEATH(view.Rows(1, 2), "rows_");
  EXPECT_DEATH(view.Cols(-1, 2), "first >= 0");
  EXPECT_DEATH(MatView<float>(data, 1, 3, 2), "stride >= cols");
}

TEST(Matrix, IsAlignedAndKeepsItsMemoryWhenItShrinks) {
  Matrix<float> matrix(8, 16);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.data()) % 64, 0U);
  const float* before = matrix.data();
  matrix.Resize(4, 8);
  EXPECT_EQ(matrix.data(), before);
  EXPECT_EQ(matrix.view().stride(), 8);
  matrix[3][7] = 5;
  EXPECT_EQ(matrix.data()[31], 5);
}

}  // namespace
}  // namespace fathom
