#ifndef FATHOM_ENGINE_ENGINE_TESTING_H_
#define FATHOM_ENGINE_ENGINE_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "engine/memory_executor_testing.h"
#include "engine/sampler.h"
#include "sched/scheduler.h"
#include "tensor/mat_view.h"

namespace fathom {

using Tokens = std::vector<int32_t>;

inline constexpr int64_t kVocab = 50;

inline Tokens Prompt(int64_t size, uint64_t seed) {
  Tokens tokens;
  for (int64_t i = 0; i < size; ++i) {
    tokens.push_back(static_cast<int32_t>(SplitMix64At(seed, static_cast<uint64_t>(i)) % kVocab));
  }
  return tokens;
}

// What became of a request.
struct Outcome {
  Tokens tokens;
  std::optional<FinishReason> finish;
  std::string error;
  std::vector<std::vector<float>> logits;      // of a scored request, by position
  std::vector<std::vector<float>> mtp_logits;  // the same
};

inline std::string NotANumber(int position) {
  return Format(
      "error: the logit of token 0 is nan\n  where: logits after position {}\n"
      "  fix: a weight is damaged, or a sum left the range of its type: try --dtype float32; if "
      "that does not help, fetch the checkpoint again\n",
      position);
}

class EngineTest : public testing::Test {
 protected:
  void Make(const SchedulerConfig& scheduler, int64_t max_model_len = 64, bool mtp = false) {
    auto executor = std::make_unique<MemoryExecutor>(
        MemoryExecutor::Options{.vocab = kVocab,
                                .mtp = mtp,
                                .blocks = scheduler.blocks,
                                .block_tokens = scheduler.block_tokens});
    executor_ = executor.get();
    engine_ = std::make_unique<Engine>(
        std::move(executor), EngineConfig{.scheduler = scheduler, .max_model_len = max_model_len},
        pool_);
    outcomes_.clear();
  }
  void Make() { Make({.blocks = 64, .block_tokens = 4}); }

  RequestId Submit(GenerationRequest request) {
    const Result<RequestId> id = engine_->Submit(std::move(request));
    EXPECT_TRUE(id.ok()) << (id.ok() ? "" : id.error().what);
    return *id;
  }

  // One step; its events and rows go to outcomes_, where every promise about their order is
  // checked.
  StepResult Step() {
    StepResult result = engine_->Step();
    for (const EngineEvent& event : result.events) {
      Outcome& outcome = outcomes_[event.id];
      EXPECT_FALSE(outcome.finish.has_value()) << "an event after the end of " << event.id;
      EXPECT_NE(event.token.has_value(), event.finish.has_value());
      if (event.token) outcome.tokens.push_back(*event.token);
      outcome.finish = event.finish;
      if (event.error) outcome.error = event.error->ToString();
    }
    for (const ScoredRows& rows : result.scored) Keep(rows);
    return result;
  }

  void Keep(const ScoredRows& rows) {
    Outcome& outcome = outcomes_[rows.id];
    EXPECT_EQ(rows.first_position, static_cast<int64_t>(outcome.logits.size()));
    const auto append = [](const MatView<const float>& from, auto& to) {
      for (int64_t row = 0; row < from.rows(); ++row) {
        to.emplace_back(from[row].begin(), from[row].end());
      }
    };
    append(rows.logits, outcome.logits);
    append(rows.mtp_logits, outcome.mtp_logits);
  }

  void RunToEnd() {
    for (int steps = 0; !engine_->idle(); ++steps) {
      ASSERT_LT(steps, 10000);
      Step();
    }
  }

  // The tokens a sequence gets when it is alone in the world, without a cache.
  Tokens Oracle(const GenerationRequest& request) const {
    Sampler sampler;
    TokenHistory history;
    history.AddPrompt(request.prompt);
    Tokens tokens = request.prompt;
    Tokens answer;
    while (static_cast<int64_t>(answer.size()) < request.max_tokens) {
      const int32_t token =
          *sampler.Sample(executor_->LogitsAfter(tokens), request.sampling, history,
                          UniformAt(*request.sampling.seed, answer.size()));
      if (std::ranges::count(request.stop_token_ids, token) > 0) break;
      tokens.push_back(token);
      answer.push_back(token);
      history.AddAnswer(token);
    }
    return answer;
  }

  ThreadPool pool_{2};
  MemoryExecutor* executor_ = nullptr;
  std::unique_ptr<Engine> engine_;
  std::map<RequestId, Outcome> outcomes_;
};

inline GenerationRequest Greedy(Tokens prompt, int64_t max_tokens) {
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = max_tokens;
  request.sampling.temperature = 0;
  request.sampling.seed = 0;
  return request;
}

inline GenerationRequest Score(Tokens prompt, bool mtp = false) {
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.score = true;
  request.score_mtp = mtp;
  return request;
}

}  // namespace fathom

#endif  // FATHOM_ENGINE_ENGINE_TESTING_H_
