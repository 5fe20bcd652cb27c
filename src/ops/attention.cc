#include "ops/attention.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/math.h"
#include "base/thread_pool.h"
#include "ops/attention_kernel.h"
#include "ops/compute.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

AttentionKernels KernelsFor(Isa isa) {
#if defined(FATHOM_X86_KERNELS)
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

int64_t TilesOf(const AttentionTask& task) { return CeilDiv(task.q.rows(), kHeadTile); }

// A long context is cut into splits that start from a fresh state and are merged in order. Their
// length depends on the context alone: at least kSplitRows, and more where that would make more
// than kMaxSplits.
constexpr int64_t kSplitRows = 512;
constexpr int64_t kMaxSplits = 16;
int64_t SplitRows(int64_t context) {
  const int64_t rows = std::max(kSplitRows, CeilDiv(context, kMaxSplits));
  return CeilDiv(rows, kAttentionStep) * kAttentionStep;
}
int64_t SplitsOf(const AttentionTask& task) {
  return CeilDiv(task.context, SplitRows(task.context));
}

// Heads of one tile over one split of the context.
AttentionPiece PieceOf(const AttentionTask& task, int64_t tile, int64_t split, float scale) {
  const int64_t head = tile * kHeadTile;
  const int64_t rows = SplitRows(task.context);
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
          .first = split * rows,
          .end = std::min(task.context, (split + 1) * rows)};
}

int64_t ScratchFloats(int64_t key_dim, int64_t value_dim) {
  return PadToLanes(AttentionScratchFloats(key_dim, value_dim));
}
int64_t StateFloats(int64_t value_dim) { return kHeadTile * (2 + PadToLanes(value_dim)); }

// One call of Attention: its kernels, and the memory its items share.
class AttentionRun {
 public:
  AttentionRun(const AttentionKernels& kernels, ThreadPool& pool, float scale,
               std::span<const AttentionTask> tasks, AttentionBuffers& buffers)
      : kernels_(kernels), pool_(pool), scale_(scale), tasks_(tasks), buffers_(buffers) {
    int64_t scratch_floats = 0;
    buffers_.tile_ends.clear();
    buffers_.tile_ends.reserve(tasks.size());
    for (const AttentionTask& task : tasks) {
      CheckTask(task);
      tiles_ += TilesOf(task);
      buffers_.tile_ends.push_back(tiles_);
      most_splits_ = std::max(most_splits_, SplitsOf(task));
      scratch_floats = std::max(scratch_floats, ScratchFloats(task.q.cols(), task.out.cols()));
      state_floats_ = std::max(state_floats_, StateFloats(task.out.cols()));
    }
    buffers_.scratch.Resize(pool.threads(), scratch_floats);
  }

  // A tile is one item of work where there are tiles enough for all threads; the splits of long
  // contexts become items where there are not. The sums are the same.
  void Run() {
    if (tiles_ >= pool_.threads() || most_splits_ == 1) {
      RunTiles();
    } else {
      RunSplits();
    }
  }

 private:
  struct Place {
    const AttentionTask& task;
    int64_t tile;
  };
  Place TileAt(int64_t item) const {
    const auto end = std::ranges::upper_bound(buffers_.tile_ends, item);
    const AttentionTask& task = tasks_[static_cast<size_t>(end - buffers_.tile_ends.begin())];
    return {task, TilesOf(task) - (*end - item)};
  }

  AttentionState StateAt(int64_t index) const {
    float* state = buffers_.states[index].data();
    return {.highest = state, .weight = state + kHeadTile, .sums = state + 2 * kHeadTile};
  }

  void RunSplit(const Place& place, int64_t split, int thread, const AttentionState& state) const {
    kernels_.run(PieceOf(place.task, place.tile, split, scale_), buffers_.scratch[thread].data(),
                 state);
  }

  void Finish(const Place& place, const AttentionState& state) const {
    const MatView<float>& out = place.task.out;
    const int64_t head = place.tile * kHeadTile;
    kernels_.finish(state, std::min(kHeadTile, out.rows() - head), out.cols(), out.RowPtr(head),
                    out.stride());
  }

  void RunTiles() {
    buffers_.states.Resize(2 * pool_.threads(), state_floats_);
    pool_.ParallelFor(tiles_, [&](int64_t item, int thread) {
      const Place place = TileAt(item);
      const AttentionState state = StateAt(2 * thread);
      const AttentionState next = StateAt(2 * thread + 1);
      RunSplit(place, 0, thread, state);
      for (int64_t split = 1; split < SplitsOf(place.task); ++split) {
        RunSplit(place, split, thread, next);
        kernels_.merge(next, place.task.out.cols(), state);
      }
      Finish(place, state);
    });
  }

  void RunSplits() {
    buffers_.states.Resize(tiles_ * most_splits_, state_floats_);
    pool_.ParallelFor(tiles_ * most_splits_, [&](int64_t item, int thread) {
      const Place place = TileAt(item / most_splits_);
      const int64_t split = item % most_splits_;
      if (split < SplitsOf(place.task)) RunSplit(place, split, thread, StateAt(item));
    });
    pool_.ParallelFor(tiles_, [&](int64_t item, int /*thread*/) {
      const Place place = TileAt(item);
      const AttentionState state = StateAt(item * most_splits_);
      for (int64_t split = 1; split < SplitsOf(place.task); ++split) {
        kernels_.merge(StateAt(item * most_splits_ + split), place.task.out.cols(), state);
      }
      Finish(place, state);
    });
  }

  const AttentionKernels& kernels_;
  ThreadPool& pool_;
  float scale_;
  std::span<const AttentionTask> tasks_;
  int64_t tiles_ = 0;
  int64_t most_splits_ = 1;
  int64_t state_floats_ = 0;  // a state
  AttentionBuffers& buffers_;
};

}  // namespace

int64_t AttentionBufferBytes(int64_t threads, int64_t key_dim, int64_t value_dim) {
  const int64_t floats = ScratchFloats(key_dim, value_dim) + kMaxSplits * StateFloats(value_dim);
  return threads * floats * static_cast<int64_t>(sizeof(float));
}

void Attention(const Compute& compute, float scale, std::span<const AttentionTask> tasks,
               AttentionBuffers& buffers) {
  AttentionWith(KernelsFor(compute.isa), compute, scale, tasks, buffers);
}

void AttentionWith(const AttentionKernels& kernels, const Compute& compute, float scale,
                   std::span<const AttentionTask> tasks, AttentionBuffers& buffers) {
  AttentionRun(kernels, *compute.pool, scale, tasks, buffers).Run();
}

}  // namespace fathom
