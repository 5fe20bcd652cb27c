#ifndef FATHOM_WEIGHTS_TENSOR_PROBLEM_H_
#define FATHOM_WEIGHTS_TENSOR_PROBLEM_H_

#include <string>
#include <string_view>

namespace fathom {

// A tensor of a checkpoint that does not fit the configuration. Messages and reports are both made
// from it.
struct TensorProblem {
  enum class Kind { kMissing, kSurplus, kShape, kType };

  Kind kind = Kind::kMissing;
  std::string name;
  std::string expected;  // "BF16 [48]"; empty: no such tensor
  std::string found;     // the same; empty: missing
  std::string file;      // that it was found in

  std::string_view KindName() const;   // "missing", "surplus", "shape", "type"
  std::string_view CountedAs() const;  // "missing", "surplus", "of another shape", ...
  // "model.norm.weight: I32 [48] in model-00002-of-00002.safetensors, expected BF16 [48]"
  std::string ToString() const;
};

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_TENSOR_PROBLEM_H_
