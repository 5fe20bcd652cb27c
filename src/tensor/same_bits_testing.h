#ifndef FATHOM_TENSOR_SAME_BITS_TESTING_H_
#define FATHOM_TENSOR_SAME_BITS_TESTING_H_

#include "tensor/mat_view.h"

namespace fathom {

// True when both have one shape and each element the same bits: what batch invariance promises, and
// what == does not say of NaN and of zeros of either sign.
bool SameBits(MatView<const float> a, MatView<const float> b);

}  // namespace fathom

#endif  // FATHOM_TENSOR_SAME_BITS_TESTING_H_
