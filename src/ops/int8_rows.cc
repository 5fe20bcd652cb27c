#include "ops/int8_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "base/check.h"
#include "base/math.h"
#include "ops/compute.h"
#include "ops/mat_mul.h"
#include "ops/packed_matrix.h"
#include "ops/profile.h"
#include "ops/row_loop.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

// Loops over so many values at once: with a count the compiler knows it takes vectors.
constexpr int64_t kLanes = 16;
constexpr int64_t kQuad = PackedMatrix::kInt8Columns;

// The largest magnitude as its bits, which are in the order of the magnitudes: those of infinities
// and NaNs come last.
uint32_t LargestBits(const float* row, int64_t count) {
  uint32_t largest[kLanes] = {};
  const auto take = [&largest](const float* x) {
    uint32_t bits[kLanes];
    std::memcpy(bits, x, sizeof(bits));
    for (int64_t i = 0; i < kLanes; ++i) {
      largest[i] = std::max(largest[i], bits[i] & 0x7FFFFFFFU);
    }
  };
  int64_t c = 0;
  for (; c + kLanes <= count; c += kLanes) take(row + c);
  float rest[kLanes] = {};
  std::copy(row + c, row + count, rest);
  take(rest);
  return *std::max_element(largest, largest + kLanes);
}

// The sum with 1.5 * 2^23 has the value rounded to nearest even in its low bits.
template <typename Code, int kOffset>
void RoundLanes(const float* x, float inverse, Code* codes) {
  constexpr float kMagic = 12582912;
  constexpr int32_t kMagicBits = 0x4B400000;
  float sums[kLanes];
  for (int64_t i = 0; i < kLanes; ++i) sums[i] = x[i] * inverse + kMagic;
  int32_t bits[kLanes];
  std::memcpy(bits, sums, sizeof(bits));
  for (int64_t i = 0; i < kLanes; ++i) {
    codes[i] = static_cast<Code>(bits[i] - kMagicBits + kOffset);
  }
}

// Codes are written up to `padded`, those past `count` as zero. Returns the scale.
template <typename Code, int kOffset>
float QuantizeTo(const float* row, int64_t count, int64_t padded, Code* codes) {
  // Where 127 / largest would be infinite there is nothing to tell from zero.
  constexpr float kSmallest = 0x1p-100F;
  constexpr uint32_t kInfinityBits = 0x7F800000;
  const uint32_t bits = LargestBits(row, count);
  float largest = 0;
  std::memcpy(&largest, &bits, sizeof(largest));
  if (bits >= kInfinityBits || largest < kSmallest) {
    std::fill_n(codes, padded, static_cast<Code>(kOffset));
    return bits >= kInfinityBits ? std::numeric_limits<float>::quiet_NaN() : 0;
  }
  const float inverse = 127 / largest;
  int64_t c = 0;
  for (; c + kLanes <= count; c += kLanes) RoundLanes<Code, kOffset>(row + c, inverse, codes + c);
  float rest[kLanes] = {};
  Code last[kLanes];
  std::copy(row + c, row + count, rest);
  RoundLanes<Code, kOffset>(rest, inverse, last);
  std::copy(last, last + (padded - c), codes + c);
  return largest / 127;
}

int64_t PaddedCols(int64_t cols) { return CeilDiv(cols, kQuad) * kQuad; }

}  // namespace

float QuantizeRow(std::span<const float> row, std::span<int8_t> codes) {
  FATHOM_CHECK(row.size() == codes.size());
  const auto count = static_cast<int64_t>(row.size());
  return QuantizeTo<int8_t, 0>(row.data(), count, count, codes.data());
}

void Int8Rows::Quantize(const Compute& compute, Int8Form form, std::span<const MatMulTask> tasks) {
  const int64_t code_bytes = form == Int8Form::kWide ? 2 : 1;
  starts_.assign(tasks.size(), {});
  own_.clear();
  int64_t rows = 0;
  int64_t bytes = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const MatView<const float>& x = tasks[i].x;
    if (tasks[i].weight->dtype() != DType::kI8) continue;
    if (!own_.empty() && tasks[own_.back()].x.data() == x.data() &&
        tasks[own_.back()].x.rows() == x.rows() && tasks[own_.back()].x.cols() == x.cols()) {
      starts_[i] = starts_[own_.back()];
      continue;
    }
    own_.push_back(i);
    starts_[i] = {rows, bytes, PaddedCols(x.cols()) * code_bytes};
    rows += x.rows();
    bytes += x.rows() * starts_[i].stride;
  }
  if (rows == 0) return;
  if (static_cast<int64_t>(codes_.size()) < bytes) codes_.resize(static_cast<size_t>(bytes));
  if (static_cast<int64_t>(scales_.size()) < rows) scales_.resize(static_cast<size_t>(rows));
  CountValues(compute, (bytes / code_bytes * (4 + code_bytes)) / 4);

  const auto quantize = [&](const MatView<const float>& x, const Start& start, int64_t r) {
    std::byte* to = codes_.data() + start.first_byte + r * start.stride;
    float& scale = scales_[static_cast<size_t>(start.first_row + r)];
    const int64_t padded = PaddedCols(x.cols());
    scale = form == Int8Form::kWide ? QuantizeTo<int16_t, 0>(x.RowPtr(r), x.cols(), padded,
                                                             reinterpret_cast<int16_t*>(to))
                                    : QuantizeTo<uint8_t, 128>(x.RowPtr(r), x.cols(), padded,
                                                               reinterpret_cast<uint8_t*>(to));
  };
  ForEachRow(compute, rows, bytes / rows, [&](int64_t row) {
    const auto after = std::upper_bound(own_.begin(), own_.end(), row, [&](int64_t r, size_t task) {
      return r < starts_[task].first_row;
    });
    const size_t task = *(after - 1);
    quantize(tasks[task].x, starts_[task], row - starts_[task].first_row);
  });
}

int64_t Int8Rows::TaskBytes(int64_t tasks) {
  return tasks * static_cast<int64_t>(sizeof(Start) + sizeof(size_t));
}

int64_t Int8Rows::Bytes(int64_t rows, int64_t cols) {
  return rows * (2 * PaddedCols(cols) + static_cast<int64_t>(sizeof(float)));
}

}  // namespace fathom
