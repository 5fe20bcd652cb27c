#include "weights/weight_reader.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/math.h"
#include "base/progress.h"
#include "base/result.h"
#include "ops/compute.h"
#include "ops/int8_rows.h"
#include "ops/packed_matrix.h"
#include "spec/weight_format.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "tensor/non_finite.h"
#include "weights/checkpoint.h"

namespace fathom {
namespace {

// One read: large enough that a disk streams, small enough that a buffer a thread does not count.
constexpr int64_t kStripBytes = int64_t{2} << 20;

// The first error of several threads; once there is one, the others may stop.
class FirstError {
 public:
  void Record(Status status) {
    if (status.ok()) return;
    const std::lock_guard lock(mutex_);
    if (!met_) status_ = std::move(status);
    met_ = true;
  }
  bool met() const { return met_; }
  Status status() const { return status_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> met_ = false;
  Status status_;
};

}  // namespace

void WeightReader::Vector(const std::string& name, std::vector<float>& out) {
  small_.push_back({&Find(name), &out});
}

void WeightReader::Matrix(const std::string& name, PackedMatrix& out) {
  AddWeight(name).out = &out;
}

void WeightReader::Linear(const std::string& name, PackedMatrix& out) {
  Weight& weight = AddWeight(name);
  weight.out = &out;
  weight.loaded = LoadedType(format_, WeightUse::kLinear, weight.tensor->dtype);
}

void WeightReader::LatentHeads(const std::string& name, int64_t nope, std::span<PackedMatrix> w_uk,
                               std::span<PackedMatrix> w_uv) {
  Weight& weight = AddWeight(name);
  weight.loaded = LoadedType(format_, WeightUse::kLatentHeads, weight.tensor->dtype);
  weight.nope = nope;
  weight.w_uk = w_uk;
  weight.w_uv = w_uv;
}

const TensorInfo& WeightReader::Find(const std::string& name) const {
  const TensorInfo* tensor = checkpoint_.Find(name);
  FATHOM_CHECK(tensor != nullptr);
  return *tensor;
}

WeightReader::Weight& WeightReader::AddWeight(const std::string& name) {
  Weight& weight = weights_.emplace_back();
  weight.tensor = &Find(name);
  weight.loaded = weight.tensor->dtype;
  if (weight.tensor->dtype == DType::kF8E4M3) {
    small_.push_back({&Find(name + "_scale_inv"), &weight.scales});
  }
  return weight;
}

Status WeightReader::Run(const Compute& compute, Progress& progress) {
  FATHOM_OK(ReadAllSmall(compute));
  for (Weight& weight : weights_) {
    if (weight.out == nullptr) {
      AddHeadStrips(weight);
      continue;
    }
    *weight.out = EmptyMatrix(weight);
    AddRowStrips(weight);
  }
  std::sort(strips_.begin(), strips_.end(), [](const Strip& a, const Strip& b) {
    const auto place = [](const Strip& strip) {
      const TensorInfo& tensor = *strip.weight->tensor;
      return std::tuple(tensor.file, tensor.offset, strip.first_row, strip.head);
    };
    return place(a) < place(b);
  });
  return ReadAllStrips(compute, progress);
}

PackedMatrix WeightReader::EmptyMatrix(const Weight& weight) const {
  if (weight.loaded == DType::kI8) return PackedMatrix::Int8(weight.rows(), weight.cols());
  if (weight.loaded != weight.tensor->dtype) {
    return PackedMatrix(weight.loaded, weight.rows(), weight.cols());
  }
  return PackedMatrix(weight.loaded, weight.rows(), weight.cols(), weight.scales, block_.rows,
                      block_.cols);
}

Status WeightReader::ReadAllSmall(const Compute& compute) const {
  FirstError error;
  compute.pool->ParallelFor(static_cast<int64_t>(small_.size()), [&](int64_t i, int) {
    if (!error.met()) error.Record(ReadSmall(small_[static_cast<size_t>(i)]));
  });
  return error.status();
}

Status WeightReader::ReadSmall(const SmallTensor& small) const {
  const TensorInfo& tensor = *small.tensor;
  std::vector<std::byte> codes(static_cast<size_t>(tensor.bytes));
  FATHOM_OK(Read(tensor, 0, codes));
  small.out->resize(codes.size() / static_cast<size_t>(DTypeBytes(tensor.dtype)));
  ToFloats(tensor.dtype, codes, *small.out);
  return Ok();
}

// Reads and checks part of a tensor.
Status WeightReader::Read(const TensorInfo& tensor, int64_t first_byte,
                          std::span<std::byte> codes) const {
  FATHOM_OK(checkpoint_.Read(tensor, first_byte, codes));
  const std::optional<int64_t> bad = FindNonFinite(tensor.dtype, codes);
  if (!bad) return Ok();
  const int64_t element = first_byte / DTypeBytes(tensor.dtype) + *bad;
  const int64_t cols = tensor.shape.back();
  std::vector<int64_t> place = {element / cols, element % cols};
  if (tensor.shape.size() == 1) place = {element};
  const auto bytes = static_cast<size_t>(DTypeBytes(tensor.dtype));
  float value = 0;
  ToFloats(tensor.dtype, codes.subspan(static_cast<size_t>(*bad) * bytes, bytes), {&value, 1});
  return BadInput(Format("element {} of {} {} is {}, not a finite number", ShapeString(place),
                         DTypeName(tensor.dtype), ShapeString(tensor.shape), value),
                  checkpoint_.PathOf(checkpoint_.FileOf(tensor)) + ": " + tensor.name,
                  "the file is damaged or was converted wrongly; fetch or convert it again");
}

void WeightReader::AddRowStrips(const Weight& weight) {
  constexpr int64_t kPanel = PackedMatrix::kPanelRows;
  const int64_t panels = std::max<int64_t>(1, kStripBytes / (weight.row_bytes() * kPanel));
  const int64_t step = panels * kPanel;
  for (int64_t row = 0; row < weight.rows(); row += step) {
    strips_.push_back({&weight, row, std::min(step, weight.rows() - row), 0});
  }
}

// A head's rows; with scales from the begin of the block they start in, so that the scales of the
// strip are whole blocks.
void WeightReader::AddHeadStrips(const Weight& weight) {
  const int64_t head_rows = weight.rows() / static_cast<int64_t>(weight.w_uk.size());
  const int64_t align = weight.scales.empty() ? 1 : block_.rows;
  for (size_t head = 0; head < weight.w_uk.size(); ++head) {
    const int64_t begin = static_cast<int64_t>(head) * head_rows;
    const int64_t first = begin - begin % align;
    strips_.push_back({&weight, first, begin + head_rows - first, head});
  }
}

Status WeightReader::ReadAllStrips(const Compute& compute, Progress& progress) const {
  int64_t total_bytes = 0;
  for (const Strip& strip : strips_) total_bytes += strip.bytes();
  FirstError error;
  std::vector<Buffers> buffers(static_cast<size_t>(compute.pool->threads()));
  progress.Begin(1, 1, "reading weights", total_bytes);
  compute.pool->ParallelFor(static_cast<int64_t>(strips_.size()), [&](int64_t i, int thread) {
    if (error.met()) return;
    const Strip& strip = strips_[static_cast<size_t>(i)];
    Status read = ReadStrip(strip, buffers[static_cast<size_t>(thread)]);
    if (read.ok()) progress.Advance(strip.bytes());
    error.Record(std::move(read));
  });
  progress.End();
  return error.status();
}

Status WeightReader::ReadStrip(const Strip& strip, Buffers& buffers) const {
  const Weight& weight = *strip.weight;
  buffers.stored.resize(static_cast<size_t>(strip.bytes()));
  FATHOM_OK(Read(*weight.tensor, strip.first_row * weight.row_bytes(), buffers.stored));
  if (weight.out == nullptr) {
    PackHead(strip, buffers);
  } else if (weight.loaded == weight.tensor->dtype) {
    weight.out->PackRows(strip.first_row, buffers.stored);
  } else {
    PackConverted(strip, buffers);
  }
  return Ok();
}

void WeightReader::PackConverted(const Strip& strip, Buffers& buffers) const {
  const Weight& weight = *strip.weight;
  const auto cols = static_cast<size_t>(weight.cols());
  const auto rows = static_cast<size_t>(strip.rows);
  if (weight.loaded == DType::kI8) {
    buffers.int8.resize(rows * cols);
    buffers.scales.resize(rows);
    for (size_t r = 0; r < rows; ++r) {
      buffers.scales[r] = QuantizeRow(DecodeRow(strip, static_cast<int64_t>(r), buffers),
                                      std::span(buffers.int8).subspan(r * cols, cols));
    }
    return weight.out->PackInt8Rows(strip.first_row, buffers.int8, buffers.scales);
  }
  weight.out->PackRows(strip.first_row, ToBf16Rows(strip, buffers));
}

std::span<const std::byte> WeightReader::ToBf16Rows(const Strip& strip, Buffers& buffers) const {
  FATHOM_CHECK(strip.weight->loaded == DType::kBF16);
  buffers.bf16.clear();
  for (int64_t r = 0; r < strip.rows; ++r) {
    for (const float value : DecodeRow(strip, r, buffers)) buffers.bf16.push_back(ToBf16(value));
  }
  return std::as_bytes(std::span(buffers.bf16));
}

// A row of the strip in float32, scales applied; valid until the next.
std::span<const float> WeightReader::DecodeRow(const Strip& strip, int64_t row,
                                               Buffers& buffers) const {
  const Weight& weight = *strip.weight;
  const auto row_bytes = static_cast<size_t>(weight.row_bytes());
  buffers.row.resize(static_cast<size_t>(weight.cols()));
  ToFloats(weight.tensor->dtype,
           std::span<const std::byte>(buffers.stored)
               .subspan(static_cast<size_t>(row) * row_bytes, row_bytes),
           buffers.row);
  if (weight.scales.empty()) return buffers.row;
  const int64_t scales_a_row = CeilDiv(weight.cols(), block_.cols);
  const float* scales = weight.scales.data() + (strip.first_row + row) / block_.rows * scales_a_row;
  for (int64_t c = 0; c < weight.cols(); c += block_.cols, ++scales) {
    const int64_t end = std::min(weight.cols(), c + block_.cols);
    for (int64_t i = c; i < end; ++i) buffers.row[static_cast<size_t>(i)] *= *scales;
  }
  return buffers.row;
}

void WeightReader::PackHead(const Strip& strip, Buffers& buffers) const {
  const Weight& weight = *strip.weight;
  const bool converted = weight.loaded != weight.tensor->dtype;
  StoredWeight stored{.dtype = weight.loaded,
                      .rows = strip.rows,
                      .cols = weight.cols(),
                      .codes = converted ? ToBf16Rows(strip, buffers) : buffers.stored,
                      .scales = {},
                      .block_rows = block_.rows,
                      .block_cols = block_.cols};
  if (!converted && !weight.scales.empty()) {
    const int64_t scales_a_row = CeilDiv(weight.cols(), block_.cols);
    const int64_t first = strip.first_row / block_.rows * scales_a_row;
    const int64_t count = CeilDiv(strip.rows, block_.rows) * scales_a_row;
    stored.scales =
        std::span(weight.scales).subspan(static_cast<size_t>(first), static_cast<size_t>(count));
  }
  const int64_t head_rows = weight.rows() / static_cast<int64_t>(weight.w_uk.size());
  const int64_t key = strip.rows - head_rows;
  const int64_t value = key + weight.nope;
  weight.w_uk[strip.head] = PackedMatrix::FromRowsTransposed(stored, key, weight.nope);
  weight.w_uv[strip.head] = PackedMatrix::FromRows(stored, value, strip.rows - value);
}

}  // namespace fathom
