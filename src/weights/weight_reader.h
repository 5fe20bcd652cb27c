#ifndef FATHOM_WEIGHTS_WEIGHT_READER_H_
#define FATHOM_WEIGHTS_WEIGHT_READER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "ops/compute.h"
#include "ops/packed_matrix.h"
#include "spec/weight_format.h"
#include "tensor/dtype.h"
#include "weights/checkpoint.h"

namespace fathom {

// Brings tensors of a verified checkpoint into the form operators want. What is wanted is noted
// first; Run then reads everything once, in strips of a few MB over all threads and in the order of
// the files, so that memory holds the packed weights and one strip a thread.
//
// Destinations must stay where they are until Run returns. A name that is not in the checkpoint is
// a bug (CHECK): Checkpoint::Verify comes first.
class WeightReader {
 public:
  explicit WeightReader(const Checkpoint& checkpoint, WeightFormat format = WeightFormat::kAuto)
      : checkpoint_(checkpoint),
        format_(format),
        block_(checkpoint.config().fp8.value_or(ModelConfig::BlockQuantization{})) {}

  // A norm or bias of any float type, as float32.
  void Vector(const std::string& name, std::vector<float>& out);
  // A weight [rows, cols] in its stored width; FP8 takes its scales from `name`_scale_inv.
  void Matrix(const std::string& name, PackedMatrix& out);
  // The same of a linear weight (WeightUse), in the reader's format.
  void Linear(const std::string& name, PackedMatrix& out);
  // kv_b_proj [heads * (nope + v_dim), kv_lora]: a head's first `nope` rows go transposed to
  // w_uk[head], its other rows to w_uv[head]. As many heads as the spans are long.
  void LatentHeads(const std::string& name, int64_t nope, std::span<PackedMatrix> w_uk,
                   std::span<PackedMatrix> w_uv);

  // Errors (first met): reading, and weights or scales that are not finite numbers; each names file
  // and tensor.
  Status Run(const Compute& compute, Progress& progress);

 private:
  struct SmallTensor {
    const TensorInfo* tensor;
    std::vector<float>* out;
  };
  struct Weight {
    const TensorInfo* tensor = nullptr;
    DType loaded = DType::kBF16;
    std::vector<float> scales;  // empty: none
    PackedMatrix* out = nullptr;
    // Of kv_b_proj instead of out:
    int64_t nope = 0;
    std::span<PackedMatrix> w_uk, w_uv;

    int64_t rows() const { return tensor->shape[0]; }
    int64_t cols() const { return tensor->shape[1]; }
    int64_t row_bytes() const { return cols() * DTypeBytes(tensor->dtype); }
  };
  // What a thread reads and converts in.
  struct Buffers {
    std::vector<std::byte> stored;
    std::vector<float> row;
    std::vector<int8_t> int8;
    std::vector<Bf16> bf16;
    std::vector<float> scales;
  };
  // Rows of one weight that are read and packed together.
  struct Strip {
    const Weight* weight;
    int64_t first_row;
    int64_t rows;
    size_t head;  // of kv_b_proj

    int64_t bytes() const { return rows * weight->row_bytes(); }
  };

  const TensorInfo& Find(const std::string& name) const;
  Weight& AddWeight(const std::string& name);
  void AddRowStrips(const Weight& weight);
  void AddHeadStrips(const Weight& weight);

  PackedMatrix EmptyMatrix(const Weight& weight) const;
  Status ReadAllSmall(const Compute& compute) const;
  Status ReadAllStrips(const Compute& compute, Progress& progress) const;
  Status ReadSmall(const SmallTensor& small) const;
  Status ReadStrip(const Strip& strip, Buffers& buffers) const;
  void PackConverted(const Strip& strip, Buffers& buffers) const;
  std::span<const std::byte> ToBf16Rows(const Strip& strip, Buffers& buffers) const;
  std::span<const float> DecodeRow(const Strip& strip, int64_t row, Buffers& buffers) const;
  Status Read(const TensorInfo& tensor, int64_t first_byte, std::span<std::byte> codes) const;
  void PackHead(const Strip& strip, Buffers& buffers) const;

  const Checkpoint& checkpoint_;
  const WeightFormat format_;
  const ModelConfig::BlockQuantization block_;
  std::vector<SmallTensor> small_;
  std::deque<Weight> weights_;  // a deque: SmallTensor and Strip point into it
  std::vector<Strip> strips_;
};

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_WEIGHT_READER_H_
