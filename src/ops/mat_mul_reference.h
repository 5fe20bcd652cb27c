#ifndef FATHOM_OPS_MAT_MUL_REFERENCE_H_
#define FATHOM_OPS_MAT_MUL_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "ops/packed_matrix.h"
#include "tensor/mat_view.h"

namespace fathom {

// Element (row, col) of a stored weight as its definition says, in float64.
double StoredElement(const StoredWeight& weight, int64_t row, int64_t col);

struct ReferenceProduct {
  std::vector<double> y;          // [m, rows]: x * W^T
  std::vector<double> magnitude;  // the same of absolute values, for error bounds
};

// The product by its definition, in float64.
ReferenceProduct MatMulReference(const StoredWeight& weight, MatView<const float> x);

}  // namespace fathom

#endif  // FATHOM_OPS_MAT_MUL_REFERENCE_H_
