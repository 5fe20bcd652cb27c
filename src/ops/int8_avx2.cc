#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ops/int8_kernel.h"
#include "ops/int8_rows.h"

namespace fathom {
namespace {

// AVX2 multiplies pairs of 16-bit integers and adds them in one instruction. (Of its instruction
// for bytes one side is unsigned and its sums saturate; giving the signs to the other side costs as
// many instructions, more of them on the multipliers.) Codes of weights are widened on the way from
// the cache. A sum register holds four rows, each in two halves that meet at the end.
struct Int8Avx2 {
  static constexpr Int8Form kForm = Int8Form::kWide;
  static constexpr int64_t kXBytes = 8;
  static constexpr int kParts = 4;
  static constexpr int kDecodePanels = 3;  // 12 of 16 registers sum
  static constexpr int kTileTokens = 6;    // 12 sum, 2 hold weights
  static constexpr int kTileParts = 2;

  using Part = __m256i;
  struct Sums {
    Part parts[kParts];
  };
  using Weights = __m256i;
  using X = __m256i;

  static void Clear(Sums& sums) {
    for (Part& part : sums.parts) part = _mm256_setzero_si256();
  }
  static Weights LoadWeights(const std::byte* codes) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
  }
  static X LoadX(const std::byte* codes) {
    long long four = 0;
    std::memcpy(&four, codes, sizeof(four));
    return _mm256_set1_epi64x(four);
  }
  static void MulAdd(const X& x, const Weights& weights, Part& sums) {
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(x, weights));
  }
  static void Store(const Sums& sums, int32_t* rows) {
    int32_t halves[32];
    for (int i = 0; i < 4; ++i) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(halves + 8 * i), sums.parts[i]);
    }
    for (int r = 0; r < 16; ++r) rows[r] = halves[2 * r] + halves[2 * r + 1];
  }
};

}  // namespace

Int8Kernel Int8KernelAvx2() { return {Int8StripKernel<Int8Avx2>::Run, Int8Avx2::kForm}; }

}  // namespace fathom
