#ifndef FATHOM_OPS_ATTENTION_H_
#define FATHOM_OPS_ATTENTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/compute.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {

// The cached rows of one sequence in one layer, spread over blocks. Row t (element type `dtype`,
// F32 or BF16, width `row_width`) begins at base + ((blocks[t / block_tokens] * block_tokens + t %
// block_tokens) * row_width) elements.
struct KvRows {
  const std::byte* base = nullptr;
  DType dtype = DType::kF32;
  int64_t row_width = 0;
  int64_t block_tokens = 0;
  std::span<const int32_t> blocks;
};

// Attention of one token's heads that share keys: for MLA all heads (keys: the whole latent row;
// values: its first kv_lora_rank values), for GQA the heads of one group.
//   s[h][t] = scale * dot(q[h], key[t]),  t < context;  out[h] = sum_t softmax(s[h])[t] * value[t]
struct AttentionTask {
  MatView<const float> q;  // [heads, key_dim]
  KvRows kv;
  int64_t key_offset = 0;    // of the key inside a row; key_dim values
  int64_t value_offset = 0;  // of the value inside a row; out.cols() values
  int64_t context = 0;       // rows visible to this token, itself included; >= 1
  MatView<float> out;        // [heads, value_dim]
};

// Tasks [task, task + tasks) of a call, computed together.
struct AttentionBundle {
  int32_t task = 0;
  int32_t tasks = 0;
  int64_t tile_end = 0;  // tiles of this and all bundles before
};

// What the work items of a call keep between them; a caller passes the same again, so that memory
// is asked for only when a call is the largest so far.
struct AttentionBuffers {
  Matrix<float> scratch;  // a row a thread
  Matrix<float> states;   // a row a running softmax
  std::vector<AttentionBundle> bundles;
};

// The most that scratch and states take with so many threads, whatever the contexts and tasks.
int64_t AttentionBufferBytes(int64_t threads, int64_t key_dim, int64_t value_dim);

// Runs all tasks over the pool; of those with few heads the consecutive tokens of a sequence, where
// they follow each other in `tasks`, are computed together. Softmax and sums in float32, over keys
// in order and in steps of a fixed number of rows counted from position 0, so a result depends on
// its own context only (batch-invariant), as long as the rows of a sequence are finite.
void Attention(const Compute& compute, float scale, std::span<const AttentionTask> tasks,
               AttentionBuffers& buffers);

}  // namespace fathom

#endif  // FATHOM_OPS_ATTENTION_H_
