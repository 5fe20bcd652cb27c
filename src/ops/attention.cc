#include "ops/attention.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "ops/attention_kernel.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

AttentionKernels KernelsFor(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) return AttentionKernelsAvx2();
  if (isa == Isa::kAvx512) return AttentionKernelsAvx512();
#endif
  FATHOM_CHECK(isa == Isa::kPortable);
  return AttentionKernelsPortable();
}

void CheckTask(const AttentionTask& task) {
  const KvRows& kv = task.kv;
  FATHOM_CHECK(task.q.rows() == task.out.rows() && task.context >= 1);
  FATHOM_CHECK(kv.dtype == DType::kF32 || kv.dtype == DType::kBF16);
  FATHOM_CHECK(task.key_offset >= 0 && task.key_offset + task.q.cols() <= kv.row_width);
  FATHOM_CHECK(task.value_offset >= 0 && task.value_offset + task.out.cols() <= kv.row_width);
  FATHOM_CHECK(static_cast<int64_t>(kv.blocks.size()) * kv.block_tokens >= task.context);
}

int64_t TilesOf(const AttentionTask& task) { return (task.q.rows() + kHeadTile - 1) / kHeadTile; }

// Heads of one tile over all rows of the context.
AttentionPiece WholeTile(const AttentionTask& task, int64_t tile, float scale) {
  const int64_t head = tile * kHeadTile;
  return {.q = task.q.RowPtr(head),
          .q_stride = task.q.stride(),
          .heads = std::min(kHeadTile, task.q.rows() - head),
          .key_dim = task.q.cols(),
          .value_dim = task.out.cols(),
          .scale = scale,
          .base = task.kv.base,
          .dtype = task.kv.dtype,
          .row_width = task.kv.row_width,
          .block_tokens = task.kv.block_tokens,
          .blocks = task.kv.blocks.data(),
          .key_offset = task.key_offset,
          .value_offset = task.value_offset,
          .first = 0,
          .end = task.context};
}

int64_t StateFloats(int64_t value_dim) { return kHeadTile * (2 + PadToLanes(value_dim)); }

AttentionState StateAt(float* memory) {
  return {.highest = memory, .weight = memory + kHeadTile, .sums = memory + 2 * kHeadTile};
}

// Split by split, each merged into the first: what a run of the splits on several threads does.
void RunTile(const AttentionKernels& kernels, AttentionPiece piece, float* memory) {
  const AttentionState state = StateAt(memory);
  const AttentionState next = StateAt(memory + StateFloats(piece.value_dim));
  float* scratch = memory + 2 * StateFloats(piece.value_dim);
  const int64_t end = piece.end;
  for (; piece.first < end; piece.first += kAttentionSplit) {
    piece.end = std::min(end, piece.first + kAttentionSplit);
    kernels.run(piece, scratch, piece.first == 0 ? state : next);
    if (piece.first > 0) kernels.merge(next, piece.value_dim, state);
  }
}

int64_t TileFloats(std::span<const AttentionTask> tasks) {
  int64_t most = 0;
  for (const AttentionTask& task : tasks) {
    const int64_t scratch = AttentionScratchFloats(task.q.cols(), task.out.cols());
    most = std::max(most, PadToLanes(scratch) + 2 * StateFloats(task.out.cols()));
  }
  return most;
}

}  // namespace

void Attention(const Compute& compute, float scale, std::span<const AttentionTask> tasks) {
  AttentionWith(KernelsFor(compute.isa), compute, scale, tasks);
}

void AttentionWith(const AttentionKernels& kernels, const Compute& compute, float scale,
                   std::span<const AttentionTask> tasks) {
  int64_t items = 0;
  for (const AttentionTask& task : tasks) {
    CheckTask(task);
    items += TilesOf(task);
  }
  const int64_t floats = TileFloats(tasks);
  const AlignedBuffer<float> memory(floats * compute.pool->threads());
  compute.pool->ParallelFor(items, [&](int64_t item, int thread) {
    size_t i = 0;
    while (item >= TilesOf(tasks[i])) item -= TilesOf(tasks[i++]);
    const AttentionTask& task = tasks[i];
    const AttentionPiece piece = WholeTile(task, item, scale);
    float* mine = memory.data() + thread * floats;
    RunTile(kernels, piece, mine);
    kernels.finish(StateAt(mine), piece.heads, piece.value_dim,
                   task.out.RowPtr(item * kHeadTile), task.out.stride());
  });
}

}  // namespace fathom
