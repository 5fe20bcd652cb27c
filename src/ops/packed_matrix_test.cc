#include "ops/packed_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "ops/mat_mul_reference.h"
#include "ops/weights_testing.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

constexpr DType kDTypes[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3};

// decode(code) * scale in float32 is the float64 product rounded once.
void ExpectRows(const PackedMatrix& packed, const StoredWeight& weight, int64_t first,
                bool transposed = false) {
  std::vector<float> row(static_cast<size_t>(packed.cols()));
  for (int64_t r = 0; r < packed.rows(); ++r) {
    packed.CopyRow(r, row);
    for (int64_t c = 0; c < packed.cols(); ++c) {
      const double element =
          transposed ? StoredElement(weight, first + c, r) : StoredElement(weight, first + r, c);
      ASSERT_EQ(row[static_cast<size_t>(c)], static_cast<float>(element)) << r << " " << c;
    }
  }
}

TEST(PackedMatrix, CopyRowGivesStoredElementsBack) {
  for (const DType dtype : kDTypes) {
    for (const int64_t rows : {1, 16, 33}) {
      for (const int64_t cols : {1, 2, 127, 128, 129, 300}) {
        const OwnedWeight weight = RandomWeight(dtype, rows, cols, 1);
        ExpectRows(PackedMatrix::FromRows(weight.stored, 0, rows), weight.stored, 0);
      }
    }
  }
}

TEST(PackedMatrix, CutsAtAnyRowKeepEveryScale) {
  for (const DType dtype : kDTypes) {
    const OwnedWeight weight = RandomWeight(dtype, 300, 200, 2);
    for (const int64_t first : {0, 1, 64, 127, 130}) {
      ExpectRows(PackedMatrix::FromRows(weight.stored, first, 165), weight.stored, first);
      ExpectRows(PackedMatrix::FromRowsTransposed(weight.stored, first, 165), weight.stored, first,
                 true);
    }
  }
}

TEST(PackedMatrix, BlocksOfAnySizeKeepEveryScale) {
  OwnedWeight weight = RandomWeight(DType::kF8E4M3, 50, 70, 3);
  weight.scales.clear();
  for (int i = 1; i <= 10 * 24; ++i) weight.scales.push_back(static_cast<float>(i));
  weight.stored.scales = weight.scales;
  weight.stored.block_rows = 5;
  weight.stored.block_cols = 3;
  ExpectRows(PackedMatrix::FromRows(weight.stored, 7, 40), weight.stored, 7);
  ExpectRows(PackedMatrix::FromRowsTransposed(weight.stored, 7, 40), weight.stored, 7, true);
}

TEST(PackedMatrix, SegmentsEndAtScaleChangesAndMultiplesOf128) {
  const OwnedWeight weight = RandomWeight(DType::kF8E4M3, 300, 16, 4);
  const PackedMatrix turned = PackedMatrix::FromRowsTransposed(weight.stored, 100, 200);
  std::vector<int64_t> ends;
  for (const PackedSegment& segment : turned.segments()) {
    ends.push_back(segment.first_col + segment.cols);
  }
  EXPECT_EQ(ends, (std::vector<int64_t>{28, 128, 156, 200}));
}

TEST(PackedMatrix, RangesMayBePackedInAnyOrderByThreads) {
  const OwnedWeight weight = RandomWeight(DType::kF8E4M3, 155, 140, 5);
  PackedMatrix packed(DType::kF8E4M3, 155, 140, weight.scales);
  ThreadPool pool(3);
  pool.ParallelFor(5, [&](int64_t item, int /*thread*/) {
    const int64_t first = 32 * (4 - item);
    const int64_t count = std::min<int64_t>(32, 155 - first);
    const std::span<const std::byte> codes(weight.codes);
    packed.PackRows(
        first, codes.subspan(static_cast<size_t>(first * 140), static_cast<size_t>(count * 140)));
  });
  ExpectRows(packed, weight.stored, 0);
}

TEST(PackedMatrix, UnalignedCodesArePacked) {
  const OwnedWeight weight = RandomWeight(DType::kF32, 3, 5, 6);
  std::vector<std::byte> shifted(weight.codes.size() + 1);
  std::copy(weight.codes.begin(), weight.codes.end(), shifted.begin() + 1);
  PackedMatrix packed(DType::kF32, 3, 5);
  packed.PackRows(0, std::span<const std::byte>(shifted).subspan(1));
  ExpectRows(packed, weight.stored, 0);
}

// An R1 expert's projection and its kv_b_proj cut at a head: codes as stored and under 1 % more.
TEST(PackedMatrix, HoldsItsWeightsInTheirStoredWidth) {
  const std::vector<float> scales(16 * 56, 0.5F);
  const PackedMatrix expert(DType::kF8E4M3, 2048, 7168, scales);
  EXPECT_LE(expert.bytes(), 2048 * 7168 * 1.01);
  const OwnedWeight kv_b = RandomWeight(DType::kF8E4M3, 1024, 512, 7);
  EXPECT_LE(PackedMatrix::FromRows(kv_b.stored, 128, 128).bytes(), 128 * 512 * 1.02);
  EXPECT_LE(PackedMatrix(DType::kBF16, 2048, 7168).bytes(), 2048 * 7168 * 2 * 1.01);
}

TEST(PackedMatrix, MayBeEmpty) {
  EXPECT_EQ(PackedMatrix(DType::kBF16, 0, 7).panels(), 0);
  EXPECT_EQ(PackedMatrix().bytes(), 0);
}

}  // namespace
}  // namespace fathom
