#include "ops/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "ops/avx512_emulated_testing.h"
#include "ops/compute.h"
#include "ops/isa_testing.h"
#include "ops/weights_testing.h"
#include "tensor/float_codec.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

class ElementwiseTest : public IsaTest {
 protected:
  ThreadPool pool_{2};
  void RunSiluMul(MatView<const float> gate, MatView<const float> up, MatView<float> out) {
    if (GetParam() != TestIsa::kEmulatedAvx512) return SiluMul(On(), gate, up, out);
    for (int64_t r = 0; r < out.rows(); ++r) {
      SiluMulEmulatedAvx512(gate.RowPtr(r), up.RowPtr(r), out.cols(), out.RowPtr(r));
    }
  }
  Compute On(Activations activations = Activations::kFloat32) {
    return {.pool = &pool_, .isa = isa(), .activations = activations};
  }
};

TEST_P(ElementwiseTest, RoundActivationsFollowsTheMode) {
  // 1 + 2^-8 lies between two bfloat16 values and goes to the even one; 1 + 3 * 2^-8 goes up.
  const std::vector<float> start = {1.00390625F, 1.01171875F, -1.00390625F, 3, 0};
  std::vector<float> x = start;
  RoundActivations(On(), {x.data(), 1, 5});
  EXPECT_EQ(x, start);
  RoundActivations(On(Activations::kBfloat16), {x.data(), 1, 5});
  EXPECT_EQ(x, (std::vector<float>{1, 1.015625F, -1, 3, 0}));
}

TEST_P(ElementwiseTest, RoundActivationsRoundsEveryElementAsTheCodecDoes) {
  Matrix<float> x = RandomActivations(70, 301, 3);
  x.data()[5] = std::numeric_limits<float>::infinity();
  x.data()[40] = std::numeric_limits<float>::quiet_NaN();
  x.data()[41] = std::numeric_limits<float>::max();
  std::vector<float> expected(x.data(), x.data() + 70 * 301);
  for (float& value : expected) value = RoundToBf16(value);
  RoundActivations(On(Activations::kBfloat16), x.view());
  EXPECT_EQ(std::memcmp(x.data(), expected.data(), expected.size() * sizeof(float)), 0);
}

// exp within 2^-22, a sum, a quotient and a product: four half epsilons on top.
TEST_P(ElementwiseTest, SiluMulMatchesFloat64) {
  const int64_t rows = 37;
  const int64_t cols = 1027;
  Matrix<float> gate = RandomActivations(rows, cols, 1);
  for (int64_t i = 0; i < rows * cols; ++i) gate.data()[i] *= 8;
  const Matrix<float> up = RandomActivations(rows, cols, 2);
  Matrix<float> out(rows, cols);
  RunSiluMul(gate.view(), up.view(), out.view());
  for (int64_t i = 0; i < rows * cols; ++i) {
    const auto g = static_cast<double>(gate.data()[i]);
    const double expected = g / (1 + std::exp(-g)) * static_cast<double>(up.data()[i]);
    const double epsilon = std::numeric_limits<float>::epsilon();
    ASSERT_NEAR(out.data()[i], expected, 4 * epsilon * std::abs(expected)) << g;
  }
}

TEST_P(ElementwiseTest, SiluMulInPlaceAndAtTheEnds) {
  const float up[] = {1, 2, 3, 1};
  std::vector<float> gate = {0, 200, -200, -1e30F};
  RunSiluMul({gate.data(), 1, 4}, {up, 1, 4}, {gate.data(), 1, 4});
  EXPECT_EQ(gate[0], 0);
  EXPECT_EQ(gate[1], 400);
  EXPECT_NEAR(gate[2], 0, 1e-30);
  EXPECT_NEAR(gate[3], 0, 1e-6);
}

TEST_P(ElementwiseTest, AddAndAddBias) {
  std::vector<float> x = {1, 2, 3, 4};
  const float y[] = {10, 20, 30, 40};
  Add(On(), {y, 2, 2}, {x.data(), 2, 2});
  EXPECT_EQ(x, (std::vector<float>{11, 22, 33, 44}));
  const std::vector<float> bias = {0.5F, -1};
  AddBias(On(), bias, {x.data(), 2, 2});
  EXPECT_EQ(x, (std::vector<float>{11.5F, 21, 33.5F, 43}));
}

TEST_P(ElementwiseTest, ManyRowsOverSeveralThreads) {
  Matrix<float> x = RandomActivations(700, 100, 1);
  const Matrix<float> before = RandomActivations(700, 100, 1);
  const Matrix<float> y = RandomActivations(700, 100, 2);
  Add(On(), y.view(), x.view());
  for (int64_t i = 0; i < 70000; ++i) ASSERT_EQ(x.data()[i], before.data()[i] + y.data()[i]);
}

FATHOM_TEST_ON_EVERY_ISA(ElementwiseTest);

}  // namespace
}  // namespace fathom
