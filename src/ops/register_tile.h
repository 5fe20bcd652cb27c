#ifndef FATHOM_OPS_REGISTER_TILE_H_
#define FATHOM_OPS_REGISTER_TILE_H_

#include <cstdint>

namespace fathom {

template <int kIndex>
struct UnrollIndex {
  static constexpr int value = kIndex;
};

// body(UnrollIndex<0>), ..., body(UnrollIndex<kCount - 1>), for arrays that must live in registers:
// they may only be indexed by constants.
template <int kCount, int kFirst = 0, typename Body>
[[gnu::always_inline]] inline void Unroll(const Body& body) {
  if constexpr (kFirst < kCount) {
    body(UnrollIndex<kFirst>{});
    Unroll<kCount, kFirst + 1>(body);
  }
}

// The operands of a tile's sums: scalars x(t, i) = x[t * x_stride + i * x_step] and rows of sixteen
// lanes y(p, i) = y[p * panel_stride + i * y_step].
struct TileOperands {
  const float* x = nullptr;
  int64_t x_stride = 0;
  int64_t x_step = 1;
  const float* y = nullptr;
  int64_t panel_stride = 0;
  int64_t y_step = 16;
};

// kTokens x kPanels sums of sixteen lanes each.
template <typename V, int kTokens, int kPanels>
struct RegisterTile {
  typename V::Lanes sums[kPanels * kTokens];

  static constexpr int At(int token, int panel) { return panel * kTokens + token; }

  // sum(t, p) = sum over i < count of x(t, i) * y(p, i), in order, from zero.
  [[gnu::always_inline]] static inline RegisterTile Sum(const TileOperands& in, int64_t count) {
    RegisterTile tile;
    Unroll<kTokens * kPanels>([&](auto i) { tile.sums[i.value] = V::Zero(); });
    const float* x = in.x;
    const float* y = in.y;
    for (int64_t i = 0; i < count; ++i, x += in.x_step, y += in.y_step) {
      typename V::Lanes row[kPanels];
      Unroll<kPanels>([&](auto p) { row[p.value] = V::Load(y + p.value * in.panel_stride); });
      Unroll<kTokens>([&](auto t) {
        const typename V::Lanes scalar = V::Broadcast(x[t.value * in.x_stride]);
        Unroll<kPanels>([&](auto p) {
          constexpr int kSum = At(t.value, p.value);
          tile.sums[kSum] = V::Fma(scalar, row[p.value], tile.sums[kSum]);
        });
      });
    }
    return tile;
  }
};

}  // namespace fathom

#endif  // FATHOM_OPS_REGISTER_TILE_H_
