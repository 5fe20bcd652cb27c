#ifndef FATHOM_OPS_REGISTER_TILE_H_
#define FATHOM_OPS_REGISTER_TILE_H_

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

// For lambdas over registers: one call that is not inlined puts all it captures into memory. For
// functions that several instruction sets share: inlined, they leave no symbol to share.
#define FATHOM_INLINE __attribute__((always_inline))

namespace fathom {

template <int kIndex>
struct UnrollIndex {
  static constexpr int value = kIndex;
};

// body(UnrollIndex<0>), ..., body(UnrollIndex<kCount - 1>), for arrays that must live in registers:
// they may only be indexed by constants.
template <int kCount, int kFirst = 0, typename Body>
FATHOM_INLINE inline void Unroll(const Body& body) {
  if constexpr (kFirst < kCount) {
    body(UnrollIndex<kFirst>{});
    Unroll<kCount, kFirst + 1>(body);
  }
}

// How sums are made over the vector type V: an element of x, sixteen of y and sixteen sums meet in
// one multiply-add. Elements are 32 bits wide.

// An element is one float32 column.
template <typename V>
struct FloatMath {
  using Element = float;
  using Operand = typename V::Lanes;
  static constexpr int kColumns = 1;  // of a panel, in an element

  static Operand Load(const float* y) { return V::Load(y); }
  static void Store(float* y, const Operand& v) { V::Store(y, v); }
  static Operand Broadcast(float x) { return V::Broadcast(x); }
  static typename V::Lanes MulAdd(const Operand& x, const Operand& y,
                                  const typename V::Lanes& sum) {
    return V::Fma(x, y, sum);
  }
  // Two columns of a panel, or the first of them alone.
  template <DType kType>
  static void LoadPair(const std::byte* codes, Operand (&out)[2]) {
    V::template LoadPair<kType>(codes, out[0], out[1]);
  }
  template <DType kType>
  static Operand LoadLast(const std::byte* codes) {
    return V::template LoadEven<kType>(codes);
  }
};

// An element is a pair of bfloat16 columns, multiplied and added in one instruction. BF16 and F8
// panels lie in such pairs, an odd last column beside a zero.
template <typename V>
struct PairMath {
  using Element = uint32_t;
  using Operand = typename V::Pairs;
  static constexpr int kColumns = 2;

  static Operand Load(const uint32_t* y) { return V::LoadPairs(y); }
  static void Store(uint32_t* y, const Operand& v) { V::StorePairs(y, v); }
  static Operand Broadcast(uint32_t x) { return V::BroadcastPair(x); }
  static typename V::Lanes MulAdd(const Operand& x, const Operand& y,
                                  const typename V::Lanes& sum) {
    return V::DotPairs(x, y, sum);
  }
  template <DType kType>
  static void LoadPair(const std::byte* codes, Operand (&out)[1]) {
    out[0] = V::template LoadPairs<kType>(codes);
  }
  template <DType kType>
  static Operand LoadLast(const std::byte* codes) {
    return V::template LoadPairs<kType>(codes);
  }
};

// The operands of a tile's sums: elements x(t, i) = x[t * x_stride + i * x_step] and rows of
// sixteen y(p, i) = y[p * panel_stride + i * y_step].
template <typename Element>
struct TileOperands {
  const Element* x = nullptr;
  int64_t x_stride = 0;
  int64_t x_step = 1;
  const Element* y = nullptr;
  int64_t panel_stride = 0;
  int64_t y_step = 16;
};

// Where the sum of a token and a panel stands in a tile of kTokens x kPanels.
template <int kTokens>
FATHOM_INLINE constexpr int TileIndex(int token, int panel) {
  return panel * kTokens + token;
}

// sum(t, p) = sum over i < count of x(t, i) * y(p, i), in order, from zero, for a tile of
// kTokens x kPanels sums that fits the registers. (The sums are an argument and not a value
// returned because GCC 12 keeps a returned aggregate in memory.)
template <typename V, typename Math, int kTokens, int kPanels>
FATHOM_INLINE inline void SumTile(const TileOperands<typename Math::Element>& in, int64_t count,
                                  typename V::Lanes (&sums)[kTokens * kPanels]) {
  Unroll<kTokens * kPanels>([&](auto i) FATHOM_INLINE { sums[i.value] = V::Zero(); });
  const typename Math::Element* x = in.x;
  const typename Math::Element* y = in.y;
  for (int64_t i = 0; i < count; ++i, x += in.x_step, y += in.y_step) {
    typename Math::Operand row[kPanels];
    Unroll<kPanels>(
        [&](auto p) FATHOM_INLINE { row[p.value] = Math::Load(y + p.value * in.panel_stride); });
    Unroll<kTokens>([&](auto t) FATHOM_INLINE {
      const typename Math::Operand element = Math::Broadcast(x[t.value * in.x_stride]);
      Unroll<kPanels>([&](auto p) FATHOM_INLINE {
        typename V::Lanes& sum = sums[TileIndex<kTokens>(t.value, p.value)];
        sum = Math::MulAdd(element, row[p.value], sum);
      });
    });
  }
}

}  // namespace fathom

#endif  // FATHOM_OPS_REGISTER_TILE_H_
