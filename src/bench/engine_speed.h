#ifndef FATHOM_BENCH_ENGINE_SPEED_H_
#define FATHOM_BENCH_ENGINE_SPEED_H_

#include <cstdint>
#include <random>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/engine.h"
#include "ops/profile.h"
#include "sched/request.h"

namespace fathom {

// What an engine is timed at: `batch` sequences that hold `depth` tokens each compute `tokens` more
// of their prompts, or generate as many.
struct EngineCase {
  enum class Phase { kPrefill, kDecode };
  Phase phase = Phase::kPrefill;
  int64_t batch = 1;
  int64_t tokens = 1;
  int64_t depth = 0;  // a multiple of the engine's block_tokens

  // What a sequence takes of the cache.
  int64_t length() const { return depth + tokens + 1; }
};

// Of one run.
struct EngineSpeed {
  double seconds = 0;
  int64_t tokens = 0;
  std::vector<Profile::Part> parts;  // what the model did in that time
};

// Times cases on an engine with a prefix cache that nothing else uses. No prompt shares a beginning
// with another: what is timed is computed, and only `depth` comes out of the cache.
class EngineTimer {
 public:
  // All outlive the timer; `profile` is the one of the engine's model.
  EngineTimer(Engine& engine, Profile& profile, const Clock& clock, int64_t vocab, uint64_t seed);

  // Errors: what Engine::Submit says; a cache that lost what was to be the depth (kDoesNotFit).
  Result<EngineSpeed> Run(const EngineCase& measured);

 private:
  using Prompts = std::vector<std::vector<int32_t>>;
  // What came of some steps.
  struct Progress {
    int64_t tokens = 0;
    std::unordered_set<RequestId> begun;  // those that have a token
  };

  void Extend(Prompts& prompts, int64_t tokens);
  Status Submit(const Prompts& prompts, int64_t answer);
  // Steps until so many have begun their answer.
  Result<Progress> StepUntilBegun(int64_t sequences, int64_t cached);
  // Steps until all have ended.
  Result<Progress> StepUntilEnd(int64_t cached);
  // `cached` tokens of each prompt have to come out of the cache.
  static Status Take(const StepResult& step, int64_t cached, Progress& progress);

  Engine& engine_;
  Profile& profile_;
  const Clock& clock_;
  int64_t vocab_;
  std::mt19937_64 random_;
};

}  // namespace fathom

#endif  // FATHOM_BENCH_ENGINE_SPEED_H_
