#ifndef FATHOM_OPS_VEC_PORTABLE_H_
#define FATHOM_OPS_VEC_PORTABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensor/dtype.h"

namespace fathom {

// Sixteen float lanes, one a row of a panel, and the loads that widen stored codes into them, in
// plain C++ with the compilers' vector types. vec_avx2.h and vec_avx512.h have the same members;
// kernels are templates over them.
struct VecPortable {
  using Quad = float __attribute__((vector_size(16)));
  struct Lanes {
    Quad q[4];
  };

  static constexpr int kDecodeLanes = 2;  // accumulators that hide the latency of a multiply-add
  static constexpr int kTileTokens = 2;   // a register tile of the blocked product
  static constexpr int kTilePanels = 1;
  static constexpr bool kHasPairs = false;  // multiplies pairs of bfloat16 in one instruction

  // Powers of two that make up for weights which are widened to a fraction of their value: products
  // are multiplied by kFactor, sums by kUnit.
  template <DType kType>
  static constexpr float kFactor = 1;
  template <DType kType>
  static constexpr float kUnit = 1;

  // Between the order of rows and that of the lanes that LoadPair and LoadEven fill.
  template <DType kType>
  static Lanes SwapRowOrder(const Lanes& v) {
    return v;
  }

  static Lanes Zero() { return Broadcast(0); }
  static Lanes Broadcast(float x) {
    const Quad q = {x, x, x, x};
    return {{q, q, q, q}};
  }
  static Lanes Load(const float* p) {
    Lanes out;
    std::memcpy(&out, p, sizeof(out));
    return out;
  }
  static void Store(float* p, const Lanes& v) { std::memcpy(p, &v, sizeof(v)); }
  static Lanes Mul(const Lanes& a, const Lanes& b) {
    return {{a.q[0] * b.q[0], a.q[1] * b.q[1], a.q[2] * b.q[2], a.q[3] * b.q[3]}};
  }
  static Lanes Fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    return {{a.q[0] * b.q[0] + c.q[0], a.q[1] * b.q[1] + c.q[1], a.q[2] * b.q[2] + c.q[2],
             a.q[3] * b.q[3] + c.q[3]}};
  }

  static Lanes Add(const Lanes& a, const Lanes& b) {
    return {{a.q[0] + b.q[0], a.q[1] + b.q[1], a.q[2] + b.q[2], a.q[3] + b.q[3]}};
  }
  static Lanes Div(const Lanes& a, const Lanes& b) {
    return {{a.q[0] / b.q[0], a.q[1] / b.q[1], a.q[2] / b.q[2], a.q[3] / b.q[3]}};
  }
  static Lanes Max(const Lanes& a, const Lanes& b) {
    return {{MaxQuad(a.q[0], b.q[0]), MaxQuad(a.q[1], b.q[1]), MaxQuad(a.q[2], b.q[2]),
             MaxQuad(a.q[3], b.q[3])}};
  }
  // 2^n from the sum n + 1.5 * 2^23, whose last bits are the integer n; -127 < n < 128.
  static Lanes Pow2(const Lanes& shifted) {
    uint32_t bits[16];
    std::memcpy(bits, &shifted, sizeof(bits));
    for (int i = 0; i < 16; ++i) bits[i] = (bits[i] << 23) + 0x3F800000U;
    return FromBits(bits);
  }

  // Two neighbouring columns of a panel (layout: packed_matrix.h).
  template <DType kType>
  static void LoadPair(const std::byte* p, Lanes& even, Lanes& odd) {
    if constexpr (kType == DType::kF8E4M3) {
      uint16_t codes[16];
      std::memcpy(codes, p, sizeof(codes));
      even = WidenF8(codes, 0);
      odd = WidenF8(codes, 8);
    } else if constexpr (kType == DType::kBF16) {
      uint32_t codes[16];
      std::memcpy(codes, p, sizeof(codes));
      uint32_t high[16];
      for (int i = 0; i < 16; ++i) high[i] = codes[i] & 0xFFFF0000U;
      for (int i = 0; i < 16; ++i) codes[i] <<= 16;
      std::memcpy(&even, codes, sizeof(even));
      std::memcpy(&odd, high, sizeof(odd));
    } else {
      even = LoadEven<kType>(p);
      odd = LoadEven<kType>(p + 16 * (kType == DType::kF16 ? 2 : 4));
    }
  }

  // The first of the two only.
  template <DType kType>
  static Lanes LoadEven(const std::byte* p) {
    Lanes even;
    if constexpr (kType == DType::kF32) {
      std::memcpy(&even, p, sizeof(even));
    } else if constexpr (kType == DType::kF16) {
      even = WidenF16(p);
    } else {
      Lanes odd;
      LoadPair<kType>(p, even, odd);
    }
    return even;
  }

  // Sixteen neighbouring F32 or BF16 codes of a row.
  template <DType kType>
  static Lanes LoadRow(const std::byte* p) {
    if constexpr (kType == DType::kF32) {
      return LoadEven<kType>(p);
    } else {
      uint16_t codes[16];
      std::memcpy(codes, p, sizeof(codes));
      uint32_t bits[16];
      for (int i = 0; i < 16; ++i) bits[i] = static_cast<uint32_t>(codes[i]) << 16;
      return FromBits(bits);
    }
  }

 private:
  static Quad MaxQuad(Quad a, Quad b) { return a > b ? a : b; }
  static Lanes FromBits(const uint32_t (&bits)[16]) {
    Lanes out;
    std::memcpy(&out, bits, sizeof(out));
    return out;
  }
  // E4M3's fields in float32's places are the value times 2^-120 (biases 7 and 127), exactly.
  static Lanes WidenF8(const uint16_t (&codes)[16], int shift) {
    uint32_t bits[16];
    for (int i = 0; i < 16; ++i) {
      const auto code = static_cast<uint32_t>(codes[i] >> shift);
      bits[i] = (code & 0x80U) << 24 | (code & 0x7FU) << 20;
    }
    return Mul(FromBits(bits), Broadcast(0x1p120F));
  }
  // The same for binary16 (bias 15), whose largest exponent means infinity or NaN.
  static Lanes WidenF16(const std::byte* p) {
    uint16_t codes[16];
    std::memcpy(codes, p, sizeof(codes));
    uint32_t bits[16];
    uint32_t special[16];
    for (int i = 0; i < 16; ++i) {
      const uint32_t code = codes[i];
      bits[i] = (code & 0x8000U) << 16 | (code & 0x7FFFU) << 13;
      special[i] = (code & 0x7C00U) == 0x7C00U ? 0x7F800000U : 0U;
    }
    const Lanes scaled = Mul(FromBits(bits), Broadcast(0x1p112F));
    std::memcpy(bits, &scaled, sizeof(bits));
    for (int i = 0; i < 16; ++i) bits[i] |= special[i];
    return FromBits(bits);
  }
};

}  // namespace fathom

#endif  // FATHOM_OPS_VEC_PORTABLE_H_
