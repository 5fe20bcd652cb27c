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
      Panels(part, block);
    }
  }

 private:
  // Sixteen rows, in as many registers as V takes for them.
  using Sums = typename V::Sums;

  static constexpr int64_t kRows = 16;
  static constexpr int64_t kQuadBytes = kRows * 4;
  static constexpr int64_t kPartBytes = kQuadBytes / V::kParts;
  // A panel's codes of so many columns stay in the first-level cache while tokens pass; the tokens'
  // codes of all columns stay in the second for the next panel.
  static constexpr int64_t kBlockQuads = 192;
  static constexpr int64_t kBlockTokens = 48;

  struct Block {
    Sums sums[kBlockTokens];
  };

  static void Panels(const Int8Strip& strip, Block& block) {
    int64_t panel = 0;
    if (strip.tokens == 1) {
      constexpr int kWide = V::kDecodePanels;
      for (; panel + kWide <= strip.panels; panel += kWide) OneToken<kWide>(strip, panel);
      for (; panel < strip.panels; ++panel) OneToken<1>(strip, panel);
      return;
    }
    for (; panel < strip.panels; ++panel) OnePanel(strip, panel, block);
  }

  // Several panels stream side by side, which memory likes.
  template <int kPanels>
  [[gnu::noinline]] static void OneToken(const Int8Strip& strip, int64_t panel) {
    Sums sums[kPanels];
    for (Sums& sum : sums) V::Clear(sum);
    const std::byte* codes = strip.codes + panel * strip.panel_bytes;
    const std::byte* end = codes + strip.panel_bytes;
    for (const std::byte* x = strip.x; codes < end; codes += kQuadBytes, x += V::kXBytes) {
      const typename V::X token = V::LoadX(x);
      Unroll<kPanels * V::kParts>([&](auto i) FATHOM_INLINE {
        constexpr int kPanel = i.value / V::kParts;
        constexpr int kPart = i.value % V::kParts;
        const typename V::Weights weights =
            V::LoadWeights(codes + kPanel * strip.panel_bytes + kPart * kPartBytes);
        V::MulAdd(token, weights, sums[kPanel].parts[kPart]);
      });
    }
    for (int p = 0; p < kPanels; ++p) StoreRows(strip, panel + p, 0, sums[p]);
  }

  static void OnePanel(const Int8Strip& strip, int64_t panel, Block& block) {
    const int64_t quads = strip.panel_bytes / kQuadBytes;
    const std::byte* codes = strip.codes + panel * strip.panel_bytes;
    for (int64_t t = 0; t < strip.tokens; ++t) V::Clear(block.sums[t]);
    for (int64_t quad = 0; quad < quads; quad += kBlockQuads) {
      const Tile tile = {.x = strip.x + quad * V::kXBytes,
                         .x_stride = strip.x_stride,
                         .codes = codes + quad * kQuadBytes,
                         .quads = quads - quad < kBlockQuads ? quads - quad : kBlockQuads,
                         .sums = block.sums};
      Unroll<V::kParts / V::kTileParts>(
          [&](auto i) FATHOM_INLINE { Tokens<i.value * V::kTileParts>(tile, strip.tokens); });
    }
    for (int64_t t = 0; t < strip.tokens; ++t) StoreRows(strip, panel, t, block.sums[t]);
  }

  // Some columns of a panel times some tokens.
  struct Tile {
    const std::byte* x;
    int64_t x_stride;
    const std::byte* codes;
    int64_t quads;
    Sums* sums;
  };

  template <int kFirstPart>
  static void Tokens(Tile tile, int64_t tokens) {
    for (; tokens > 0; tokens -= V::kTileTokens) {
      UpTo<V::kTileTokens, kFirstPart>(tile, tokens);
      tile.x += V::kTileTokens * tile.x_stride;
      tile.sums += V::kTileTokens;
    }
  }

  // kTokens tokens, or as many of them as there are.
  template <int kTokens, int kFirstPart>
  static void UpTo(const Tile& tile, int64_t tokens) {
    if constexpr (kTokens > 1) {
      if (tokens < kTokens) return UpTo<kTokens - 1, kFirstPart>(tile, tokens);
    }
    OneTile<kTokens, kFirstPart>(tile);
  }

  template <int kTokens, int kFirstPart>
  [[gnu::noinline]] static void OneTile(const Tile& tile) {
    constexpr int kParts = V::kTileParts;
    typename V::Part sums[kTokens * kParts];
    Unroll<kTokens * kParts>([&](auto i) FATHOM_INLINE {
      sums[i.value] = tile.sums[i.value / kParts].parts[kFirstPart + i.value % kParts];
    });
    const std::byte* x = tile.x;
    const std::byte* codes = tile.codes + kFirstPart * kPartBytes;
    for (int64_t q = 0; q < tile.quads; ++q, x += V::kXBytes, codes += kQuadBytes) {
      typename V::Weights weights[kParts];
      Unroll<kParts>([&](auto p) FATHOM_INLINE {
        weights[p.value] = V::LoadWeights(codes + p.value * kPartBytes);
      });
      Unroll<kTokens>([&](auto t) FATHOM_INLINE {
        const typename V::X token = V::LoadX(x + t.value * tile.x_stride);
        Unroll<kParts>([&](auto p) FATHOM_INLINE {
          V::MulAdd(token, weights[p.value], sums[t.value * kParts + p.value]);
        });
      });
    }
    Unroll<kTokens * kParts>([&](auto i) FATHOM_INLINE {
      tile.sums[i.value / kParts].parts[kFirstPart + i.value % kParts] = sums[i.value];
    });
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
