#include "ops/mat_mul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "ops/compute.h"
#include "ops/isa_testing.h"
#include "ops/mat_mul_reference.h"
#include "ops/packed_matrix.h"
#include "ops/weights_testing.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"
#include "tensor/npy_testing.h"
#include "tensor/same_bits_testing.h"

namespace fathom {
namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();

class MatMulTest : public IsaTest {
 protected:
  Matrix<float> Product(ThreadPool& pool, const PackedMatrix& weight, MatView<const float> x,
                        Activations activations = Activations::kFloat32) const {
    Matrix<float> out(x.rows(), weight.rows());
    const MatMulTask task = {.x = x, .weight = &weight, .out = out.view()};
    RunMatMul({.pool = &pool, .activations = activations}, {&task, 1});
    return out;
  }
};

// A sum over cols in segments is at most cols + segments + 1 roundings of half an epsilon deep.
void ExpectClose(const Matrix<float>& out, const ReferenceProduct& reference, int64_t cols) {
  const int64_t roundings = cols + cols / 64 + 3;
  for (size_t i = 0; i < reference.y.size(); ++i) {
    const double tolerance = static_cast<double>(roundings) * kEpsilon / 2 * reference.magnitude[i];
    ASSERT_NEAR(out.data()[i], reference.y[i], tolerance) << "element " << i;
  }
}

struct Shape {
  int64_t rows;
  int64_t cols;
};

constexpr Shape kShapes[] = {{16, 128}, {1, 1},     {3, 5},     {17, 127}, {40, 129},
                             {96, 257}, {200, 384}, {129, 131}, {300, 77}};
constexpr DType kDTypes[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3};

constexpr Activations kModes[] = {Activations::kFloat32, Activations::kBfloat16};

TEST_P(MatMulTest, EveryTypeAndRaggedShapeMatchesTheReference) {
  ThreadPool pool(2);
  for (const DType dtype : kDTypes) {
    for (const Shape& shape : kShapes) {
      const OwnedWeight weight = RandomWeight(dtype, shape.rows, shape.cols, 1);
      const PackedMatrix packed = PackedMatrix::FromRows(weight.stored, 0, shape.rows);
      for (const int64_t m : {1, 4, 23}) {
        for (const Activations mode : kModes) {
          SCOPED_TRACE(testing::Message()
                       << DTypeName(dtype) << " [" << shape.rows << ", " << shape.cols << "] m "
                       << m << " mode " << static_cast<int>(mode));
          const Matrix<float> x =
              RandomActivations(m, shape.cols, 2, mode == Activations::kBfloat16);
          ExpectClose(Product(pool, packed, x.view(), mode),
                      MatMulReference(weight.stored, x.view()), shape.cols);
        }
      }
    }
  }
}

TEST_P(MatMulTest, OneRowHasTheSameBitsForAnyBatchAndThreadCount) {
  for (const DType dtype : kDTypes) {
    for (const Activations mode : kModes) {
      const OwnedWeight weight = RandomWeight(dtype, 203, 395, 3);
      const PackedMatrix packed = PackedMatrix::FromRows(weight.stored, 0, 203);
      const Matrix<float> x = RandomActivations(113, 395, 4, mode == Activations::kBfloat16);
      ThreadPool one(1);
      const Matrix<float> whole = Product(one, packed, x.view(), mode);
      for (const int threads : {1, 2, 3}) {
        ThreadPool pool(threads);
        for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 13, 64, 97, 113}) {
          const int64_t first = 113 - m;
          const Matrix<float> part = Product(pool, packed, x.view().Rows(first, m), mode);
          EXPECT_TRUE(SameBits(part.view(), whole.view().Rows(first, m)))
              << DTypeName(dtype) << " m " << m << " threads " << threads;
        }
      }
    }
  }
}

TEST_P(MatMulTest, AListOfProductsGivesTheBitsOfEachAlone) {
  ThreadPool pool(2);
  std::vector<PackedMatrix> weights;
  std::vector<Matrix<float>> xs;
  std::vector<Matrix<float>> outs;
  for (int i = 0; i < 7; ++i) {
    const DType dtype = kDTypes[i % 4];
    const int64_t rows = 30 + 45 * i;
    weights.push_back(PackedMatrix::FromRows(
        RandomWeight(dtype, rows, 200, static_cast<uint32_t>(i)).stored, 0, rows));
    xs.push_back(RandomActivations(i * 3 % 8, 200, 9));  // task 0 has no token
    outs.emplace_back(i * 3 % 8, rows);
  }
  std::vector<MatMulTask> tasks;
  tasks.reserve(7);
  for (size_t i = 0; i < 7; ++i) {
    tasks.push_back({.x = xs[i].view(), .weight = &weights[i], .out = outs[i].view()});
  }
  RunMatMul({.pool = &pool}, tasks);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_TRUE(SameBits(Product(pool, weights[i], xs[i].view()).view(), outs[i].view()))
        << "task " << i;
  }
}

TEST_P(MatMulTest, WritesOnlyItsColumnsOfAWiderMatrix) {
  ThreadPool pool(1);
  const OwnedWeight weight = RandomWeight(DType::kBF16, 21, 64, 3);
  const PackedMatrix packed = PackedMatrix::FromRows(weight.stored, 0, 21);
  for (const int64_t m : {2, 9}) {
    const Matrix<float> x = RandomActivations(m, 64, 4);
    const Matrix<float> alone = Product(pool, packed, x.view());
    Matrix<float> wide(m, 30);
    std::fill_n(wide.data(), m * 30, -7.0F);
    const MatMulTask task = {.x = x.view(), .weight = &packed, .out = wide.view().Cols(4, 21)};
    RunMatMul({.pool = &pool}, {&task, 1});
    EXPECT_TRUE(SameBits(wide.view().Cols(4, 21), alone.view()));
    for (int64_t r = 0; r < m; ++r) {
      for (const int64_t c : {0, 1, 2, 3, 25, 26, 27, 28, 29})
        EXPECT_EQ(wide.view().RowPtr(r)[c], -7.0F);
    }
  }
}

TEST_P(MatMulTest, GoldenBlockScaledProduct) {
  ThreadPool pool(2);
  const auto codes = ReadGoldenNpy("ops/gemm_w_codes.npy").As<uint8_t>();
  const auto scales = ReadGoldenNpy("ops/gemm_w_scale_inv.npy").As<float>();
  const auto x = ReadGoldenNpy("ops/actquant_x.npy").As<float>();
  const auto y = ReadGoldenNpy("ops/gemm_y_dequant.npy").As<double>();
  const StoredWeight weight = {.dtype = DType::kF8E4M3,
                               .rows = 200,
                               .cols = 384,
                               .codes = std::as_bytes(std::span(codes)),
                               .scales = scales};
  const PackedMatrix packed = PackedMatrix::FromRows(weight, 0, 200);
  const MatView<const float> view(x.data(), 6, 384);
  ReferenceProduct golden = MatMulReference(weight, view);
  golden.y = y;  // the magnitudes are ours, the values are not
  ExpectClose(Product(pool, packed, view), golden, 384);
}

TEST_P(MatMulTest, TransposedCutsWithUnalignedBlocksMatchTheReference) {
  ThreadPool pool(1);
  const OwnedWeight weight = RandomWeight(DType::kF8E4M3, 300, 200, 5);
  for (const int64_t first : {0, 1, 100, 127}) {
    const int64_t count = 170;
    const PackedMatrix turned = PackedMatrix::FromRowsTransposed(weight.stored, first, count);
    const Matrix<float> x = RandomActivations(7, count, 6);
    const Matrix<float> out = Product(pool, turned, x.view());
    for (int64_t t = 0; t < 7; ++t) {
      for (int64_t r = 0; r < 200; ++r) {
        double sum = 0;
        double magnitude = 0;
        for (int64_t c = 0; c < count; ++c) {
          const double term = static_cast<double>(x.view().RowPtr(t)[c]) *
                              StoredElement(weight.stored, first + c, r);
          sum += term;
          magnitude += std::abs(term);
        }
        ASSERT_NEAR(out.view().RowPtr(t)[r], sum, 180 * kEpsilon / 2 * magnitude)
            << first << " " << t << " " << r;
      }
    }
  }
}

FATHOM_TEST_ON_EVERY_ISA(MatMulTest);

}  // namespace
}  // namespace fathom
