#include "ops/profile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/clock_testing.h"
#include "base/thread_pool.h"
#include "ops/compute.h"
#include "ops/mat_mul.h"
#include "ops/packed_matrix.h"
#include "tensor/dtype.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

TEST(Profile, PartsGatherTimeAndWorkOverSteps) {
  ManualClock clock;
  Profile profile(clock);
  Compute compute;
  compute.profile = &profile;
  for (int step = 0; step < 3; ++step) {
    for (int64_t layer = 0; layer < 2; ++layer) {
      const ProfiledLayer profiled(compute, layer);
      for (const char* name : {"norm", "mlp", "norm"}) {
        const ProfiledPart part(compute, name);
        clock.Pass(layer == 0 ? 1 : 2);
        CountWork(compute, 10, 100);
      }
    }
    const ProfiledPart part(compute, "head");
    CountValues(compute, 3);
  }
  CountWork(compute, 1000, 1000);  // outside any part
  const std::vector<Profile::Part>& parts = profile.parts();
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts[0].name, "norm");
  EXPECT_EQ(parts[0].layer, 0);
  EXPECT_EQ(parts[0].calls, 6);
  EXPECT_DOUBLE_EQ(parts[0].seconds, 6);
  EXPECT_DOUBLE_EQ(parts[0].bytes, 60);
  EXPECT_DOUBLE_EQ(parts[0].operations, 600);
  EXPECT_EQ(parts[3].name, "mlp");
  EXPECT_EQ(parts[3].layer, 1);
  EXPECT_DOUBLE_EQ(parts[3].seconds, 6);
  EXPECT_EQ(parts[4].name, "head");
  EXPECT_EQ(parts[4].layer, Profile::kNoLayer);
  EXPECT_DOUBLE_EQ(parts[4].bytes, 36);
  profile.Clear();
  EXPECT_TRUE(profile.parts().empty());
}

TEST(Profile, AProductReadsItsWeightAndMultipliesEachElementOnceARow) {
  ManualClock clock;
  Profile profile(clock);
  ThreadPool pool(1);
  const Compute compute{.pool = &pool, .profile = &profile};
  const PackedMatrix weight(DType::kF32, 32, 20);
  Matrix<float> x(3, 20);
  Matrix<float> out(3, 32);
  const MatMulTask task{x.view(), &weight, out.view()};
  {
    const ProfiledPart part(compute, "product");
    MatMul(compute, {&task, 1});
  }
  EXPECT_DOUBLE_EQ(profile.parts()[0].operations, 2 * 3 * 20 * 32);
  EXPECT_DOUBLE_EQ(profile.parts()[0].bytes,
                   static_cast<double>(weight.bytes()) + 4 * 3 * (20 + 32));
}

}  // namespace
}  // namespace fathom
