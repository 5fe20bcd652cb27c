#ifndef FATHOM_OPS_VEC_AVX512_H_
#define FATHOM_OPS_VEC_AVX512_H_

#if !defined(FATHOM_EMULATED_AVX512)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace fathom {

// VecPortable's members for AVX-512 with BW, VL, DQ and BF16. Included by *_avx512.cc, and by a
// test that compiles the same lines against an emulation of the instructions.
//
// State: run only in that emulation so far, never on a processor that has the instructions.
struct VecAvx512 {
  using Lanes = __m512;
  using Pairs = __m512i;  // of bfloat16, in 32-bit lanes

  static constexpr int kDecodeLanes = 8;
  static constexpr int kTileTokens = 12;  // 24 of 32 registers accumulate, 2 hold weights
  static constexpr int kTilePanels = 2;
  static constexpr bool kHasPairs = true;

  // E4M3 is widened through binary16, whose exponent is biased by 8 more.
  template <DType kType>
  static constexpr float kFactor = 1;
  template <DType kType>
  static constexpr float kUnit = kType == DType::kF8E4M3 ? 256 : 1;

  template <DType kType>
  static Lanes SwapRowOrder(const Lanes& v) {
    return v;
  }

  static Lanes Zero() { return _mm512_setzero_ps(); }
  static Lanes Broadcast(float x) { return _mm512_set1_ps(x); }
  static Lanes Load(const float* p) { return _mm512_loadu_ps(p); }
  static void Store(float* p, const Lanes& v) { _mm512_storeu_ps(p, v); }
  static Lanes Mul(const Lanes& a, const Lanes& b) { return _mm512_mul_ps(a, b); }
  static Lanes Fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  static Lanes Add(const Lanes& a, const Lanes& b) { return _mm512_add_ps(a, b); }
  static Lanes Div(const Lanes& a, const Lanes& b) { return _mm512_div_ps(a, b); }
  static Lanes Max(const Lanes& a, const Lanes& b) { return _mm512_max_ps(a, b); }
  static Lanes Pow2(const Lanes& shifted) {
    const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(shifted), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(exponent, _mm512_set1_epi32(0x3F800000)));
  }

  template <DType kType>
  static void LoadPair(const std::byte* p, Lanes& even, Lanes& odd) {
    if constexpr (kType == DType::kF8E4M3) {
      const __m256i codes = LoadHalf(p);
      even = WidenF8(_mm256_slli_epi16(codes, 8));
      odd = WidenF8(codes);
    } else if constexpr (kType == DType::kBF16) {
      const __m512i codes = LoadInts(p);
      even = _mm512_castsi512_ps(_mm512_slli_epi32(codes, 16));
      odd = _mm512_castsi512_ps(_mm512_and_si512(codes, UpperHalves()));
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
      even = _mm512_cvtph_ps(LoadHalf(p));
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
      return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(LoadHalf(p)), 16));
    }
  }

  // Pairs of bfloat16, the lower column in the lower half.
  static Pairs LoadPairs(const uint32_t* p) { return _mm512_loadu_si512(p); }
  static void StorePairs(uint32_t* p, const Pairs& v) { _mm512_storeu_si512(p, v); }
  static Pairs BroadcastPair(uint32_t pair) { return _mm512_set1_epi32(static_cast<int>(pair)); }
  static Lanes DotPairs(const Pairs& a, const Pairs& b, const Lanes& sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<const __m512bh&>(a),
                            reinterpret_cast<const __m512bh&>(b));
  }
  // E4M3 values are exact in bfloat16, and normal there: the instruction flushes what is not.
  template <DType kType>
  static Pairs LoadPairs(const std::byte* p) {
    if constexpr (kType == DType::kBF16) {
      return LoadInts(p);
    } else {
      Lanes even, odd;
      LoadPair<kType>(p, even, odd);
      return _mm512_or_si512(_mm512_srli_epi32(_mm512_castps_si512(even), 16),
                             _mm512_castps_si512(odd));
    }
  }
  // (cols + 1) / 2 pairs of floats that are bfloat16 values; an odd last one beside a zero.
  static void PackPairs(const float* x, int64_t cols, uint32_t* out) {
    int64_t c = 0;
    for (; c + 32 <= cols; c += 32, out += 16) {
      const __m512i low = _mm512_srli_epi32(_mm512_castps_si512(Load(x + c)), 16);
      const __m512i high = _mm512_srli_epi32(_mm512_castps_si512(Load(x + c + 16)), 16);
      _mm512_storeu_si512(out, EvenHalves(low, high));
    }
    for (; c < cols; c += 2, ++out) {
      uint32_t pair[2] = {0, 0};
      __builtin_memcpy(pair, x + c, c + 1 < cols ? 8 : 4);
      *out = pair[0] >> 16 | (pair[1] & 0xFFFF0000U);
    }
  }

 private:
  static __m512i UpperHalves() { return _mm512_set1_epi32(static_cast<int>(0xFFFF0000U)); }
  static __m512i LoadInts(const std::byte* p) { return _mm512_loadu_si512(p); }
  static __m256i LoadHalf(const std::byte* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  // The lower halves of the 32-bit lanes of `low`, then those of `high`.
  static __m512i EvenHalves(__m512i low, __m512i high) {
    alignas(64) static constexpr uint16_t kIndex[32] = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20,
                                                        22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42,
                                                        44, 46, 48, 50, 52, 54, 56, 58, 60, 62};
    return _mm512_permutex2var_epi16(low, _mm512_loadu_si512(kIndex), high);
  }
  // Codes in the upper bytes of 16-bit lanes: an arithmetic shift by one puts sign, exponent and
  // mantissa in binary16's places; the mask clears the second copy of the sign and what lay below.
  static Lanes WidenF8(__m256i codes) {
    return _mm512_cvtph_ps(_mm256_and_si256(_mm256_srai_epi16(codes, 1),
                                            _mm256_set1_epi16(static_cast<short>(0xBF80))));
  }
};

}  // namespace fathom

#endif  // FATHOM_OPS_VEC_AVX512_H_
