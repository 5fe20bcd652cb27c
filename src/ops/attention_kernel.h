#ifndef FATHOM_OPS_ATTENTION_KERNEL_H_
#define FATHOM_OPS_ATTENTION_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/attention.h"
#include "ops/compute.h"
#include "ops/register_tile.h"
#include "ops/vec_exp.h"
#include "tensor/dtype.h"

// Attention of up to sixteen queries over a stretch of one sequence's rows, written once over a
// vector type (vec_portable.h): heads of one token, or of several. Queries lie across the lanes for
// scores and softmax, values across the lanes for the weighted sum, so that no sum runs across
// lanes.
//
// Compiled with the flags of several instruction sets: plain data and templates over the vector
// type only.

namespace fathom {

constexpr int64_t kQueryTile = 16;
constexpr int64_t kAttentionStep = 32;  // rows between two corrections of the running maximum

// Rows [first, end) of a sequence for some queries, each of which sees the rows before its own end.
struct AttentionPiece {
  const float* q[kQueryTile] = {};  // [key_dim] each
  int64_t ends[kQueryTile] = {};
  int64_t queries = 0;
  int64_t key_dim = 0;
  int64_t value_dim = 0;
  float scale = 1;
  const std::byte* base = nullptr;  // row t of the cache: see KvRows
  DType dtype = DType::kF32;
  int64_t row_width = 0;
  int64_t block_tokens = 0;
  const int32_t* blocks = nullptr;
  int64_t key_offset = 0;
  int64_t value_offset = 0;
  int64_t first = 0;
  int64_t end = 0;  // none of `ends` in this stretch lies behind it
};

// What a piece computes, for kQueryTile queries h: sums[h][v] = sum of exp(s[h][t] - highest[h]) *
// value[t][v], and weight[h] the same sum without values. Memory of the caller.
struct AttentionState {
  float* highest = nullptr;  // [kQueryTile]
  float* weight = nullptr;   // [kQueryTile]
  float* sums = nullptr;     // [kQueryTile][value_stride]
};

// Room for widened rows and such, one a thread; AttentionScratchFloats elements, aligned to 64.
struct AttentionKernels {
  void (*run)(const AttentionPiece& piece, float* scratch, const AttentionState& state);
  // Adds the state of the rows that follow to that of the rows before.
  void (*merge)(const AttentionState& later, int64_t value_dim, const AttentionState& state);
  // out[h] = sums[h] / weight[h], for the first `heads` of the state.
  void (*finish)(const AttentionState& state, int64_t heads, int64_t value_dim, float* out,
                 int64_t out_stride);
};

AttentionKernels AttentionKernelsPortable();
AttentionKernels AttentionKernelsAvx2();
AttentionKernels AttentionKernelsAvx512();

// Attention (attention.h) with kernels of the caller's choice.
void AttentionWith(const AttentionKernels& kernels, const Compute& compute, float scale,
                   std::span<const AttentionTask> tasks, AttentionBuffers& buffers);

FATHOM_INLINE constexpr int64_t PadToLanes(int64_t dim) { return (dim + 15) / 16 * 16; }
FATHOM_INLINE constexpr int64_t AttentionScratchFloats(int64_t key_dim, int64_t value_dim) {
  return kAttentionStep * (PadToLanes(key_dim) + PadToLanes(value_dim) + kQueryTile) +
         kQueryTile * key_dim;
}

template <typename V>
class AttentionKernel {
 public:
  static constexpr AttentionKernels All() { return {Run, Merge, Finish}; }

  static void Run(const AttentionPiece& piece, float* scratch, const AttentionState& state) {
    AttentionKernel kernel(piece, scratch, state);
    kernel.TurnQueries();
    V::Store(state.highest, V::Broadcast(-0x1p127F));
    V::Store(state.weight, V::Zero());
    for (int64_t i = 0; i < kQueryTile * kernel.value_stride_; i += 16) {
      V::Store(state.sums + i, V::Zero());
    }
    for (int64_t row = piece.first; row < piece.end; row += kAttentionStep) {
      const int64_t rest = piece.end - row;
      kernel.Step(row, rest < kAttentionStep ? rest : kAttentionStep);
    }
  }

  static void Merge(const AttentionState& later, int64_t value_dim, const AttentionState& state) {
    const Lanes before = V::Load(state.highest);
    const Lanes after = V::Load(later.highest);
    const Lanes highest = V::Max(before, after);
    alignas(64) float keep[kQueryTile];
    alignas(64) float take[kQueryTile];
    V::Store(keep, Exp<V>(Minus(before, highest)));
    V::Store(take, Exp<V>(Minus(after, highest)));
    V::Store(state.highest, highest);
    const Lanes kept = V::Mul(V::Load(state.weight), V::Load(keep));
    V::Store(state.weight, V::Fma(V::Load(later.weight), V::Load(take), kept));
    const int64_t stride = PadToLanes(value_dim);
    for (int64_t h = 0; h < kQueryTile; ++h) {
      for (int64_t v = h * stride; v < (h + 1) * stride; v += 16) {
        const Lanes sum = V::Mul(V::Load(state.sums + v), V::Broadcast(keep[h]));
        V::Store(state.sums + v, V::Fma(V::Load(later.sums + v), V::Broadcast(take[h]), sum));
      }
    }
  }

  static void Finish(const AttentionState& state, int64_t heads, int64_t value_dim, float* out,
                     int64_t out_stride) {
    for (int64_t h = 0; h < heads; ++h) {
      const Lanes weight = V::Broadcast(state.weight[h]);
      const float* sums = state.sums + h * PadToLanes(value_dim);
      float* to = out + h * out_stride;
      int64_t v = 0;
      for (; v + 16 <= value_dim; v += 16) V::Store(to + v, V::Div(V::Load(sums + v), weight));
      for (; v < value_dim; ++v) to[v] = sums[v] / state.weight[h];
    }
  }

 private:
  using Lanes = typename V::Lanes;

  AttentionKernel(const AttentionPiece& piece, float* scratch, const AttentionState& state)
      : piece_(piece),
        state_(state),
        key_stride_(PadToLanes(piece.key_dim)),
        value_stride_(PadToLanes(piece.value_dim)),
        least_end_(LeastEnd(piece)) {
    keys_ = scratch;
    float* own_values = keys_ + kAttentionStep * key_stride_;
    weights_ = own_values + kAttentionStep * value_stride_;
    turned_q_ = weights_ + kAttentionStep * kQueryTile;
    const int64_t inside = piece.value_offset - piece.key_offset;
    values_in_keys_ = inside >= 0 && inside + value_stride_ <= key_stride_;
    values_ = values_in_keys_ ? keys_ + inside : own_values;
    value_step_ = values_in_keys_ ? key_stride_ : value_stride_;
  }

  static Lanes Minus(const Lanes& a, const Lanes& b) { return V::Fma(b, V::Broadcast(-1), a); }

  void TurnQueries() {
    for (int64_t c = 0; c < piece_.key_dim; ++c) {
      for (int64_t h = 0; h < kQueryTile; ++h) {
        turned_q_[c * kQueryTile + h] = h < piece_.queries ? piece_.q[h][c] : 0.0F;
      }
    }
  }

  static int64_t LeastEnd(const AttentionPiece& piece) {
    int64_t least = piece.end;
    for (int64_t h = 0; h < piece.queries; ++h) {
      if (piece.ends[h] < least) least = piece.ends[h];
    }
    return least;
  }

  void Step(int64_t first, int64_t rows) {
    WidenRows(first, rows);
    for (int64_t r = 0; r < rows; r += V::kTileTokens) Scores<V::kTileTokens>(r, rows);
    AddValues(Softmax(first, rows), rows);
  }

  void WidenRows(int64_t first, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t t = first + r;
      const int64_t place =
          piece_.blocks[t / piece_.block_tokens] * piece_.block_tokens + t % piece_.block_tokens;
      const int64_t row = place * piece_.row_width;
      Widen(row + piece_.key_offset, piece_.key_dim, keys_ + r * key_stride_);
      if (values_in_keys_) continue;
      Widen(row + piece_.value_offset, piece_.value_dim, values_ + r * value_step_);
    }
  }

  // `count` cached elements from index `from`, padded with zeros to whole lanes.
  void Widen(int64_t from, int64_t count, float* out) const {
    const int64_t bytes = piece_.dtype == DType::kF32 ? 4 : 2;
    const std::byte* in = piece_.base + from * bytes;
    int64_t i = 0;
    for (; i + 16 <= count; i += 16, in += 16 * bytes) {
      V::Store(out + i, piece_.dtype == DType::kF32 ? V::template LoadRow<DType::kF32>(in)
                                                    : V::template LoadRow<DType::kBF16>(in));
    }
    if (i == count) return;
    V::Store(out + i, V::Zero());
    for (; i < count; ++i, in += bytes) {
      uint32_t code = 0;
      __builtin_memcpy(&code, in, static_cast<unsigned long>(bytes));
      if (bytes == 2) code <<= 16;
      __builtin_memcpy(out + i, &code, sizeof(code));
    }
  }

  // weights_[row][head] = scale * dot(q[head], key[row]) for rows [r, r + kRows) that exist.
  template <int kRows>
  void Scores(int64_t r, int64_t rows) {
    if constexpr (kRows > 1) {
      if (rows - r < kRows) return Scores<kRows - 1>(r, rows);
    }
    Lanes sums[kRows];
    SumTile<V, FloatMath<V>, kRows, 1>({.x = keys_ + r * key_stride_,
                                        .x_stride = key_stride_,
                                        .y = turned_q_,
                                        .y_step = kQueryTile},
                                       piece_.key_dim, sums);
    const Lanes scale = V::Broadcast(piece_.scale);
    Unroll<kRows>([&](auto i) FATHOM_INLINE {
      V::Store(weights_ + (r + i.value) * kQueryTile, V::Mul(sums[i.value], scale));
    });
  }

  // 1 for each query that sees the row, 0 for the others.
  Lanes Visible(int64_t row) const {
    alignas(64) float visible[kQueryTile];
    for (int64_t h = 0; h < kQueryTile; ++h) visible[h] = row < piece_.ends[h] ? 1.0F : 0.0F;
    return V::Load(visible);
  }

  // Makes a row's scores the least there is for queries that do not see it: they leave a query's
  // results as they would be without the row, bit for bit.
  void HideScores(int64_t row, float* scores) const {
    const Lanes visible = Visible(row);
    const Lanes least = V::Mul(V::Add(visible, V::Broadcast(-1)), V::Broadcast(0x1p127F));
    V::Store(scores, V::Fma(V::Load(scores), visible, least));
  }

  // Turns the scores of rows [first, first + rows) into exp(score - highest) and returns what sums
  // so far must be multiplied with.
  Lanes Softmax(int64_t first, int64_t rows) {
    const Lanes before = V::Load(state_.highest);
    Lanes highest = before;
    for (int64_t r = 0; r < rows; ++r) {
      float* scores = weights_ + r * kQueryTile;
      if (first + r >= least_end_) HideScores(first + r, scores);
      highest = V::Max(highest, V::Load(scores));
    }
    Lanes sum = V::Zero();
    for (int64_t r = 0; r < rows; ++r) {
      float* weight = weights_ + r * kQueryTile;
      Lanes power = Exp<V>(Minus(V::Load(weight), highest));
      if (first + r >= least_end_) power = V::Mul(power, Visible(first + r));
      V::Store(weight, power);
      sum = V::Add(sum, power);
    }
    const Lanes correction = Exp<V>(Minus(before, highest));
    V::Store(state_.highest, highest);
    V::Store(state_.weight, V::Fma(V::Load(state_.weight), correction, sum));
    return correction;
  }

  // Values outside, heads inside: sixteen columns of the step's values stay in the first-level
  // cache for all heads.
  void AddValues(const Lanes& correction, int64_t rows) {
    alignas(64) float corrections[kQueryTile];
    V::Store(corrections, correction);
    for (int64_t v = 0; v < value_stride_; v += 16) {
      for (int64_t h = 0; h < piece_.queries; h += V::kTileTokens) {
        HeadValues<V::kTileTokens>(h, v, rows, corrections);
      }
    }
  }

  template <int kHeads>
  void HeadValues(int64_t h, int64_t v, int64_t rows, const float* corrections) {
    if constexpr (kHeads > 1) {
      if (piece_.queries - h < kHeads) return HeadValues<kHeads - 1>(h, v, rows, corrections);
    }
    Lanes sums[kHeads];
    SumTile<V, FloatMath<V>, kHeads, 1>({.x = weights_ + h,
                                         .x_stride = 1,
                                         .x_step = kQueryTile,
                                         .y = values_ + v,
                                         .y_step = value_step_},
                                        rows, sums);
    Unroll<kHeads>([&](auto i) FATHOM_INLINE {
      float* sum = state_.sums + (h + i.value) * value_stride_ + v;
      V::Store(sum, V::Fma(V::Load(sum), V::Broadcast(corrections[h + i.value]), sums[i.value]));
    });
  }

  const AttentionPiece& piece_;
  const AttentionState& state_;
  int64_t key_stride_;
  int64_t value_stride_;  // of the state's sums
  int64_t least_end_;     // up to here every query sees every row
  bool values_in_keys_;   // as for MLA: widened once for both
  int64_t value_step_;    // from one row of values_ to the next
  float* keys_;           // [kAttentionStep][key_stride_]
  float* values_;         // [kAttentionStep][value_step_]
  float* weights_;        // [kAttentionStep][kQueryTile]: scores, then their powers
  float* turned_q_;       // [key_dim][kQueryTile]
};

}  // namespace fathom

#endif  // FATHOM_OPS_ATTENTION_KERNEL_H_
