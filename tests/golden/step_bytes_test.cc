// The memory a step is said to need against the memory it asks for: what is counted too low ends
// in an out-of-memory kill after an hour's load, what is counted too high is missing in the cache.

#include "model/step_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "golden_case.h"
#include "golden_testing.h"
#include "ops/compute.h"
#include "run_model.h"
#include "spec/weight_format.h"

namespace fathom {
namespace {

using GoldenStepBytes = GoldenTest;

TEST_P(GoldenStepBytes, AreWhatTheFirstStepAllocates) {
  for (const WeightFormat weights : {WeightFormat::kAuto, WeightFormat::kW8A8}) {
    const int threads = weights == WeightFormat::kAuto ? 3 : 1;
    LoadedModel loaded = Load(Activations::kBfloat16, threads, weights);
    const auto& prompt = golden().Prompt("p048").tokens;
    const auto tokens = static_cast<int64_t>(prompt.size());
    const int64_t counted =
        StepBytes(loaded.model->config(), {.tokens = tokens,
                                           .logit_rows = tokens,
                                           .threads = threads,
                                           .mtp = loaded.model->has_mtp(),
                                           .int8 = weights == WeightFormat::kW8A8});
    const int64_t asked = AllocationsOf(loaded, prompt, 0).first;
    EXPECT_LE(asked, counted);
    EXPECT_GE(asked, counted * 3 / 4);  // the splits of a long context are counted, not made here
  }
}

FATHOM_GOLDEN_SUITE(GoldenStepBytes);

}  // namespace
}  // namespace fathom
