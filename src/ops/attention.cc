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
#include "ops/profile.h"
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

// True when `next` is the same for the next token of the same sequence: one piece can compute both,
// unless their contexts are cut differently.
bool Continues(const AttentionTask& task, const AttentionTask& next) {
  return next.context == task.context + 1 && next.kv.base == task.kv.base &&
         next.kv.blocks.data() == task.kv.blocks.data() && next.q.rows() == task.q.rows() &&
         next.q.cols() == task.q.cols() && next.out.cols() == task.out.cols() &&
         next.key_offset == task.key_offset && next.value_offset == task.value_offset &&
         SplitRows(next.context) == SplitRows(task.context);
}

// How many of the tasks, from the first on, fill a tile together.
int32_t TasksTogether(std::span<const AttentionTask> tasks) {
  const auto most = static_cast<size_t>(std::max<int64_t>(kQueryTile / tasks[0].q.rows(), 1));
  size_t count = 1;
  while (count < std::min(most, tasks.size()) && Continues(tasks[count - 1], tasks[count])) ++count;
  return static_cast<int32_t>(count);
}

// The tasks of a bundle read the same rows.
void CountBundle(const Compute& compute, std::span<const AttentionTask> tasks) {
  const AttentionTask& last = tasks.back();
  const bool inside = last.value_offset < last.key_offset + last.q.cols();
  const int64_t width = last.q.cols() + (inside ? 0 : last.out.cols());
  double operations = 0;
  for (const AttentionTask& task : tasks) {
    operations +=
        2.0 * static_cast<double>(task.q.rows() * task.context * (task.q.cols() + task.out.cols()));
  }
  CountWork(compute, static_cast<double>(last.context * width * DTypeBytes(last.kv.dtype)),
            operations);
}

int64_t ScratchFloats(int64_t key_dim, int64_t value_dim) {
  return PadToLanes(AttentionScratchFloats(key_dim, value_dim));
}
int64_t StateFloats(int64_t value_dim) { return kQueryTile * (2 + PadToLanes(value_dim)); }

// One call of Attention: its kernels, and the memory its items share.
class AttentionRun {
 public:
  AttentionRun(const AttentionKernels& kernels, ThreadPool& pool, float scale,
               std::span<const AttentionTask> tasks, AttentionBuffers& buffers)
      : kernels_(kernels), pool_(pool), scale_(scale), tasks_(tasks), buffers_(buffers) {
    int64_t scratch_floats = 0;
    for (const AttentionTask& task : tasks) {
      CheckTask(task);
      most_splits_ = std::max(most_splits_, SplitsOf(task));
      scratch_floats = std::max(scratch_floats, ScratchFloats(task.q.cols(), task.out.cols()));
      state_floats_ = std::max(state_floats_, StateFloats(task.out.cols()));
    }
    Bundle();
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
  // Queries [query, query + queries) of a bundle's tasks, counted in one row.
  struct Tile {
    std::span<const AttentionTask> tasks;
    int64_t query;
    int64_t queries;

    int64_t heads() const { return tasks[0].q.rows(); }
    const AttentionTask& TaskOf(int64_t i) const {
      return tasks[static_cast<size_t>((query + i) / heads())];
    }
    int64_t HeadOf(int64_t i) const { return (query + i) % heads(); }
  };

  void Bundle() {
    buffers_.bundles.clear();
    buffers_.bundles.reserve(tasks_.size());
    for (size_t i = 0; i < tasks_.size();) {
      const int32_t count = TasksTogether(tasks_.subspan(i));
      tiles_ += CeilDiv(count * tasks_[i].q.rows(), kQueryTile);
      buffers_.bundles.push_back({static_cast<int32_t>(i), count, tiles_});
      i += static_cast<size_t>(count);
    }
  }

  Tile TileAt(int64_t item) const {
    const auto bundle =
        std::ranges::upper_bound(buffers_.bundles, item, {}, &AttentionBundle::tile_end);
    const auto tasks =
        tasks_.subspan(static_cast<size_t>(bundle->task), static_cast<size_t>(bundle->tasks));
    const int64_t queries = bundle->tasks * tasks[0].q.rows();
    const int64_t tiles = CeilDiv(queries, kQueryTile);
    const int64_t query = (tiles - (bundle->tile_end - item)) * kQueryTile;
    return {tasks, query, std::min(kQueryTile, queries - query)};
  }

  AttentionPiece PieceOf(const Tile& tile, int64_t split) const {
    const AttentionTask& task = tile.tasks[0];
    const int64_t context = tile.tasks.back().context;
    const int64_t rows = SplitRows(context);
    AttentionPiece piece = {.queries = tile.queries,
                            .key_dim = task.q.cols(),
                            .value_dim = task.out.cols(),
                            .scale = scale_,
                            .base = task.kv.base,
                            .dtype = task.kv.dtype,
                            .row_width = task.kv.row_width,
                            .block_tokens = task.kv.block_tokens,
                            .blocks = tile.tasks.back().kv.blocks.data(),
                            .key_offset = task.key_offset,
                            .value_offset = task.value_offset,
                            .first = split * rows,
                            .end = std::min(context, (split + 1) * rows)};
    for (int64_t i = 0; i < tile.queries; ++i) {
      piece.q[i] = tile.TaskOf(i).q.RowPtr(tile.HeadOf(i));
      piece.ends[i] = tile.TaskOf(i).context;
    }
    return piece;
  }

  AttentionState StateAt(int64_t index) const {
    float* state = buffers_.states[index].data();
    return {.highest = state, .weight = state + kQueryTile, .sums = state + 2 * kQueryTile};
  }

  void RunSplit(const Tile& tile, int64_t split, int thread, const AttentionState& state) const {
    kernels_.run(PieceOf(tile, split), buffers_.scratch[thread].data(), state);
  }

  void Finish(const Tile& tile, const AttentionState& state) const {
    for (int64_t i = 0; i < tile.queries;) {
      const MatView<float>& out = tile.TaskOf(i).out;
      const int64_t heads = std::min(tile.heads() - tile.HeadOf(i), tile.queries - i);
      const AttentionState of_task = {.highest = state.highest + i,
                                      .weight = state.weight + i,
                                      .sums = state.sums + i * PadToLanes(out.cols())};
      kernels_.finish(of_task, heads, out.cols(), out.RowPtr(tile.HeadOf(i)), out.stride());
      i += heads;
    }
  }

  void RunTiles() {
    buffers_.states.Resize(2 * pool_.threads(), state_floats_);
    pool_.ParallelFor(tiles_, [&](int64_t item, int thread) {
      const Tile tile = TileAt(item);
      const AttentionState state = StateAt(2 * thread);
      const AttentionState next = StateAt(2 * thread + 1);
      RunSplit(tile, 0, thread, state);
      for (int64_t split = 1; split < SplitsOf(tile.tasks.back()); ++split) {
        RunSplit(tile, split, thread, next);
        kernels_.merge(next, tile.tasks[0].out.cols(), state);
      }
      Finish(tile, state);
    });
  }

  void RunSplits() {
    buffers_.states.Resize(tiles_ * most_splits_, state_floats_);
    pool_.ParallelFor(tiles_ * most_splits_, [&](int64_t item, int thread) {
      const Tile tile = TileAt(item / most_splits_);
      const int64_t split = item % most_splits_;
      if (split < SplitsOf(tile.tasks.back())) RunSplit(tile, split, thread, StateAt(item));
    });
    pool_.ParallelFor(tiles_, [&](int64_t item, int /*thread*/) {
      const Tile tile = TileAt(item);
      const AttentionState state = StateAt(item * most_splits_);
      for (int64_t split = 1; split < SplitsOf(tile.tasks.back()); ++split) {
        kernels_.merge(StateAt(item * most_splits_ + split), tile.tasks[0].out.cols(), state);
      }
      Finish(tile, state);
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
  AttentionRun run(kernels, *compute.pool, scale, tasks, buffers);
  for (const AttentionBundle& bundle : buffers.bundles) {
    CountBundle(compute,
                tasks.subspan(static_cast<size_t>(bundle.task), static_cast<size_t>(bundle.tasks)));
  }
  run.Run();
}

}  // namespace fathom
