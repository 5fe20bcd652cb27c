#include "model/kv_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.h"
#include "ops/attention.h"
#include "spec/model_config.h"
#include "spec/summary.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

int64_t CachedLayers(const ModelConfig& config, bool mtp) {
  return config.layers + (mtp ? config.mtp_layers : 0);
}

}  // namespace

KvCache::KvCache(const ModelConfig& config, bool mtp, DType dtype, int64_t blocks,
                 int64_t block_tokens, int64_t swap_blocks)
    : dtype_(dtype),
      layers_(CachedLayers(config, mtp)),
      blocks_(blocks),
      block_tokens_(block_tokens),
      row_width_(config.KvValuesPerToken()),
      swap_blocks_(swap_blocks) {
  FATHOM_CHECK(dtype == DType::kF32 || dtype == DType::kBF16);
  FATHOM_CHECK(blocks > 0 && block_tokens > 0 && swap_blocks >= 0);
  const int64_t block_bytes = BlockBytes(config, mtp, dtype, block_tokens);
  data_ = AlignedBuffer<std::byte>(block_bytes * blocks);
  swap_ = AlignedBuffer<std::byte>(block_bytes * swap_blocks);
}

int64_t KvCache::BlockBytes(const ModelConfig& config, bool mtp, DType dtype,
                            int64_t block_tokens) {
  return block_tokens * KvBytesPerToken(config, dtype, mtp);
}

std::byte* KvCache::Layer(int64_t layer) const {
  FATHOM_CHECK(layer >= 0 && layer < layers_);
  return data_.data() + layer * blocks_ * block_tokens_ * row_width_ * DTypeBytes(dtype_);
}

std::span<std::byte> KvCache::Block(int64_t layer, int32_t block) const {
  FATHOM_CHECK(block >= 0 && block < blocks_);
  const int64_t bytes = block_tokens_ * row_width_ * DTypeBytes(dtype_);
  return {Layer(layer) + block * bytes, static_cast<size_t>(bytes)};
}

std::span<std::byte> KvCache::SwapBlock(int64_t layer, int32_t block) const {
  FATHOM_CHECK(block >= 0 && block < swap_blocks_);
  const int64_t bytes = block_tokens_ * row_width_ * DTypeBytes(dtype_);
  return {swap_.data() + (layer * swap_blocks_ + block) * bytes, static_cast<size_t>(bytes)};
}

void KvCache::Copy(int32_t from, int32_t to) {
  FATHOM_CHECK(from != to);
  for (int64_t layer = 0; layer < layers_; ++layer) {
    std::ranges::copy(Block(layer, from), Block(layer, to).begin());
  }
}

void KvCache::SwapOut(int32_t from, int32_t to_swap) {
  for (int64_t layer = 0; layer < layers_; ++layer) {
    std::ranges::copy(Block(layer, from), SwapBlock(layer, to_swap).begin());
  }
}

void KvCache::SwapIn(int32_t from_swap, int32_t to) {
  for (int64_t layer = 0; layer < layers_; ++layer) {
    std::ranges::copy(SwapBlock(layer, from_swap), Block(layer, to).begin());
  }
}

void KvCache::Write(int64_t layer, std::span<const int32_t> block_table, int64_t position,
                    int64_t first, std::span<const float> values) {
  const int64_t index = position / block_tokens_;
  FATHOM_CHECK(position >= 0 && index < static_cast<int64_t>(block_table.size()));
  const int64_t block = block_table[static_cast<size_t>(index)];
  FATHOM_CHECK(block >= 0 && block < blocks_);
  FATHOM_CHECK(first >= 0 && first + static_cast<int64_t>(values.size()) <= row_width_);

  const int64_t row = block * block_tokens_ + position % block_tokens_;
  std::byte* out = Layer(layer) + (row * row_width_ + first) * DTypeBytes(dtype_);
  if (dtype_ == DType::kF32) {
    std::memcpy(out, values.data(), values.size_bytes());
    return;
  }
  for (const float value : values) {
    const Bf16 rounded = ToBf16(value);
    std::memcpy(out, &rounded, sizeof(rounded));
    out += sizeof(rounded);
  }
}

KvRows KvCache::Rows(int64_t layer, std::span<const int32_t> block_table) const {
  return {.base = Layer(layer),
          .dtype = dtype_,
          .row_width = row_width_,
          .block_tokens = block_tokens_,
          .blocks = block_table};
}

}  // namespace fathom
