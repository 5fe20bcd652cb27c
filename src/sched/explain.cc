#include "sched/explain.h"

#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "sched/decision.h"
#include "sched/step_plan.h"

namespace fathom {
namespace {

RuleText MindieTextOf(Rule rule) {
  switch (rule) {
    case Rule::kLastWasEmpty:
      return {"last_was_empty", "the stage chosen first gave nothing and something runs",
              "3.1 (2)"};
    case Rule::kSwappedOut:
      return {"swapped_out", "something is swapped out", "3.1 (4)"};
    case Rule::kQueueDelay:
      return {"queue_delay", "nobody has waited for maxQueueDelayMicroseconds", "3.1 (4)"};
    case Rule::kFewFreeBlocks:
      return {"few_free_blocks", "less than 5 % of the blocks are free", "3.1 (4)"};
    case Rule::kPrefillAtOnce:
      return {"prefill_at_once", "the oldest has waited long enough, or a batch is full",
              "3.1 (4)"};
    case Rule::kThroughputEmpty:
      return {"throughput_empty", "nobody waits", "3.1, policy 1"};
    case Rule::kThroughputDecode:
      return {"throughput_decode", "a prefill would cost more than decoding has wasted",
              "3.1, policy 1"};
    case Rule::kThroughputPrefill:
      return {"throughput_prefill", "decoding has wasted what a prefill costs", "3.1, policy 1"};
    case Rule::kLaxityOnlyPrefill:
      return {"laxity_only_prefill", "nothing decodes", "3.1, policy 2"};
    case Rule::kLaxityOnlyDecode:
      return {"laxity_only_decode", "nobody waits", "3.1, policy 2"};
    case Rule::kLaxityBatchFull:
      return {"laxity_batch_full", "as many decode as tokens come in time for", "3.1, policy 2"};
    case Rule::kLaxityPrefill:
      return {"laxity_prefill", "the first prompt has less time to spare", "3.1, policy 2"};
    case Rule::kLaxityDecode:
      return {"laxity_decode", "decoding has no more time to spare", "3.1, policy 2"};
    default:
      FATHOM_CHECK(false && "every rule has a text");
      return {};
  }
}

Json PreemptionJson(const Preemption& preemption) {
  const bool waited = preemption.reason == Preemption::Reason::kFirstTokenWait;
  return Json::MakeObject({{"id", preemption.id},
                           {"how", preemption.swapped ? "swap" : "recompute"},
                           {"blocks", preemption.blocks},
                           {"for", preemption.in_favour_of},
                           {"why", waited ? "maxFirstTokenWaitTime" : "blocks"}});
}

Json LeftOutJson(const Decision& decision) {
  Json json = Json::MakeObject();
  // After a preemption nobody enters: it is no one's turn that failed.
  if (decision.left_out != LeftOut::kAfterPreemption) json.Set("id", decision.left_out_id);
  json.Set("why", LeftOutName(decision.left_out));
  if (decision.need > 0) {
    json.Set("need", decision.need);
    json.Set("have", decision.have);
  }
  return json;
}

}  // namespace

RuleText TextOf(Rule rule) {
  switch (rule) {
    case Rule::kNothingOpen:
      return {"nothing_open", "there is no request", ""};
    case Rule::kTokenBudget:
      return {"token_budget", "decoding first, then prompts as far as the budget goes", ""};
    case Rule::kPrefillFirst:
      return {"prefill_first", "a prompt waits", ""};
    case Rule::kNothingToPrefill:
      return {"nothing_to_prefill", "no prompt waits", ""};
    case Rule::kPromptGoesOn:
      return {"prompt_goes_on", "a prompt longer than a step is not finished", ""};
    default:
      return MindieTextOf(rule);
  }
}

std::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kNone:
      return "none";
    case Stage::kPrefill:
      return "prefill";
    case Stage::kDecode:
      return "decode";
    case Stage::kMixed:
      return "mixed";
  }
  return "";
}

std::string_view LeftOutName(LeftOut why) {
  switch (why) {
    case LeftOut::kNobody:
      return "nobody";
    case LeftOut::kStage:
      return "stage";
    case LeftOut::kBlocks:
      return "blocks";
    case LeftOut::kSequences:
      return "sequences";
    case LeftOut::kTokens:
      return "tokens";
    case LeftOut::kLogitRows:
      return "logit_rows";
    case LeftOut::kBatch:
      return "prefill_batch";
    case LeftOut::kAfterPreemption:
      return "after_preemption";
    case LeftOut::kPrefix:
      return "prefix";
  }
  return "";
}

StepRecord RecordStep(const StepPlan& plan, double now_s) {
  StepRecord step{.now_s = now_s,
                  .decision = plan.decision,
                  .shape = plan.shape,
                  .preempted = plan.preempted,
                  .expired = plan.expired,
                  .wait_until_s = plan.wait_until_s,
                  .stuck = plan.stuck};
  for (const PlannedSequence& planned : plan.sequences) {
    step.entered += planned.enters ? 1 : 0;
    step.cached_tokens += planned.cached_tokens;
  }
  return step;
}

Json ExplainStep(const StepRecord& step) {
  const Decision& decision = step.decision;
  const RuleText rule = TextOf(decision.rule);
  Json json = Json::MakeObject({{"now_s", step.now_s},
                                {"choice", StageName(decision.stage)},
                                {"rule", rule.name},
                                {"because", rule.text}});
  if (!rule.paragraph.empty()) json.Set("paragraph", rule.paragraph);
  Json numbers = Json::MakeObject();
  for (const DecisionNumber& number : decision.numbers()) numbers.Set(number.name, number.value);
  json.Set("compared", std::move(numbers));
  if (decision.gave_nothing != Stage::kNone) {
    json.Set("gave_nothing", StageName(decision.gave_nothing));
  }
  json.Set("computes", Json::MakeObject({{"prefill_tokens", step.shape.prefill_tokens},
                                         {"decoding", step.shape.decoding},
                                         {"entered", step.entered},
                                         {"cached_tokens", step.cached_tokens}}));
  json.Set("waiting", decision.still_waiting);
  if (decision.left_out != LeftOut::kNobody) json.Set("left_waiting", LeftOutJson(decision));
  if (decision.awaiting_prefix > 0) json.Set("awaiting_prefix", decision.awaiting_prefix);
  if (!step.preempted.empty()) {
    Json preempted = Json::MakeArray();
    for (const Preemption& preemption : step.preempted)
      preempted.Append(PreemptionJson(preemption));
    json.Set("preempted", std::move(preempted));
  }
  if (!step.expired.empty()) json.Set("expired", Json::ArrayOf(step.expired));
  if (step.wait_until_s) json.Set("wait_until_s", *step.wait_until_s);
  if (step.stuck) {
    json.Set("stuck", Json::MakeObject({{"id", step.stuck->id}, {"what", step.stuck->what}}));
  }
  return json;
}

}  // namespace fathom
