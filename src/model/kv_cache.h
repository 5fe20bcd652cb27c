#ifndef FATHOM_MODEL_KV_CACHE_H_
#define FATHOM_MODEL_KV_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/attention.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {

// The paged cache: per layer `blocks` blocks of `block_tokens` rows. MLA keeps the latent after its
// norm and the rotated key part (kv_lora_rank + qk_rope_head_dim values); GQA keeps all keys, then
// all values. The MTP layers' rows follow those of the main layers. Blocks belong to whoever the
// scheduler gave them to; the cache does not know.
//
// Beside it `swap_blocks` blocks that only hold what was copied to them: no token is computed with
// them.
class KvCache {
 public:
  // dtype: F32 or BF16. mtp: also room for config.mtp_layers.
  KvCache(const ModelConfig& config, bool mtp, DType dtype, int64_t blocks, int64_t block_tokens,
          int64_t swap_blocks = 0);

  // Bytes of one block over all layers.
  static int64_t BlockBytes(const ModelConfig& config, bool mtp, DType dtype, int64_t block_tokens);

  int64_t blocks() const { return blocks_; }
  int64_t block_tokens() const { return block_tokens_; }
  // Of blocks and swap blocks.
  int64_t bytes() const { return static_cast<int64_t>(data_.size() + swap_.size()); }

  // Stores one token's row: `values` begin at element `first` of it.
  void Write(int64_t layer, std::span<const int32_t> block_table, int64_t position, int64_t first,
             std::span<const float> values);
  // Copies a block, bit for bit and in all layers, over another; to a swap block; from one.
  void Copy(int32_t from, int32_t to);
  void SwapOut(int32_t from, int32_t to_swap);
  void SwapIn(int32_t from_swap, int32_t to);
  // A sequence's rows in one layer, for Attention. `block_table` must outlive the result.
  KvRows Rows(int64_t layer, std::span<const int32_t> block_table) const;

 private:
  std::byte* Layer(int64_t layer) const;  // first row of its block 0
  // The rows of a block in one layer; in data_ and in swap_.
  std::span<std::byte> Block(int64_t layer, int32_t block) const;
  std::span<std::byte> SwapBlock(int64_t layer, int32_t block) const;

  DType dtype_;
  int64_t layers_;
  int64_t blocks_;
  int64_t block_tokens_;
  int64_t row_width_;
  int64_t swap_blocks_;
  AlignedBuffer<std::byte> data_;
  AlignedBuffer<std::byte> swap_;
};

}  // namespace fathom

#endif  // FATHOM_MODEL_KV_CACHE_H_
