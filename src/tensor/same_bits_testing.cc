#include "tensor/same_bits_testing.h"

#include <cstdint>
#include <cstring>

#include "tensor/mat_view.h"

namespace fathom {

bool SameBits(MatView<const float> a, MatView<const float> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (int64_t r = 0; r < a.rows(); ++r) {
    if (std::memcmp(a[r].data(), b[r].data(), a[r].size_bytes()) != 0) return false;
  }
  return true;
}

}  // namespace fathom
