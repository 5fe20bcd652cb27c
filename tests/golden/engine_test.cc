// The engine's own loop over the model: all prompts are scored and continued at once, batched, cut
// into pieces, on pages, and preempted when the cache is small. None of it may change a bit.

#include "engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/model_executor.h"
#include "golden_case.h"
#include "golden_testing.h"
#include "npy_file.h"
#include "ops/compute.h"
#include "run_model.h"
#include "sched/scheduler.h"
#include "tensor/mat_view.h"
#include "tensor/same_bits_testing.h"

namespace fathom {
namespace {

constexpr double kClearMargin = 0.01;
const SteadyClock kClock;

using GoldenEngine = GoldenTest;

struct EngineRow {
  const char* name;
  SchedulerConfig scheduler;  // blocks 0: just enough for the longest sequence alone
};

constexpr EngineRow kRows[] = {
    {"whole", {.blocks = 400, .max_batched_tokens = 4096, .max_logit_rows = 4096}},
    {"token by token", {.blocks = 400, .max_batched_tokens = 1}},
    {"in sevens", {.blocks = 1000, .block_tokens = 5, .max_batched_tokens = 7}},
    {"in 64s", {.blocks = 400, .max_batched_tokens = 64, .max_sequences = 5, .max_logit_rows = 9}},
    {"preempted",
     {.blocks = 0, .block_tokens = 4, .max_batched_tokens = 64, .prefix_cache = false}},
};

// What the engine answered to the continuations and to the scores, in the order they were asked.
struct Answers {
  std::vector<std::vector<int32_t>> continuations;
  std::vector<PromptResult> scores;
  int64_t prompt_tokens = 0;  // computed, again after preemptions too
};

GenerationRequest Continue(const GoldenCase& golden, const GoldenGreedy& run) {
  GenerationRequest request;
  request.prompt = golden.Prompt(run.prompt).tokens;
  request.max_tokens = static_cast<int64_t>(run.tokens.size());
  request.sampling.temperature = 0;
  return request;
}

GenerationRequest Score(const GoldenPrompt& prompt, bool mtp) {
  GenerationRequest request;
  request.prompt = prompt.tokens;
  request.score = true;
  request.score_mtp = mtp;
  return request;
}

void CopyRows(MatView<const float> from, int64_t first, Matrix<float>& to) {
  for (int64_t row = 0; row < from.rows(); ++row) {
    std::ranges::copy(from[row], to[first + row].begin());
  }
}

int64_t LongestSequence(const GoldenCase& golden) {
  int64_t longest = 0;
  for (const GoldenPrompt& prompt : golden.prompts) {
    longest = std::max(longest, static_cast<int64_t>(prompt.tokens.size()));
  }
  for (const GoldenGreedy& run : golden.greedy) {
    longest = std::max(
        longest, static_cast<int64_t>(golden.Prompt(run.prompt).tokens.size() + run.tokens.size()));
  }
  return longest;
}

std::unique_ptr<Engine> EngineFor(const GoldenCase& golden, LoadedModel& loaded,
                                  SchedulerConfig scheduler) {
  const int64_t longest = LongestSequence(golden);
  if (scheduler.blocks == 0) {
    scheduler.blocks = (longest + scheduler.block_tokens - 1) / scheduler.block_tokens;
  }
  return MakeEngine(
      *loaded.model,
      {.scheduler = scheduler, .kv_dtype = loaded.CacheType(), .max_model_len = longest},
      loaded.compute, kClock);
}

// Continuations are asked first: they are the older ones, whose growth preempts.
std::map<RequestId, size_t> SubmitAll(const GoldenCase& golden, LoadedModel& loaded, Engine& engine,
                                      Answers& answers) {
  std::map<RequestId, size_t> index;
  for (const GoldenGreedy& run : golden.greedy) {
    index[ValueOrExit(engine.Submit(Continue(golden, run)))] = answers.continuations.size();
    answers.continuations.emplace_back();
  }
  const bool mtp = loaded.model->has_mtp();
  const int64_t vocab = loaded.model->config().vocab;
  for (const GoldenPrompt& prompt : golden.prompts) {
    index[ValueOrExit(engine.Submit(Score(prompt, mtp)))] = answers.scores.size();
    PromptResult& result = answers.scores.emplace_back();
    const auto tokens = static_cast<int64_t>(prompt.tokens.size());
    result.logits.Resize(tokens, vocab);
    if (mtp) result.mtp.Resize(tokens - 1, vocab);
  }
  return index;
}

Answers RunEngine(const GoldenCase& golden, LoadedModel& loaded, const EngineRow& row) {
  Answers answers;
  const std::unique_ptr<Engine> engine = EngineFor(golden, loaded, row.scheduler);
  const std::map<RequestId, size_t> index = SubmitAll(golden, loaded, *engine, answers);
  while (!engine->idle()) {
    const StepResult step = engine->Step();
    answers.prompt_tokens += step.prompt_tokens;
    for (const EngineEvent& event : step.events) {
      if (event.token) answers.continuations[index.at(event.id)].push_back(*event.token);
      EXPECT_FALSE(event.error) << row.name;
    }
    for (const ScoredRows& rows : step.scored) {
      PromptResult& result = answers.scores[index.at(rows.id)];
      CopyRows(rows.logits, rows.first_position, result.logits);
      CopyRows(rows.mtp_logits, rows.first_position, result.mtp);
    }
  }
  return answers;
}

void ExpectSameAnswers(const Answers& found, const Answers& expected, const char* name) {
  EXPECT_EQ(found.continuations, expected.continuations) << name;
  for (size_t i = 0; i < found.scores.size(); ++i) {
    EXPECT_TRUE(SameBits(found.scores[i].logits.view(), expected.scores[i].logits.view()))
        << name << ", prompt " << i;
    EXPECT_TRUE(SameBits(found.scores[i].mtp.view(), expected.scores[i].mtp.view()))
        << name << ", MTP, prompt " << i;
  }
}

void ExpectSameAnswersForEveryRow(GoldenCase golden, LoadedModel& loaded) {
  // The longest prompt would take most of the time and show no more.
  std::erase_if(golden.prompts, [](const GoldenPrompt& p) { return p.tokens.size() > 130; });
  const Answers expected = RunEngine(golden, loaded, kRows[0]);
  for (const EngineRow& row : std::span(kRows).subspan(1)) {
    const Answers found = RunEngine(golden, loaded, row);
    ExpectSameAnswers(found, expected, row.name);
    if (row.scheduler.blocks == 0) {
      EXPECT_GT(found.prompt_tokens, expected.prompt_tokens);
    }
  }
}

void ExpectGoldenLogits(const GoldenCase& golden, const Answers& answers) {
  for (size_t i = 0; i < answers.scores.size(); ++i) {
    const GoldenPrompt& prompt = golden.prompts[i];
    if (prompt.logits.empty()) continue;
    EXPECT_LE(MaxAbsDifference(answers.scores[i].logits.view(), ReadFloats(prompt.logits).Slice()),
              kLogitTolerance)
        << prompt.id;
  }
  for (const GoldenMtp& run : golden.mtp) {
    if (run.postnorm.empty()) continue;
    const auto index = static_cast<size_t>(&golden.Prompt(run.prompt) - golden.prompts.data());
    EXPECT_LE(MaxAbsDifference(answers.scores[index].mtp.view(), ReadFloats(run.postnorm).Slice()),
              kLogitTolerance)
        << "MTP " << run.prompt;
  }
}

void ExpectGoldenContinuations(const GoldenCase& golden, const Answers& answers) {
  for (size_t i = 0; i < golden.greedy.size(); ++i) {
    const GoldenGreedy& run = golden.greedy[i];
    const std::vector<int32_t>& found = answers.continuations[i];
    const auto unclear =
        std::ranges::find_if(run.margin, [](double m) { return m < kClearMargin; });
    const auto clear = unclear - run.margin.begin();
    ASSERT_EQ(found.size(), run.tokens.size()) << run.prompt;
    EXPECT_TRUE(std::equal(run.tokens.begin(), run.tokens.begin() + clear, found.begin()))
        << run.prompt;
  }
}

// One cut of the steps is enough: the tests below say that all give the same bits.
TEST_P(GoldenEngine, ScoresAndContinuationsAskedForAtOnceMeetTheGoldenData) {
  LoadedModel loaded = Load(Activations::kFloat32);
  const Answers answers = RunEngine(golden(), loaded, kRows[0]);
  ExpectGoldenLogits(golden(), answers);
  ExpectGoldenContinuations(golden(), answers);
}

TEST_P(GoldenEngine, SameBitsHoweverTheStepsAreCutInFloat32) {
  LoadedModel loaded = Load(Activations::kFloat32, /*threads=*/1);
  ExpectSameAnswersForEveryRow(golden(), loaded);
}

TEST_P(GoldenEngine, SameBitsHoweverTheStepsAreCutInBfloat16) {
  LoadedModel loaded = Load(Activations::kBfloat16, /*threads=*/1);
  ExpectSameAnswersForEveryRow(golden(), loaded);
}

FATHOM_GOLDEN_SUITE(GoldenEngine);

}  // namespace
}  // namespace fathom
