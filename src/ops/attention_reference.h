#ifndef FATHOM_OPS_ATTENTION_REFERENCE_H_
#define FATHOM_OPS_ATTENTION_REFERENCE_H_

#include <vector>

#include "ops/attention.h"

namespace fathom {

struct ReferenceAttention {
  std::vector<double> out;        // [heads, value_dim]
  std::vector<double> magnitude;  // the same of absolute values, for error bounds
  double score_magnitude = 0;     // the largest scale * sum |q||key| of a head and row
};

// A task by its definition, in float64.
ReferenceAttention AttentionReference(const AttentionTask& task, double scale);

}  // namespace fathom

#endif  // FATHOM_OPS_ATTENTION_REFERENCE_H_
