#ifndef FATHOM_OPS_VEC_AVX2_H_
#define FATHOM_OPS_VEC_AVX2_H_

#include <immintrin.h>

#include <cstddef>

#include "tensor/dtype.h"

namespace fathom {

// VecPortable's members for AVX2 with FMA and F16C. Included by *_avx2.cc only.
struct VecAvx2 {
  struct Lanes {
    __m256 low, high;
  };

  static constexpr int kDecodeLanes = 4;
  static constexpr int kTileTokens = 6;  // 12 of 16 registers accumulate, 2 hold weights
  static constexpr int kTilePanels = 1;
  static constexpr bool kHasPairs = false;

  // E4M3's fields in float32's places are the value times 2^-120 (biases 7 and 127). x takes half
  // of that, so that products are far from both ends of the range.
  template <DType kType>
  static constexpr float kFactor = kType == DType::kF8E4M3 ? 0x1p60F : 1;
  template <DType kType>
  static constexpr float kUnit = kFactor<kType>;

  // Unpacking E4M3 to 32 bits leaves rows 0 to 3 and 8 to 11 in `low`, the others in `high`. Sums
  // stay so; only what comes from or goes to rows is put in order. The change is its own inverse.
  template <DType kType>
  static Lanes SwapRowOrder(const Lanes& v) {
    if constexpr (kType != DType::kF8E4M3) return v;
    return {_mm256_permute2f128_ps(v.low, v.high, 0x20),
            _mm256_permute2f128_ps(v.low, v.high, 0x31)};
  }

  static Lanes Zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static Lanes Broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static Lanes Load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  static void Store(float* p, const Lanes& v) {
    _mm256_storeu_ps(p, v.low);
    _mm256_storeu_ps(p + 8, v.high);
  }
  static Lanes Mul(const Lanes& a, const Lanes& b) {
    return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
  }
  static Lanes Fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
  }

  static Lanes Add(const Lanes& a, const Lanes& b) {
    return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
  }
  static Lanes Div(const Lanes& a, const Lanes& b) {
    return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
  }
  static Lanes Max(const Lanes& a, const Lanes& b) {
    return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
  }
  static Lanes Pow2(const Lanes& shifted) { return {Pow2(shifted.low), Pow2(shifted.high)}; }

  template <DType kType>
  static void LoadPair(const std::byte* p, Lanes& even, Lanes& odd) {
    if constexpr (kType == DType::kF8E4M3) {
      const __m256i codes = LoadInts(p);
      even = WidenF8(_mm256_slli_epi16(codes, 8));
      odd = WidenF8(codes);
    } else if constexpr (kType == DType::kBF16) {
      const __m256i low = LoadInts(p);
      const __m256i high = LoadInts(p + 32);
      const __m256i mask = _mm256_set1_epi32(static_cast<int>(0xFFFF0000U));
      even = {_mm256_castsi256_ps(_mm256_slli_epi32(low, 16)),
              _mm256_castsi256_ps(_mm256_slli_epi32(high, 16))};
      odd = {_mm256_castsi256_ps(_mm256_and_si256(low, mask)),
             _mm256_castsi256_ps(_mm256_and_si256(high, mask))};
    } else {
      even = LoadEven<kType>(p);
      odd = LoadEven<kType>(p + 16 * (kType == DType::kF16 ? 2 : 4));
    }
  }

  template <DType kType>
  static Lanes LoadEven(const std::byte* p) {
    Lanes even;
    if constexpr (kType == DType::kF32) {
      even = Load(reinterpret_cast<const float*>(p));
    } else if constexpr (kType == DType::kF16) {
      even = WidenF16(LoadInts(p));
    } else {
      Lanes odd;
      LoadPair<kType>(p, even, odd);
    }
    return even;
  }

  template <DType kType>
  static Lanes LoadRow(const std::byte* p) {
    if constexpr (kType == DType::kF32) {
      return LoadEven<kType>(p);
    } else {
      const __m256i codes = LoadInts(p);
      return {WidenBf16(_mm256_castsi256_si128(codes)),
              WidenBf16(_mm256_extracti128_si256(codes, 1))};
    }
  }

 private:
  static __m256 WidenBf16(__m128i codes) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(codes), 16));
  }
  static __m256 Pow2(__m256 shifted) {
    const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(0x3F800000)));
  }
  static __m256i LoadInts(const std::byte* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static Lanes WidenF16(__m256i codes) {
    return {_mm256_cvtph_ps(_mm256_castsi256_si128(codes)),
            _mm256_cvtph_ps(_mm256_extracti128_si256(codes, 1))};
  }
  // Codes in the upper bytes of 16-bit lanes: an arithmetic shift by four and a mask put sign,
  // exponent and mantissa where the upper half of a float32 has them.
  static Lanes WidenF8(__m256i codes) {
    const __m256i upper = _mm256_and_si256(_mm256_srai_epi16(codes, 4),
                                           _mm256_set1_epi16(static_cast<short>(0x87F0)));
    const __m256i zero = _mm256_setzero_si256();
    return {_mm256_castsi256_ps(_mm256_unpacklo_epi16(zero, upper)),
            _mm256_castsi256_ps(_mm256_unpackhi_epi16(zero, upper))};
  }
};

}  // namespace fathom

#endif  // FATHOM_OPS_VEC_AVX2_H_
