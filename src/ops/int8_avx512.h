#ifndef FATHOM_OPS_INT8_AVX512_H_
#define FATHOM_OPS_INT8_AVX512_H_

#if !defined(FATHOM_EMULATED_AVX512)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ops/int8_rows.h"

namespace fathom {

// AVX-512 VNNI: sixteen rows of four columns are multiplied and summed in one instruction, unsigned
// activations (code + 128) times signed weights. What the 128 add is taken off at the end.
//
// State: run only in an emulation so far, never on a processor that has the instruction.
struct Int8Avx512 {
  static constexpr Int8Form kForm = Int8Form::kOffset;
  static constexpr int64_t kXBytes = 4;
  static constexpr int kParts = 1;
  static constexpr int kDecodePanels = 4;
  static constexpr int kTileTokens = 16;
  static constexpr int kTileParts = 1;

  using Part = __m512i;
  struct Sums {
    Part parts[1];
  };
  using Weights = __m512i;
  using X = __m512i;

  static void Clear(Sums& sums) { sums.parts[0] = _mm512_setzero_si512(); }
  static Weights LoadWeights(const std::byte* codes) { return _mm512_loadu_si512(codes); }
  static X LoadX(const std::byte* codes) {
    int32_t four = 0;
    std::memcpy(&four, codes, sizeof(four));
    return _mm512_set1_epi32(four);
  }
  static void MulAdd(const X& x, const Weights& weights, Part& sums) {
    sums = _mm512_dpbusd_epi32(sums, x, weights);
  }
  static void Store(const Sums& sums, int32_t* rows) { _mm512_storeu_si512(rows, sums.parts[0]); }
};

}  // namespace fathom

#endif  // FATHOM_OPS_INT8_AVX512_H_
