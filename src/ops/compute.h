#ifndef FATHOM_OPS_COMPUTE_H_
#define FATHOM_OPS_COMPUTE_H_

#include <string_view>

#include "base/result.h"
#include "base/thread_pool.h"

namespace fathom {

enum class Isa { kPortable, kAvx2, kAvx512 };

std::string_view IsaName(Isa isa);  // "portable", "avx2", "avx512"
// True when this processor (and operating system) can run the kernels of `isa`. AVX-512 means F,
// BW, VL, DQ, BF16 and VNNI.
bool IsaAvailable(Isa isa);
// The best available, or the one `forced` names (the value of FATHOM_ISA; empty: not forced).
// Errors (kBadInput): an unknown name, or one this processor cannot run.
Result<Isa> ChooseIsa(std::string_view forced);

// The precision of activations between operators. Accumulation, norms, softmax and the residual
// stream are float32 in both.
enum class Activations { kFloat32, kBfloat16 };

class Int8Rows;
class Profile;

// What operators run on; passed to each. What it points at outlives it.
struct Compute {
  ThreadPool* pool = nullptr;
  Isa isa = Isa::kPortable;
  Activations activations = Activations::kFloat32;
  Int8Rows* int8_rows = nullptr;  // for products with eight-bit weights (ops/int8_rows.h)
  Profile* profile = nullptr;     // where they say what they do (ops/profile.h); null: nowhere
};

}  // namespace fathom

#endif  // FATHOM_OPS_COMPUTE_H_
