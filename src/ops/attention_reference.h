#ifndef FATHOM_OPS_ATTENTION_REFERENCE_H_
#define FATHOM_OPS_ATTENTION_REFERENCE_H_

#include <vector>

#include "ops/attention.h"

namespace fathom {

// out[head][v] of a task by its definition, in float64.
std::vector<double> AttentionReference(const AttentionTask& task, double scale);

}  // namespace fathom

#endif  // FATHOM_OPS_ATTENTION_REFERENCE_H_
