#ifndef FATHOM_OPS_MAT_MUL_KERNEL_H_
#define FATHOM_OPS_MAT_MUL_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "ops/packed_matrix.h"
#include "ops/register_tile.h"
#include "tensor/dtype.h"

// The matrix product of one strip of panels, written once over a vector type (vec_portable.h).
//
// Every path sums an output in one order, so that they agree bitwise: within a segment the columns
// in order with one multiply-add each from zero, then total = segment * scale + total. A path
// chooses only which outputs stand in registers together.
//
// This header is compiled with the flags of several instruction sets. It touches plain data and
// templates over the vector type only: nothing in it may become a symbol that two of them share.

namespace fathom {

// Some panels of a weight times all tokens of a task.
struct MatMulStrip {
  const float* x = nullptr;  // [tokens, cols]
  int64_t x_stride = 0;
  int64_t tokens = 0;
  float* out = nullptr;  // [tokens, rows], of the strip's first row
  int64_t out_stride = 0;
  int64_t rows = 0;  // <= panels * kPanelRows
  DType dtype = DType::kBF16;
  const std::byte* codes = nullptr;  // of the first panel
  int64_t panel_bytes = 0;
  const PanelScales* scales = nullptr;  // [panels]
  int64_t panels = 0;                   // <= kMaxStripPanels
  const PackedSegment* segments = nullptr;
  int64_t segment_count = 0;
  bool bfloat16 = false;  // x holds bfloat16 values
};

constexpr int64_t kMaxStripPanels = 8;

using MatMulStripKernel = void (*)(const MatMulStrip&);
void MatMulStripPortable(const MatMulStrip& strip);
void MatMulStripAvx2(const MatMulStrip& strip);
void MatMulStripAvx512(const MatMulStrip& strip);

template <typename V>
class MatMulKernel {
 public:
  static void Run(const MatMulStrip& strip) {
    switch (strip.dtype) {
      case DType::kF32:
        return RunTyped<DType::kF32>(strip);
      case DType::kF16:
        return RunTyped<DType::kF16>(strip);
      case DType::kBF16:
        return RunTyped<DType::kBF16>(strip);
      default:
        return RunTyped<DType::kF8E4M3>(strip);
    }
  }

 private:
  using Lanes = typename V::Lanes;
  static constexpr int64_t kRows = 16;
  static constexpr int64_t kSegment = 128;
  // The totals of a block of tokens and the widened weights of a segment share the second-level
  // cache: 48 + 64 KiB.
  static constexpr int64_t kBlockTokens = 96;
  static constexpr int kDirectTokens = 4;

  template <DType kType>
  static constexpr int64_t kColumnBytes =
      kRows * (kType == DType::kF32 ? 4 : kType == DType::kF8E4M3 ? 1 : 2);

  template <DType kType>
  static void RunTyped(const MatMulStrip& strip) {
    if (strip.tokens <= kDirectTokens) {
      RunDirect<kType, 1>(strip);
    } else {
      RunBlocked<kType>(strip);
    }
  }

  // --- Few tokens: weights are widened in registers, as they stream by.

  template <DType kType, int kTokens>
  static void RunDirect(const MatMulStrip& strip) {
    if constexpr (kTokens < kDirectTokens) {
      if (strip.tokens > kTokens) return RunDirect<kType, kTokens + 1>(strip);
    }
    constexpr int kPanels = kTokens >= V::kDecodeLanes ? 1 : V::kDecodeLanes / kTokens;
    int64_t panel = 0;
    for (; panel + kPanels <= strip.panels; panel += kPanels) {
      DirectPanels<kType, kTokens, kPanels>(strip, panel);
    }
    for (; panel < strip.panels; ++panel) DirectPanels<kType, kTokens, 1>(strip, panel);
  }

  template <DType kType, int kTokens, int kPanels>
  static void DirectPanels(const MatMulStrip& strip, int64_t panel) {
    Lanes totals[kTokens * kPanels];
    for (Lanes& total : totals) total = V::Zero();
    for (int64_t s = 0; s < strip.segment_count; ++s) {
      DirectSegment<kType, kTokens, kPanels>(strip, panel, s, totals);
    }
    for (int p = 0; p < kPanels; ++p) {
      for (int t = 0; t < kTokens; ++t) {
        StoreRows(strip, t, panel + p, totals[p * kTokens + t]);
      }
    }
  }

  template <DType kType, int kTokens, int kPanels>
  static void DirectSegment(const MatMulStrip& strip, int64_t panel, int64_t s, Lanes* totals) {
    const PackedSegment& segment = strip.segments[s];
    const std::byte* codes = strip.codes + panel * strip.panel_bytes +
                             segment.first_place * kColumnBytes<kType>;
    const float* x = strip.x + segment.first_col;
    Lanes sums[kTokens * kPanels];
    Unroll<kTokens * kPanels>([&](auto i) { sums[i.value] = V::Zero(); });
    int64_t c = 0;
    for (; c + 2 <= segment.cols; c += 2, codes += 2 * kColumnBytes<kType>) {
      Unroll<kPanels>([&](auto p) {
        Lanes even, odd;
        V::template LoadPair<kType>(codes + p.value * strip.panel_bytes, even, odd);
        Unroll<kTokens>([&](auto t) {
          constexpr int kSum = p.value * kTokens + t.value;
          const float* token = x + t.value * strip.x_stride + c;
          sums[kSum] = V::Fma(V::Broadcast(token[0]), even, sums[kSum]);
          sums[kSum] = V::Fma(V::Broadcast(token[1]), odd, sums[kSum]);
        });
      });
    }
    if (c < segment.cols) {
      Unroll<kPanels>([&](auto p) {
        const Lanes even = V::template LoadEven<kType>(codes + p.value * strip.panel_bytes);
        Unroll<kTokens>([&](auto t) {
          constexpr int kSum = p.value * kTokens + t.value;
          const float* token = x + t.value * strip.x_stride + c;
          sums[kSum] = V::Fma(V::Broadcast(token[0]), even, sums[kSum]);
        });
      });
    }
    Unroll<kPanels>([&](auto p) {
      const Lanes scale = Scale<kType>(strip.scales[panel + p.value], s);
      Unroll<kTokens>([&](auto t) {
        constexpr int kSum = p.value * kTokens + t.value;
        totals[kSum] = V::Fma(sums[kSum], scale, totals[kSum]);
      });
    });
  }

  // --- Many tokens: a segment of the strip is widened once and reused by all tokens of a block.

  struct Block {
    alignas(64) float weights[kMaxStripPanels * kSegment * kRows];    // [panel][col][row]
    alignas(64) float totals[kBlockTokens * kMaxStripPanels * kRows];  // [token][panel][row]
  };

  template <DType kType>
  static void RunBlocked(const MatMulStrip& strip) {
    Block block;
    for (int64_t first = 0; first < strip.tokens; first += kBlockTokens) {
      const int64_t rest = strip.tokens - first;
      MatMulStrip part = strip;
      part.x += first * strip.x_stride;
      part.out += first * strip.out_stride;
      part.tokens = rest < kBlockTokens ? rest : kBlockTokens;
      BlockedTokens<kType>(part, block);
    }
  }

  template <DType kType>
  static void BlockedTokens(const MatMulStrip& strip, Block& block) {
    for (int64_t i = 0; i < strip.tokens * strip.panels; ++i) {
      V::Store(block.totals + i * kRows, V::Zero());
    }
    for (int64_t s = 0; s < strip.segment_count; ++s) {
      for (int64_t p = 0; p < strip.panels; ++p) {
        Widen<kType>(strip.codes + p * strip.panel_bytes, strip.segments[s],
                     block.weights + p * kSegment * kRows);
      }
      for (int64_t t = 0; t < strip.tokens; t += V::kTileTokens) {
        TilesOfTokens<kType, V::kTileTokens>(strip, s, t, block);
      }
    }
    for (int64_t t = 0; t < strip.tokens; ++t) {
      for (int64_t p = 0; p < strip.panels; ++p) {
        StoreRows(strip, t, p, V::Load(block.totals + (t * strip.panels + p) * kRows));
      }
    }
  }

  template <DType kType>
  static void Widen(const std::byte* panel, const PackedSegment& segment, float* out) {
    const std::byte* codes = panel + segment.first_place * kColumnBytes<kType>;
    int64_t c = 0;
    for (; c + 2 <= segment.cols; c += 2, codes += 2 * kColumnBytes<kType>, out += 2 * kRows) {
      Lanes even, odd;
      V::template LoadPair<kType>(codes, even, odd);
      V::Store(out, even);
      V::Store(out + kRows, odd);
    }
    if (c < segment.cols) V::Store(out, V::template LoadEven<kType>(codes));
  }

  // Tokens [t, t + kTokens) or as many as there are, times every panel.
  template <DType kType, int kTokens>
  static void TilesOfTokens(const MatMulStrip& strip, int64_t s, int64_t t, Block& block) {
    if constexpr (kTokens > 1) {
      if (strip.tokens - t < kTokens) return TilesOfTokens<kType, kTokens - 1>(strip, s, t, block);
    }
    int64_t p = 0;
    for (; p + V::kTilePanels <= strip.panels; p += V::kTilePanels) {
      OneTile<kType, kTokens, V::kTilePanels>(strip, s, t, p, block);
    }
    for (; p < strip.panels; ++p) OneTile<kType, kTokens, 1>(strip, s, t, p, block);
  }

  template <DType kType, int kTokens, int kPanels>
  static void OneTile(const MatMulStrip& strip, int64_t s, int64_t t, int64_t panel,
                      Block& block) {
    const PackedSegment& segment = strip.segments[s];
    const TileOperands operands = {.x = strip.x + t * strip.x_stride + segment.first_col,
                                   .x_stride = strip.x_stride,
                                   .y = block.weights + panel * kSegment * kRows,
                                   .panel_stride = kSegment * kRows};
    using Tile = RegisterTile<V, kTokens, kPanels>;
    const Tile tile = Tile::Sum(operands, segment.cols);
    float* totals = block.totals + (t * strip.panels + panel) * kRows;
    Unroll<kPanels>([&](auto p) {
      const Lanes scale = Scale<kType>(strip.scales[panel + p.value], s);
      Unroll<kTokens>([&](auto i) {
        float* total = totals + (i.value * strip.panels + p.value) * kRows;
        V::Store(total, V::Fma(tile.sums[Tile::At(i.value, p.value)], scale, V::Load(total)));
      });
    });
  }

  // --- Both.

  template <DType kType>
  static Lanes Scale(const PanelScales& scales, int64_t s) {
    const Lanes scale = scales.uniform ? V::Broadcast(scales.values[s])
                                       : V::Load(scales.values + s * kRows);
    return V::Mul(scale, V::Broadcast(V::template kUnit<kType>));
  }

  static void StoreRows(const MatMulStrip& strip, int64_t t, int64_t panel, const Lanes& sums) {
    float* out = strip.out + t * strip.out_stride + panel * kRows;
    const int64_t rows = strip.rows - panel * kRows;
    if (rows >= kRows) return V::Store(out, sums);
    float all[kRows];
    V::Store(all, sums);
    for (int64_t r = 0; r < rows; ++r) out[r] = all[r];
  }
};

}  // namespace fathom

#endif  // FATHOM_OPS_MAT_MUL_KERNEL_H_
