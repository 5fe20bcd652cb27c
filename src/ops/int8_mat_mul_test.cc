#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "ops/int8_rows.h"
#include "ops/isa_testing.h"
#include "ops/mat_mul.h"
#include "ops/packed_matrix.h"
#include "ops/weights_testing.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"
#include "tensor/same_bits_testing.h"

namespace fathom {
namespace {

// The definition, on its own: round to nearest even of 127 x / max, in float64.
struct ReferenceRow {
  std::vector<int64_t> codes;
  float scale = 0;
};
ReferenceRow Reference(std::span<const float> row) {
  ReferenceRow out;
  float largest = 0;
  for (const float value : row) largest = std::max(largest, std::fabs(value));
  out.scale = largest / 127;
  const float inverse = 127 / largest;
  for (const float value : row) {
    out.codes.push_back(largest == 0 ? 0 : std::lrint(static_cast<double>(value * inverse)));
  }
  return out;
}

struct Int8Weight {
  std::vector<int8_t> codes;
  std::vector<float> scales;
  PackedMatrix packed;
};
Int8Weight Quantized(const Matrix<float>& rows) {
  Int8Weight weight;
  weight.packed = PackedMatrix::Int8(rows.rows(), rows.cols());
  weight.codes.resize(static_cast<size_t>(rows.rows() * rows.cols()));
  for (int64_t r = 0; r < rows.rows(); ++r) {
    const auto codes =
        std::span(weight.codes)
            .subspan(static_cast<size_t>(r * rows.cols()), static_cast<size_t>(rows.cols()));
    weight.scales.push_back(QuantizeRow(rows.view()[r], codes));
  }
  weight.packed.PackInt8Rows(0, weight.codes, weight.scales);
  return weight;
}

class Int8MatMulTest : public IsaTest {
 protected:
  Matrix<float> Product(ThreadPool& pool, const PackedMatrix& weight,
                        MatView<const float> x) const {
    Matrix<float> out(x.rows(), weight.rows());
    const MatMulTask task = {.x = x, .weight = &weight, .out = out.view()};
    RunMatMul({.pool = &pool}, {&task, 1});
    return out;
  }
};

TEST(QuantizeRow, CodesRoundToNearestEvenOfTheLargest) {
  std::vector<float> row = {127, -127, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 0.49F, 126.6F, 0};
  std::vector<int8_t> codes(row.size());
  EXPECT_EQ(QuantizeRow(row, codes), 1.0F);
  EXPECT_EQ(codes, (std::vector<int8_t>{127, -127, 0, 2, 2, 0, -2, 0, 127, 0}));
}

TEST(QuantizeRow, ZerosAndWhatIsNoNumberHaveTheirOwnScales) {
  std::vector<int8_t> codes(20, 9);
  EXPECT_EQ(QuantizeRow(std::vector<float>(20, 0.0F), codes), 0.0F);
  EXPECT_EQ(codes, std::vector<int8_t>(20, 0));
  EXPECT_EQ(QuantizeRow(std::vector<float>(20, 1e-40F), codes), 0.0F);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    for (const size_t at : {0U, 7U, 19U}) {
      std::vector<float> row(20, 1.0F);
      row[at] = bad;
      EXPECT_TRUE(std::isnan(QuantizeRow(row, codes)));
    }
  }
}

TEST_P(Int8MatMulTest, SumsOfCodesAreExactForEveryRaggedShape) {
  ThreadPool pool(2);
  constexpr int64_t kShapes[][2] = {{16, 128}, {1, 1},     {3, 5},    {17, 127},
                                    {40, 130}, {200, 771}, {131, 64}, {300, 3}};
  for (const auto& [rows, cols] : kShapes) {
    const Int8Weight weight = Quantized(RandomActivations(rows, cols, 1));
    for (const int64_t m : {0, 1, 2, 3, 4, 7, 13, 50, 97}) {
      const Matrix<float> x = RandomActivations(m, cols, 2);
      const Matrix<float> out = Product(pool, weight.packed, x.view());
      for (int64_t t = 0; t < m; ++t) {
        const ReferenceRow row = Reference(x.view()[t]);
        for (int64_t r = 0; r < rows; ++r) {
          int64_t sum = 0;
          for (int64_t c = 0; c < cols; ++c) {
            sum +=
                row.codes[static_cast<size_t>(c)] * weight.codes[static_cast<size_t>(r * cols + c)];
          }
          const float expected =
              static_cast<float>(sum) * (row.scale * weight.scales[static_cast<size_t>(r)]);
          ASSERT_EQ(out[t][static_cast<size_t>(r)], expected)
              << rows << "x" << cols << " m " << m << " token " << t << " row " << r;
        }
      }
    }
  }
}

TEST_P(Int8MatMulTest, ExtremeCodesOfALongRowDoNotOverflow) {
  ThreadPool pool(1);
  constexpr int64_t kCols = 18432;  // the widest of DeepSeek-V3
  Matrix<float> rows(2, kCols);
  std::fill_n(rows.data(), kCols, 1.0F);
  std::fill_n(rows.data() + kCols, kCols, -1.0F);
  const Int8Weight weight = Quantized(rows);
  const Matrix<float> out = Product(pool, weight.packed, rows.view());
  // 18432 * 127 * 127 / 127 / 127, up to the rounding of the scales.
  EXPECT_NEAR(out[0][0], kCols, 0.01);
  EXPECT_NEAR(out[0][1], -kCols, 0.01);
  EXPECT_NEAR(out[1][1], kCols, 0.01);
}

TEST_P(Int8MatMulTest, ARowThatIsNoNumberMakesItsOutputsNoNumbersAndNoOthers) {
  ThreadPool pool(1);
  const Int8Weight weight = Quantized(RandomActivations(20, 64, 1));
  Matrix<float> x = RandomActivations(5, 64, 2);
  x[2][17] = std::nanf("");
  const Matrix<float> out = Product(pool, weight.packed, x.view());
  for (int64_t t = 0; t < 5; ++t) {
    for (const float value : out[t]) EXPECT_EQ(std::isnan(value), t == 2);
  }
}

TEST_P(Int8MatMulTest, MixedListsGiveTheBitsOfEachAlone) {
  ThreadPool pool(2);
  const Int8Weight first = Quantized(RandomActivations(70, 200, 1));
  const Int8Weight second = Quantized(RandomActivations(33, 200, 2));
  const OwnedWeight stored = RandomWeight(DType::kBF16, 40, 200, 3);
  const PackedMatrix floats = PackedMatrix::FromRows(stored.stored, 0, 40);
  const Matrix<float> x = RandomActivations(9, 200, 4);
  const Matrix<float> other = RandomActivations(4, 200, 5);
  const PackedMatrix* weights[] = {&first.packed, &second.packed, &floats, &first.packed};
  const Matrix<float>* inputs[] = {&x, &x, &x, &other};
  std::vector<Matrix<float>> outs;
  std::vector<MatMulTask> tasks;
  outs.reserve(4);
  for (size_t i = 0; i < 4; ++i) {
    outs.emplace_back(inputs[i]->rows(), weights[i]->rows());
    tasks.push_back({inputs[i]->view(), weights[i], outs[i].view()});
  }
  RunMatMul({.pool = &pool}, tasks);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(SameBits(outs[i].view(), Product(pool, *weights[i], inputs[i]->view()).view()))
        << "task " << i;
  }
}

TEST(PackedInt8, ARowComesBackAsItsCodesTimesItsScale) {
  const Int8Weight weight = Quantized(RandomActivations(37, 101, 6));
  std::vector<float> row(101);
  for (int64_t r = 0; r < 37; ++r) {
    weight.packed.CopyRow(r, row);
    for (size_t c = 0; c < row.size(); ++c) {
      EXPECT_EQ(row[c], static_cast<float>(weight.codes[static_cast<size_t>(r) * 101 + c]) *
                            weight.scales[static_cast<size_t>(r)]);
    }
  }
}

FATHOM_TEST_ON_EVERY_ISA(Int8MatMulTest);

}  // namespace
}  // namespace fathom
