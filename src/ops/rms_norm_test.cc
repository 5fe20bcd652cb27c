#include "ops/rms_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "ops/weights_testing.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

TEST(RmsNorm, HandComputedRow) {
  // mean of squares (9 + 16) / 2 = 12.5, with eps 3.5: root 4.
  ThreadPool pool(1);
  const float x[] = {3, -4};
  const float weight[] = {2, 0.5F};
  float out[2];
  RmsNorm({.pool = &pool}, {x, 1, 2}, weight, 3.5, {out, 1, 2});
  EXPECT_EQ(out[0], 1.5F);
  EXPECT_EQ(out[1], -0.5F);
}

// Rounded: the inverse root once and two products; three half epsilons of the result.
TEST(RmsNorm, MatchesFloat64OnManyRowsAndThreadsInPlace) {
  const int64_t rows = 130;
  const int64_t cols = 517;
  const Matrix<float> weight = RandomActivations(1, cols, 1);
  const Matrix<float> x = RandomActivations(rows, cols, 2);
  for (const int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    Matrix<float> out = RandomActivations(rows, cols, 2);
    RmsNorm({.pool = &pool}, out.view(), weight[0], 1e-6, out.view());
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (const float value : x[r]) {
        sum += static_cast<double>(value) * static_cast<double>(value);
      }
      const double inverse = 1 / std::sqrt(sum / static_cast<double>(cols) + 1e-6);
      for (size_t c = 0; c < static_cast<size_t>(cols); ++c) {
        const double expected =
            static_cast<double>(x[r][c]) * inverse * static_cast<double>(weight[0][c]);
        const double epsilon = std::numeric_limits<float>::epsilon();
        ASSERT_NEAR(out[r][c], expected, 1.6 * epsilon * std::abs(expected));
      }
    }
  }
}

TEST(RmsNorm, EpsilonDecidesForTinyInputs) {
  ThreadPool pool(1);
  const std::vector<float> x(64, 1e-6F);
  const std::vector<float> weight(64, 1.0F);
  std::vector<float> out(64);
  RmsNorm({.pool = &pool}, {x.data(), 1, 64}, weight, 1e-6, {out.data(), 1, 64});
  EXPECT_NEAR(out[0], 1e-3F, 1e-8F);  // x / sqrt(1e-12 + 1e-6)
}

TEST(RmsNorm, NoRows) {
  ThreadPool pool(1);
  const float weight[] = {1};
  RmsNorm({.pool = &pool}, {nullptr, 0, 1}, weight, 1e-6, {nullptr, 0, 1});
}

}  // namespace
}  // namespace fathom
