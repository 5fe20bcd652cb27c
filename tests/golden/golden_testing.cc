#include "golden_testing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "golden_case.h"
#include "ops/compute.h"
#include "run_model.h"
#include "tensor/mat_view.h"

namespace fathom {

GoldenSet TheGoldenSet() {
  Result<GoldenSet> set = FindGoldenSet();
  return set.ok() ? std::move(set).value() : GoldenSet{};
}

std::string ActivationsName(Activations activations) {
  return activations == Activations::kFloat32 ? "float32" : "bfloat16";
}

void GoldenTest::SetUp() {
  const auto& [name, isa] = GetParam();
  if (!IsaAvailable(isa)) {
    GTEST_SKIP() << "this processor has no " << IsaName(isa);
  }
  golden_ = ReadGoldenCase(TheGoldenSet(), name);
}

LoadedModel GoldenTest::Load(Activations activations, int threads, WeightFormat weights) const {
  return LoadModel(golden_.checkpoint, std::get<Isa>(GetParam()), activations, threads, weights);
}

std::string GoldenTest::Label(Activations activations) const {
  return golden_.name + " " + ActivationsName(activations) + " " +
         std::string(IsaName(std::get<Isa>(GetParam())));
}

std::vector<std::string> GoldenCases() { return TheGoldenSet().cases; }

std::string GoldenName(const testing::TestParamInfo<std::tuple<std::string, Isa>>& info) {
  const auto& [name, isa] = info.param;
  return name + "_" + std::string(IsaName(isa));
}

double MaxAbsDifference(MatView<const float> a, MatView<const float> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (int64_t r = 0; r < a.rows(); ++r) {
    for (size_t c = 0; c < a[r].size(); ++c) {
      const double difference = std::abs(static_cast<double>(a[r][c]) - b[r][c]);
      if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, difference);
    }
  }
  return largest;
}

}  // namespace fathom

int main(int argc, char** argv) {
  const fathom::Result<fathom::GoldenSet> set = fathom::FindGoldenSet();
  if (!set.ok()) {
    std::fputs(set.error().ToString().c_str(), stderr);
    return 2;
  }
  std::printf("golden data: %s set, %zu cases, from %s\n", set->full ? "full" : "compact",
              set->cases.size(), set->folder.c_str());
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
