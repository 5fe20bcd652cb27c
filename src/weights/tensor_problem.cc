#include "weights/tensor_problem.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/format.h"

namespace fathom {

std::string_view TensorProblem::KindName() const {
  constexpr std::array<std::string_view, 4> kNames = {"missing", "surplus", "shape", "type"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view TensorProblem::CountedAs() const {
  constexpr std::array<std::string_view, 4> kNames = {"missing", "surplus", "of another shape",
                                                      "of another type"};
  return kNames[static_cast<size_t>(kind)];
}

std::string TensorProblem::ToString() const {
  const std::string_view wanted = expected.empty() ? "none" : std::string_view(expected);
  if (found.empty()) return Format("{}: missing, expected {}", name, wanted);
  return Format("{}: {} in {}, expected {}", name, found, file, wanted);
}

}  // namespace fathom
