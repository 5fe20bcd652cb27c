#include "bench/engine_speed.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "engine/engine.h"
#include "ops/profile.h"
#include "sched/request.h"

namespace fathom {

EngineTimer::EngineTimer(Engine& engine, Profile& profile, const Clock& clock, int64_t vocab,
                         uint64_t seed)
    : engine_(engine), profile_(profile), clock_(clock), vocab_(vocab), random_(seed) {}

Result<EngineSpeed> EngineTimer::Run(const EngineCase& measured) {
  FATHOM_CHECK(measured.batch >= 1 && measured.tokens >= 1 && measured.depth >= 0);
  FATHOM_CHECK(measured.depth % engine_.config().scheduler.block_tokens == 0);
  Prompts prompts(static_cast<size_t>(measured.batch));
  if (measured.depth > 0) {
    Extend(prompts, measured.depth);
    FATHOM_OK(Submit(prompts, 1));
    FATHOM_TRY([[maybe_unused]] const Progress filled, StepUntilEnd(0));
  }
  const bool prefill = measured.phase == EngineCase::Phase::kPrefill;
  Extend(prompts, prefill ? measured.tokens : 1);
  FATHOM_OK(Submit(prompts, prefill ? 1 : measured.tokens + 1));
  if (!prefill) {
    FATHOM_TRY([[maybe_unused]] const Progress first,
               StepUntilBegun(measured.batch, measured.depth));
  }
  profile_.Clear();
  const double began = clock_.Seconds();
  FATHOM_TRY(const Progress done, StepUntilEnd(measured.depth));
  return EngineSpeed{.seconds = clock_.Seconds() - began,
                     .tokens = prefill ? measured.batch * measured.tokens : done.tokens,
                     .parts = profile_.parts()};
}

void EngineTimer::Extend(Prompts& prompts, int64_t tokens) {
  std::uniform_int_distribution<int32_t> id(0, static_cast<int32_t>(vocab_) - 1);
  for (std::vector<int32_t>& prompt : prompts) {
    for (int64_t i = 0; i < tokens; ++i) prompt.push_back(id(random_));
  }
}

Status EngineTimer::Submit(const Prompts& prompts, int64_t answer) {
  for (const std::vector<int32_t>& prompt : prompts) {
    GenerationRequest request;
    request.prompt = prompt;
    request.sampling.temperature = 0;
    request.max_tokens = answer;
    FATHOM_TRY([[maybe_unused]] const RequestId id, engine_.Submit(std::move(request)));
  }
  return Ok();
}

Result<EngineTimer::Progress> EngineTimer::StepUntilBegun(int64_t sequences, int64_t cached) {
  Progress progress;
  while (static_cast<int64_t>(progress.begun.size()) < sequences) {
    FATHOM_CHECK(!engine_.idle());
    FATHOM_OK(Take(engine_.Step(), cached, progress));
  }
  return progress;
}

Result<EngineTimer::Progress> EngineTimer::StepUntilEnd(int64_t cached) {
  Progress progress;
  while (!engine_.idle()) FATHOM_OK(Take(engine_.Step(), cached, progress));
  return progress;
}

Status EngineTimer::Take(const StepResult& step, int64_t cached, Progress& progress) {
  for (const EngineEvent& event : step.events) {
    if (event.error) return *event.error;
    if (event.cached_tokens != cached) {
      return DoesNotFit(Format("{} of the {} tokens that a sequence was to hold were in the cache",
                               event.cached_tokens, cached),
                        "", "give the cache more memory, or ask for a smaller batch or depth");
    }
    if (!event.token) continue;
    ++progress.tokens;
    progress.begun.insert(event.id);
  }
  return Ok();
}

}  // namespace fathom
