#ifndef FATHOM_TESTS_GOLDEN_GOLDEN_TESTING_H_
#define FATHOM_TESTS_GOLDEN_GOLDEN_TESTING_H_

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "golden_case.h"
#include "ops/compute.h"
#include "run_model.h"
#include "spec/weight_format.h"
#include "tensor/mat_view.h"

namespace fathom {

// Of float32 logits (standard deviation about 4). The references differ among themselves by up to
// 8.9e-5; an engine as exact as they is within twice that of each, and half as much again is room.
// The smallest mistake that is known, router logits rounded to bfloat16, moves logits by 2.1e-3.
inline constexpr double kLogitTolerance = 3e-4;

// The set of this run; main has made sure that it is there.
GoldenSet TheGoldenSet();

std::string ActivationsName(Activations activations);

// A case on one instruction set: all golden tests run for each.
class GoldenTest : public testing::TestWithParam<std::tuple<std::string, Isa>> {
 protected:
  void SetUp() override;
  const GoldenCase& golden() const { return golden_; }
  LoadedModel Load(Activations activations, int threads = 1,
                   WeightFormat weights = WeightFormat::kAuto) const;
  // "v3_fp8 float32 avx2": what figures are printed for.
  std::string Label(Activations activations) const;

 private:
  GoldenCase golden_;
};

// Case names and instruction sets as parameters, and their names for gtest.
std::vector<std::string> GoldenCases();
std::string GoldenName(const testing::TestParamInfo<std::tuple<std::string, Isa>>& info);

#define FATHOM_GOLDEN_SUITE(suite)                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                        \
      , suite,                                                                     \
      testing::Combine(testing::ValuesIn(GoldenCases()),                           \
                       testing::Values(Isa::kPortable, Isa::kAvx2, Isa::kAvx512)), \
      GoldenName)

// The largest |a - b|; infinite when shapes differ or a value is not a number.
double MaxAbsDifference(MatView<const float> a, MatView<const float> b);

}  // namespace fathom

#endif  // FATHOM_TESTS_GOLDEN_GOLDEN_TESTING_H_
