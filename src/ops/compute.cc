#include "ops/compute.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr std::array<Isa, 3> kIsas = {Isa::kPortable, Isa::kAvx2, Isa::kAvx512};

#if defined(FATHOM_X86_KERNELS)
// The builtin asks CPUID and, for the wide registers, whether the operating system saves them.
// F16C is not asked for: clang 16 does not know the name here, and it is older than AVX2 (Ivy
// Bridge, Piledriver), so that each processor with AVX2 has it.
bool HasAvx2() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }

bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bf16") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
}
#else
bool HasAvx2() { return false; }
bool HasAvx512() { return false; }
#endif

}  // namespace

std::string_view IsaName(Isa isa) {
  constexpr std::array<std::string_view, 3> kNames = {"portable", "avx2", "avx512"};
  return kNames[static_cast<size_t>(isa)];
}

bool IsaAvailable(Isa isa) {
  if (isa == Isa::kAvx2) return HasAvx2();
  if (isa == Isa::kAvx512) return HasAvx2() && HasAvx512();
  return true;
}

Result<Isa> ChooseIsa(std::string_view forced) {
  Isa best = Isa::kPortable;
  for (const Isa isa : kIsas) {
    if (IsaAvailable(isa)) best = isa;
    if (forced != IsaName(isa)) continue;
    if (IsaAvailable(isa)) return isa;
    return BadInput(
        Format("this processor cannot run the {} kernels", forced), "FATHOM_ISA",
        Format("leave FATHOM_ISA empty; the best this processor has is {}", IsaName(best)));
  }
  if (forced.empty()) return best;
  return BadInput(Format("unknown instruction set \"{}\"", forced), "FATHOM_ISA",
                  "use portable, avx2 or avx512, or leave it empty for the best available");
}

}  // namespace fathom
