// Operators are batch-invariant, so what shares a step with a token, how its prompt was cut, where
// its cache rows lie and how many threads there are must not change one bit of its logits.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "golden_case.h"
#include "golden_testing.h"
#include "ops/compute.h"
#include "run_model.h"
#include "tensor/mat_view.h"
#include "tensor/same_bits_testing.h"

namespace fathom {
namespace {

using GoldenBatching = GoldenTest;

constexpr int64_t kSplitTokens = 512;  // attention sums a longer context in several parts

struct ScheduleRow {
  const char* name;
  int threads;
  Schedule schedule;
};

// Compared with whole prompts, one by one, on one thread. Few rows have more threads: on a busy
// machine every small operator then waits for all of them to be woken.
constexpr ScheduleRow kRows[] = {
    {"token by token", 1, {.chunk_tokens = 1}},
    {"in sevens", 1, {.chunk_tokens = 7}},
    {"in 64s", 1, {.chunk_tokens = 64}},
    {"two threads", 2, {}},
    {"three threads", 3, {}},
    {"blocks scattered", 1, {.chunk_tokens = 64, .scatter_blocks = true, .block_tokens = 4}},
    {"all prompts together", 3, {.together = true}},
    {"prompts mixed with decoding",
     1,
     {.chunk_tokens = 7, .together = true, .scatter_blocks = true, .block_tokens = 8}},
};

// Prompts of 1 to 65 tokens: the longest is one more than a chunk and several blocks.
std::vector<std::vector<int32_t>> ShortPrompts(const GoldenCase& golden) {
  std::vector<std::vector<int32_t>> prompts;
  for (const GoldenPrompt& prompt : golden.prompts) {
    if (prompt.tokens.size() <= 65) prompts.push_back(prompt.tokens);
  }
  return prompts;
}

std::vector<PromptResult> RunOnThreads(LoadedModel& loaded, int threads,
                                       std::span<const std::vector<int32_t>> prompts,
                                       const Schedule& schedule) {
  ThreadPool pool(threads);
  Compute compute = loaded.compute;
  compute.pool = &pool;
  std::swap(loaded.compute, compute);
  auto results = RunPrompts(loaded, prompts, schedule);
  std::swap(loaded.compute, compute);
  return results;
}

void ExpectSameBitsForEverySchedule(const GoldenCase& golden, LoadedModel& loaded) {
  const auto prompts = ShortPrompts(golden);
  const auto expected = RunPrompts(loaded, prompts, {});
  for (const ScheduleRow& row : kRows) {
    const auto results = RunOnThreads(loaded, row.threads, prompts, row.schedule);
    for (size_t i = 0; i < prompts.size(); ++i) {
      EXPECT_TRUE(SameBits(results[i].logits.view(), expected[i].logits.view()))
          << row.name << ", prompt of " << prompts[i].size();
      EXPECT_TRUE(SameBits(results[i].mtp.view(), expected[i].mtp.view()))
          << row.name << ", MTP, prompt of " << prompts[i].size();
    }
  }
}

TEST_P(GoldenBatching, SameBitsForEveryScheduleInFloat32) {
  LoadedModel loaded = Load(Activations::kFloat32);
  ExpectSameBitsForEverySchedule(golden(), loaded);
}

TEST_P(GoldenBatching, SameBitsForEveryScheduleInBfloat16) {
  LoadedModel loaded = Load(Activations::kBfloat16);
  ExpectSameBitsForEverySchedule(golden(), loaded);
}

// A step that is no larger than one before it finds all memory there: a piece of a prompt, and a
// token alone, both with a context of more than one split of attention.
TEST_P(GoldenBatching, AWarmStepAllocatesNothing) {
  for (const int threads : {1, 3}) {
    LoadedModel loaded = Load(Activations::kBfloat16, threads);
    const auto prompt = MadeUpPrompt(kSplitTokens + 65, loaded.model->config().vocab);
    EXPECT_EQ(AllocationsOf(loaded, prompt, kSplitTokens + 1).again, 0) << threads << " threads";
    EXPECT_EQ(AllocationsOf(loaded, prompt, kSplitTokens + 64).again, 0) << threads << " threads";
  }
}

// One case, since a long prompt takes long: the sums of its contexts have three parts, and its last
// token is alone in a step of 64s, where the threads share one token's parts.
using LongContextGoldenBatching = GoldenTest;

TEST_P(LongContextGoldenBatching, SameBitsForEveryCutAndThreadCount) {
  LoadedModel loaded = Load(Activations::kFloat32);
  const auto prompt = MadeUpPrompt(2 * kSplitTokens + 65, loaded.model->config().vocab);
  const auto expected = RunPrompts(loaded, {&prompt, 1}, {});
  for (const ScheduleRow& row :
       {ScheduleRow{"in 64s", 1, {.chunk_tokens = 64}}, ScheduleRow{"whole, three threads", 3, {}},
        ScheduleRow{"in 64s, three threads", 3, {.chunk_tokens = 64}}}) {
    const auto results = RunOnThreads(loaded, row.threads, {&prompt, 1}, row.schedule);
    EXPECT_TRUE(SameBits(results[0].logits.view(), expected[0].logits.view())) << row.name;
  }
}

FATHOM_GOLDEN_SUITE(GoldenBatching);
INSTANTIATE_TEST_SUITE_P(, LongContextGoldenBatching,
                         testing::Combine(testing::Values("v3_negbias"),
                                          testing::Values(Isa::kPortable, Isa::kAvx2,
                                                          Isa::kAvx512)),
                         GoldenName);

}  // namespace
}  // namespace fathom
