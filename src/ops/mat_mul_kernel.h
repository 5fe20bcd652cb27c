#ifndef FATHOM_OPS_MAT_MUL_KERNEL_H_
#define FATHOM_OPS_MAT_MUL_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/compute.h"
#include "ops/int8_kernel.h"
#include "ops/mat_mul.h"
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

struct MatMulKernels {
  MatMulStripKernel floats = nullptr;
  Int8Kernel int8;
};

// MatMul (mat_mul.h) with kernels of the caller's choice.
void MatMulWith(const MatMulKernels& kernels, const Compute& compute,
                std::span<const MatMulTask> tasks);

// Adds one segment's products to the totals of a block of tokens, register tile by register tile.
// It knows nothing of the codes its weights came from.
template <typename V, typename Math>
class MatMulTiles {
 public:
  using Element = typename Math::Element;
  static constexpr int64_t kSegmentElements = 128 / Math::kColumns;

  struct Block {
    const Element* x;  // [tokens][count], rows x_stride apart
    int64_t x_stride;
    int64_t count;           // elements of the segment
    const Element* weights;  // [panels][kSegmentElements][16]
    const float* scales;     // [panels][16]
    int64_t tokens;
    int64_t panels;
    float* totals;  // [tokens][panels][16]
  };

  explicit MatMulTiles(const Block& block) : block_(block) {}

  // Tokens outside: their activations stay in the first-level cache while the weights stream from
  // the second. (The other way round was 3 to 8 % slower on a Zen 3.)
  void Run() const {
    for (int64_t t = 0; t < block_.tokens; t += V::kTileTokens) Tokens<V::kTileTokens>(t);
  }

 private:
  // Tokens [t, t + kTokens), or as many of them as there are, times every panel.
  template <int kTokens>
  void Tokens(int64_t t) const {
    if constexpr (kTokens > 1) {
      if (block_.tokens - t < kTokens) return Tokens<kTokens - 1>(t);
    }
    int64_t p = 0;
    for (; p + V::kTilePanels <= block_.panels; p += V::kTilePanels) {
      OneTile<kTokens, V::kTilePanels>(t, p);
    }
    for (; p < block_.panels; ++p) OneTile<kTokens, 1>(t, p);
  }

  template <int kTokens, int kPanels>
  [[gnu::noinline]] void OneTile(int64_t t, int64_t panel) const {
    typename V::Lanes sums[kTokens * kPanels];
    SumTile<V, Math, kTokens, kPanels>({.x = block_.x + t * block_.x_stride,
                                        .x_stride = block_.x_stride,
                                        .y = block_.weights + panel * kSegmentElements * 16,
                                        .panel_stride = kSegmentElements * 16},
                                       block_.count, sums);
    float* totals = block_.totals + (t * block_.panels + panel) * 16;
    Unroll<kPanels>([&](auto p) FATHOM_INLINE {
      const typename V::Lanes scale = V::Load(block_.scales + (panel + p.value) * 16);
      Unroll<kTokens>([&](auto i) FATHOM_INLINE {
        float* total = totals + (i.value * block_.panels + p.value) * 16;
        V::Store(total, V::Fma(sums[TileIndex<kTokens>(i.value, p.value)], scale, V::Load(total)));
      });
    });
  }

  const Block block_;
};

// The product of one strip whose codes are of kType, in one kind of arithmetic (register_tile.h).
template <typename V, typename Math, DType kType>
class MatMulKernel {
 public:
  static void Run(const MatMulStrip& strip) {
    if (strip.tokens <= kDirectTokens) {
      RunDirect<1>(strip);
    } else {
      RunBlocked(strip);
    }
  }

 private:
  using Lanes = typename V::Lanes;
  using Element = typename Math::Element;
  using Operand = typename Math::Operand;

  static constexpr int64_t kRows = 16;
  static constexpr int64_t kSegmentElements = MatMulTiles<V, Math>::kSegmentElements;
  // The totals of a block of tokens and the widened weights of a segment share the second-level
  // cache: 48 + 64 KiB.
  static constexpr int64_t kBlockTokens = 96;
  static constexpr int kDirectTokens = 4;
  static constexpr int64_t kColumnBytes = kRows * (kType == DType::kF32      ? 4
                                                   : kType == DType::kF8E4M3 ? 1
                                                                             : 2);
  static constexpr int64_t kPairBytes = 2 * kColumnBytes;
  static constexpr int kPairElements = 2 / Math::kColumns;
  static constexpr bool kPairs = Math::kColumns == 2;
  // Makes up for a part of what widened weights lack: few tokens have it multiplied into their
  // activations, many into the weights, so that products and sums are bitwise the same.
  static constexpr float kFactor = V::template kFactor<kType>;
  static constexpr bool kScalesX = !kPairs && kFactor != 1;

  static constexpr int64_t Elements(int64_t cols) {
    return (cols + Math::kColumns - 1) / Math::kColumns;
  }

  // The activations of a segment as Math reads them: where they lie, or packed into `room`.
  struct Activations {
    const Element* x;
    int64_t stride;
  };
  template <bool kPack>
  static Activations Prepare(const MatMulStrip& strip, const PackedSegment& segment,
                             Element* room) {
    const float* x = strip.x + segment.first_col;
    if constexpr (!kPack) {
      return {x, strip.x_stride};
    } else {
      for (int64_t t = 0; t < strip.tokens; ++t, x += strip.x_stride) {
        PackX(x, segment.cols, room + t * kSegmentElements);
      }
      return {room, kSegmentElements};
    }
  }
  static void PackX(const float* x, int64_t cols, Element* out) {
    if constexpr (kPairs) {
      V::PackPairs(x, cols, out);
    } else {
      int64_t c = 0;
      for (; c + 16 <= cols; c += 16) {
        V::Store(out + c, V::Mul(V::Load(x + c), V::Broadcast(kFactor)));
      }
      for (; c < cols; ++c) out[c] = x[c] * kFactor;
    }
  }

  // --- Few tokens: weights are widened in registers, as they stream by.

  template <int kTokens>
  static void RunDirect(const MatMulStrip& strip) {
    if constexpr (kTokens < kDirectTokens) {
      if (strip.tokens > kTokens) return RunDirect<kTokens + 1>(strip);
    }
    constexpr int kPanels = kTokens >= V::kDecodeLanes ? 1 : V::kDecodeLanes / kTokens;
    int64_t panel = 0;
    for (; panel + kPanels <= strip.panels; panel += kPanels) {
      DirectPanels<kTokens, kPanels>(strip, panel);
    }
    for (; panel < strip.panels; ++panel) DirectPanels<kTokens, 1>(strip, panel);
  }

  template <int kTokens, int kPanels>
  static void DirectPanels(const MatMulStrip& strip, int64_t panel) {
    alignas(64) Element room[kTokens * kSegmentElements];
    Lanes totals[kTokens * kPanels];
    for (Lanes& total : totals) total = V::Zero();
    for (int64_t s = 0; s < strip.segment_count; ++s) {
      const Activations x = Prepare < kPairs || kScalesX > (strip, strip.segments[s], room);
      DirectSegment<kTokens, kPanels>(strip, panel, s, x, totals);
    }
    for (int p = 0; p < kPanels; ++p) {
      for (int t = 0; t < kTokens; ++t) {
        StoreRows(strip, t, panel + p, totals[p * kTokens + t]);
      }
    }
  }

  template <int kTokens, int kPanels>
  [[gnu::noinline]] static void DirectSegment(const MatMulStrip& strip, int64_t panel, int64_t s,
                                              const Activations& activations, Lanes* totals) {
    const PackedSegment& segment = strip.segments[s];
    const std::byte* codes =
        strip.codes + panel * strip.panel_bytes + segment.first_place * kColumnBytes;
    const Element* x = activations.x;
    Lanes sums[kTokens * kPanels];
    Unroll<kTokens * kPanels>([&](auto i) FATHOM_INLINE { sums[i.value] = V::Zero(); });
    for (int64_t c = 0; c + 2 <= segment.cols; c += 2, codes += kPairBytes, x += kPairElements) {
      Unroll<kPanels>([&](auto p) FATHOM_INLINE {
        Operand pair[kPairElements];
        Math::template LoadPair<kType>(codes + p.value * strip.panel_bytes, pair);
        Unroll<kTokens * kPairElements>([&](auto i) FATHOM_INLINE {
          constexpr int kToken = i.value / kPairElements;
          constexpr int kElement = i.value % kPairElements;
          Lanes& sum = sums[p.value * kTokens + kToken];
          sum = Math::MulAdd(Math::Broadcast(x[kToken * activations.stride + kElement]),
                             pair[kElement], sum);
        });
      });
    }
    if (segment.cols % 2 != 0) {
      Unroll<kPanels>([&](auto p) FATHOM_INLINE {
        const Operand last = Math::template LoadLast<kType>(codes + p.value * strip.panel_bytes);
        Unroll<kTokens>([&](auto t) FATHOM_INLINE {
          Lanes& sum = sums[p.value * kTokens + t.value];
          sum = Math::MulAdd(Math::Broadcast(x[t.value * activations.stride]), last, sum);
        });
      });
    }
    Unroll<kPanels>([&](auto p) FATHOM_INLINE {
      const Lanes scale = Scale(strip.scales[panel + p.value], s);
      Unroll<kTokens>([&](auto t) FATHOM_INLINE {
        constexpr int kSum = p.value * kTokens + t.value;
        totals[kSum] = V::Fma(sums[kSum], scale, totals[kSum]);
      });
    });
  }

  // --- Many tokens: a segment of the strip is widened once and reused by all tokens of a block.

  struct Block {
    alignas(64) Element x[kPairs ? kBlockTokens * kSegmentElements : 1];
    alignas(64) Element weights[kMaxStripPanels * kSegmentElements * kRows];  // [panel][i][row]
    alignas(64) float scales[kMaxStripPanels * kRows];
    alignas(64) float totals[kBlockTokens * kMaxStripPanels * kRows];  // [token][panel][row]
  };

  static void RunBlocked(const MatMulStrip& strip) {
    Block block;
    for (int64_t first = 0; first < strip.tokens; first += kBlockTokens) {
      const int64_t rest = strip.tokens - first;
      MatMulStrip part = strip;
      part.x += first * strip.x_stride;
      part.out += first * strip.out_stride;
      part.tokens = rest < kBlockTokens ? rest : kBlockTokens;
      BlockedTokens(part, block);
    }
  }

  static void BlockedTokens(const MatMulStrip& strip, Block& block) {
    for (int64_t i = 0; i < strip.tokens * strip.panels; ++i) {
      V::Store(block.totals + i * kRows, V::Zero());
    }
    for (int64_t s = 0; s < strip.segment_count; ++s) {
      const Activations x = Prepare<kPairs>(strip, strip.segments[s], block.x);
      for (int64_t p = 0; p < strip.panels; ++p) {
        Widen(strip.codes + p * strip.panel_bytes, strip.segments[s],
              block.weights + p * kSegmentElements * kRows);
      }
      for (int64_t p = 0; p < strip.panels; ++p) {
        V::Store(block.scales + p * kRows, Scale(strip.scales[p], s));
      }
      MatMulTiles<V, Math>({.x = x.x,
                            .x_stride = x.stride,
                            .count = Elements(strip.segments[s].cols),
                            .weights = block.weights,
                            .scales = block.scales,
                            .tokens = strip.tokens,
                            .panels = strip.panels,
                            .totals = block.totals})
          .Run();
    }
    for (int64_t t = 0; t < strip.tokens; ++t) {
      for (int64_t p = 0; p < strip.panels; ++p) {
        StoreRows(strip, t, p, V::Load(block.totals + (t * strip.panels + p) * kRows));
      }
    }
  }

  static void Widen(const std::byte* panel, const PackedSegment& segment, Element* out) {
    const std::byte* codes = panel + segment.first_place * kColumnBytes;
    for (int64_t c = 0; c + 2 <= segment.cols; c += 2, codes += kPairBytes) {
      Operand pair[kPairElements];
      Math::template LoadPair<kType>(codes, pair);
      for (int i = 0; i < kPairElements; ++i, out += kRows) StoreWidened(out, pair[i]);
    }
    if (segment.cols % 2 != 0) StoreWidened(out, Math::template LoadLast<kType>(codes));
  }
  static void StoreWidened(Element* out, const Operand& weights) {
    if constexpr (kScalesX) {
      V::Store(out, V::Mul(weights, V::Broadcast(kFactor)));
    } else {
      Math::Store(out, weights);
    }
  }

  // --- Both.

  static Lanes Scale(const PanelScales& scales, int64_t s) {
    const Lanes scale = scales.uniform
                            ? V::Broadcast(scales.values[s])
                            : V::template SwapRowOrder<kType>(V::Load(scales.values + s * kRows));
    return V::Mul(scale, V::Broadcast(V::template kUnit<kType>));
  }

  static void StoreRows(const MatMulStrip& strip, int64_t t, int64_t panel, const Lanes& sums) {
    const Lanes in_order = V::template SwapRowOrder<kType>(sums);
    float* out = strip.out + t * strip.out_stride + panel * kRows;
    const int64_t rows = strip.rows - panel * kRows;
    if (rows >= kRows) return V::Store(out, in_order);
    float all[kRows];
    V::Store(all, in_order);
    for (int64_t r = 0; r < rows; ++r) out[r] = all[r];
  }
};

// BF16 and F8 weights times bfloat16 activations run in pairs where V can; all else in float32.
template <typename V, DType kType>
void RunStripOfType(const MatMulStrip& strip) {
  if constexpr (V::kHasPairs && (kType == DType::kBF16 || kType == DType::kF8E4M3)) {
    if (strip.bfloat16) return MatMulKernel<V, PairMath<V>, kType>::Run(strip);
  }
  MatMulKernel<V, FloatMath<V>, kType>::Run(strip);
}

template <typename V>
void RunStrip(const MatMulStrip& strip) {
  switch (strip.dtype) {
    case DType::kF32:
      return RunStripOfType<V, DType::kF32>(strip);
    case DType::kF16:
      return RunStripOfType<V, DType::kF16>(strip);
    case DType::kBF16:
      return RunStripOfType<V, DType::kBF16>(strip);
    default:
      return RunStripOfType<V, DType::kF8E4M3>(strip);
  }
}

}  // namespace fathom

#endif  // FATHOM_OPS_MAT_MUL_KERNEL_H_
