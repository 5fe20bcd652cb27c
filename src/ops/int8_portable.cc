#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ops/int8_kernel.h"
#include "ops/int8_rows.h"

namespace fathom {
namespace {

// What the kernel asks of a vector type. A quad is four columns; the sums of a panel's sixteen rows
// are parts, a register each.
struct Int8Portable {
  static constexpr Int8Form kForm = Int8Form::kWide;
  static constexpr int64_t kXBytes = 8;  // of a token's quad
  static constexpr int kParts = 4;
  static constexpr int kDecodePanels = 1;  // side by side with one token
  static constexpr int kTileTokens = 2;    // and parts whose sums stand in registers together
  static constexpr int kTileParts = 4;

  struct Part {
    int32_t rows[4];
  };
  struct Sums {
    Part parts[kParts];
  };
  struct Weights {
    int8_t codes[16];  // [row][4]
  };
  struct X {
    int16_t codes[4];
  };

  static void Clear(Sums& sums) { sums = {}; }
  static Weights LoadWeights(const std::byte* codes) {
    Weights weights;
    std::memcpy(&weights, codes, sizeof(weights));
    return weights;
  }
  static X LoadX(const std::byte* codes) {
    X x;
    std::memcpy(&x, codes, sizeof(x));
    return x;
  }
  static void MulAdd(const X& x, const Weights& weights, Part& sums) {
    for (int r = 0; r < 4; ++r) {
      for (int c = 0; c < 4; ++c) sums.rows[r] += x.codes[c] * weights.codes[r * 4 + c];
    }
  }
  static void Store(const Sums& sums, int32_t* rows) { std::memcpy(rows, &sums, sizeof(sums)); }
};

}  // namespace

Int8Kernel Int8KernelPortable() {
  return {Int8StripKernel<Int8Portable>::Run, Int8Portable::kForm};
}

}  // namespace fathom
