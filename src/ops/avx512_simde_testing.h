#ifndef FATHOM_OPS_AVX512_SIMDE_TESTING_H_
#define FATHOM_OPS_AVX512_SIMDE_TESTING_H_

// Makes vec_avx512.h and int8_avx512.h compile to code any processor runs: SIMDe takes the place of
// the intrinsics, the two it lacks are here. The vector types get names of their own, so that
// kernels over it are other symbols than those of the real instructions. Included before them.

#define FATHOM_EMULATED_AVX512
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512/add.h>
#include <simde/x86/avx512/and.h>
#include <simde/x86/avx512/cast.h>
#include <simde/x86/avx512/div.h>
#include <simde/x86/avx512/dpbf16.h>
#include <simde/x86/avx512/dpbusd.h>
#include <simde/x86/avx512/fmadd.h>
#include <simde/x86/avx512/loadu.h>
#include <simde/x86/avx512/max.h>
#include <simde/x86/avx512/mul.h>
#include <simde/x86/avx512/or.h>
#include <simde/x86/avx512/permutex2var.h>
#include <simde/x86/avx512/set1.h>
#include <simde/x86/avx512/setzero.h>
#include <simde/x86/avx512/slli.h>
#include <simde/x86/avx512/srli.h>
#include <simde/x86/avx512/storeu.h>
#include <simde/x86/f16c.h>

namespace fathom {

inline simde__m512 EmulatedCvtphPs(simde__m256i codes) {
  float out[16];
  simde_mm256_storeu_ps(out, simde_mm256_cvtph_ps(simde_mm256_castsi256_si128(codes)));
  simde_mm256_storeu_ps(out + 8, simde_mm256_cvtph_ps(simde_mm256_extractf128_si256(codes, 1)));
  return simde_mm512_loadu_ps(out);
}

inline simde__m512i EmulatedCvtepu16Epi32(simde__m256i codes) {
  unsigned short in[16];
  unsigned int out[16];
  simde_mm256_storeu_si256(reinterpret_cast<simde__m256i*>(in), codes);
  for (int i = 0; i < 16; ++i) out[i] = in[i];
  return simde_mm512_loadu_si512(out);
}

}  // namespace fathom

#undef _mm512_cvtph_ps
#define _mm512_cvtph_ps(codes) ::fathom::EmulatedCvtphPs(codes)
#undef _mm512_cvtepu16_epi32
#define _mm512_cvtepu16_epi32(codes) ::fathom::EmulatedCvtepu16Epi32(codes)
#define VecAvx512 VecAvx512Emulated
#define Int8Avx512 Int8Avx512Emulated

#endif  // FATHOM_OPS_AVX512_SIMDE_TESTING_H_
