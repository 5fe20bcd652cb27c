#ifndef FATHOM_OPS_INT8_KERNEL_H_
#define FATHOM_OPS_INT8_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "ops/int8_rows.h"
#include "ops/register_tile.h"

// The product of one strip of panels with eight-bit codes on both sides, written once over a vector
// type (int8_portable.cc shows its members). Sums of code products are exact in 32 bits for up to
// 2^31 / (255 * 127) = 66,000 columns, so that neither blocking nor the instruction set changes a
// bit; out = sum * (scale of the token * scale of the row).
//
// Compiled with the flags of several instruction sets, like mat_mul_kernel.h.

namespace fathom {

struct Int8Strip {
  const std::byte* x = nullptr;     // [tokens], codes in the form of the kernel
  int64_t x_stride = 0;             // bytes
  const float* x_scales = nullptr;  // [tokens]
  int64_t tokens = 0;
  float* out = nullptr;  // [tokens, rows], of the strip's first row
  int64_t out_stride = 0;
  int64_t rows = 0;                  // <= panels * 16
  const std::byte* codes = nullptr;  // of the first panel
  int64_t panel_bytes = 0;
  const float* scales = nullptr;  // [panels * 16]
  const int32_t* sums = nullptr;  // [panels * 16], of the codes of each row
  int64_t panels = 0;
};

struct Int8Kernel {
  void (*run)(const Int8Strip& strip) = nullptr;
  Int8Form form = Int8Form::kWide;
};
Int8Kernel Int8KernelPortable();
Int8Kernel Int8KernelAvx2();
Int8Kernel Int8KernelAvx512();

template <typename V>
class Int8StripKernel {
 public:
  static void Run(const Int8Strip& strip) {
    Block block;
    for (int64_t first = 0; first < strip.tokens; first += kBlockTokens) {
      Int8Strip part = strip;
      part.x += first * strip.x_stride;
      part.x_scales += first;
      part.out += first * strip.out_stride;
      const int64_t rest = strip.tokens - first;
      part.tokens = rest < kBlockTokens ? rest : kBlockTokens;
      for (int64_t panel = 0; panel < strip.panels; ++panel) OnePanel(part, panel, block);
    }
  }

 private:
  using Sums = typename V::Sums;  // sixteen rows

  static constexpr int64_t kRows = 16;
  static constexpr int64_t kQuadBytes = kRows * 4;
  // A panel's codes of so many columns stay in the first-level cache while tokens pass; the tokens'
  // codes of all columns stay in the second for the next panel.
  static constexpr int64_t kBlockQuads = 192;
  static constexpr int64_t kBlockTokens = 48;

  struct Block {
    Sums sums[kBlockTokens];
  };

  static void OnePanel(const Int8Strip& strip, int64_t panel, Block& block) {
    const int64_t quads = strip.panel_bytes / kQuadBytes;
    const std::byte* codes = strip.codes + panel * strip.panel_bytes;
    // Few tokens: the sums stay in registers from the first column to the last.
    const int64_t step = strip.tokens <= V::kTileTokens ? quads : kBlockQuads;
    for (int64_t t = 0; t < strip.tokens; ++t) V::Clear(block.sums[t]);
    for (int64_t quad = 0; quad < quads; quad += step) {
      const int64_t count = quads - quad < step ? quads - quad : step;
      const std::byte* x = strip.x + quad * V::kXBytes;
      for (int64_t t = 0; t < strip.tokens; t += V::kTileTokens) {
        Tokens<V::kTileTokens>(x + t * strip.x_stride, strip.x_stride, strip.tokens - t,
                               codes + quad * kQuadBytes, count, block.sums + t);
      }
    }
    for (int64_t t = 0; t < strip.tokens; ++t) StoreRows(strip, panel, t, block.sums[t]);
  }

  // kTokens tokens, or as many of them as there are.
  template <int kTokens>
  static void Tokens(const std::byte* x, int64_t x_stride, int64_t left, const std::byte* codes,
                     int64_t quads, Sums* sums) {
    if constexpr (kTokens > 1) {
      if (left < kTokens) return Tokens<kTokens - 1>(x, x_stride, left, codes, quads, sums);
    }
    OneTile<kTokens>(x, x_stride, codes, quads, sums);
  }

  template <int kTokens>
  [[gnu::noinline]] static void OneTile(const std::byte* x, int64_t x_stride,
                                        const std::byte* codes, int64_t quads, Sums* sums) {
    Sums tile[kTokens];
    Unroll<kTokens>([&](auto t) FATHOM_INLINE { tile[t.value] = sums[t.value]; });
    for (int64_t i = 0; i < quads; ++i, codes += kQuadBytes, x += V::kXBytes) {
      const typename V::Weights weights = V::LoadWeights(codes);
      Unroll<kTokens>([&](auto t) FATHOM_INLINE {
        V::MulAdd(V::LoadX(x + t.value * x_stride), weights, tile[t.value]);
      });
    }
    Unroll<kTokens>([&](auto t) FATHOM_INLINE { sums[t.value] = tile[t.value]; });
  }

  static void StoreRows(const Int8Strip& strip, int64_t panel, int64_t t, const Sums& sums) {
    int32_t values[kRows];
    V::Store(sums, values);
    const float* scales = strip.scales + panel * kRows;
    const int32_t* row_sums = strip.sums + panel * kRows;
    const float x_scale = strip.x_scales[t];
    float* out = strip.out + t * strip.out_stride + panel * kRows;
    const int64_t rest = strip.rows - panel * kRows;
    float rows[kRows];
    for (int64_t r = 0; r < kRows; ++r) {
      const int32_t sum = V::kForm == Int8Form::kOffset ? values[r] - 128 * row_sums[r] : values[r];
      rows[r] = static_cast<float>(sum) * (x_scale * scales[r]);
    }
    for (int64_t r = 0; r < (rest < kRows ? rest : kRows); ++r) out[r] = rows[r];
  }
};

}  // namespace fathom

#endif  // FATHOM_OPS_INT8_KERNEL_H_
