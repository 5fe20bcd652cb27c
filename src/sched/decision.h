#ifndef FATHOM_SCHED_DECISION_H_
#define FATHOM_SCHED_DECISION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sched/request.h"

namespace fathom {

// What a step computes: prompts only, one token for each sequence that decodes, or both.
enum class Stage { kNone, kPrefill, kDecode, kMixed };

// The rule that chose the stage (explain.h has their texts).
enum class Rule {
  kNothingOpen,       // there is no request
  kTokenBudget,       // chunked: decoding first, then prompts, as far as the budget goes
  kPrefillFirst,      // fcfs: a prompt can be computed
  kNothingToPrefill,  // fcfs: no prompt can be computed
  kPromptGoesOn,      // fcfs, mindie: a prompt longer than a step is not finished
  // mindie
  kLastWasEmpty,       // the stage that was chosen gave nothing, and something runs
  kSwappedOut,         // something is swapped out
  kQueueDelay,         // nobody has waited long enough
  kFewFreeBlocks,      // less than 5 % of the blocks are free
  kPrefillAtOnce,      // the oldest has waited long enough, or enough wait
  kThroughputEmpty,    // stageSelectPolicy 1: nobody waits
  kThroughputDecode,   //   what decoding would lose is more than what it has wasted
  kThroughputPrefill,  //   it is not
  kLaxityOnlyPrefill,  // stageSelectPolicy 2: nothing decodes
  kLaxityOnlyDecode,   //   nobody waits
  kLaxityBatchFull,    //   the dynamic batch lets nobody enter
  kLaxityPrefill,      //   the prompt has less time to spare
  kLaxityDecode,       //   decoding has
};

// Why a waiting request did not enter a step.
enum class LeftOut {
  kNobody,           // nobody was left waiting
  kStage,            // the step decodes only
  kBlocks,           // `need` blocks, `have` are to be had
  kSequences,        // `need` sequences would run, `have` may
  kTokens,           // `need` tokens, `have` are left of the step's
  kLogitRows,        // the step has no row of logits left
  kBatch,            // `need` prompts, `have` may enter in one step
  kAfterPreemption,  // blocks were just taken from a running one
  kPrefix,           // a running one computes the prefix they share
};

struct DecisionNumber {
  const char* name = "";
  double value = 0;
};

// Why a step is as it is.
struct Decision {
  Stage stage = Stage::kNone;
  Rule rule = Rule::kNothingOpen;
  // The stage that was chosen first and gave nothing; kNone when the first choice held.
  Stage gave_nothing = Stage::kNone;

  // The first of those that were left waiting (the others wait behind it).
  LeftOut left_out = LeftOut::kNobody;
  RequestId left_out_id = 0;
  int64_t need = 0;
  int64_t have = 0;
  int64_t still_waiting = 0;  // all of them
  // Passed over, because a prompt that is being computed begins as theirs do.
  int64_t awaiting_prefix = 0;

  // The numbers the rule compared, by name.
  std::span<const DecisionNumber> numbers() const { return {numbers_.data(), count_}; }
  void Compare(const char* name, double value) {
    if (count_ < numbers_.size()) numbers_[count_++] = {name, value};
  }

 private:
  std::array<DecisionNumber, 8> numbers_ = {};
  size_t count_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_SCHED_DECISION_H_
