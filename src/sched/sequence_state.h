#ifndef FATHOM_SCHED_SEQUENCE_STATE_H_
#define FATHOM_SCHED_SEQUENCE_STATE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/prefix_index.h"
#include "sched/ranked_list.h"
#include "sched/request.h"
#include "sched/token_list.h"

namespace fathom {

// A request inside the scheduler. What every step of a decoding sequence touches comes first, on
// two cache lines: at thousands of sequences the lines are what a step costs.
struct alignas(64) SequenceState {
  // Waiting: never ran. Returning: ran, lost its blocks and waits again, before all others.
  enum class Place : uint8_t { kNowhere, kWaiting, kReturning, kRunning };

  TokenList tokens;   // known
  int64_t step = -1;  // the last one that computed something of it

  RequestId id = 0;
  std::vector<int32_t> blocks;  // held
  int64_t computed = 0;         // tokens in the cache, or in swap blocks
  int64_t charged = 0;          // tokens its client was charged for
  int64_t prompt_tokens = 0;    // of tokens
  int32_t client = 0;           // of the WaitingQueue
  Place place = Place::kNowhere;
  LogitRows rows = LogitRows::kLast;
  uint8_t times_awaited = 0;  // a prefix

  int64_t share = 0;               // tokens granted in the step that is being planned
  int64_t published = 0;           // its first blocks that can be found by others
  PrefixNode node = kEmptyPrefix;  // the prefix that ends with them
  int64_t max_tokens = 0;          // that may follow the prompt
  Rank rank;
  double arrival_s = 0;
  std::optional<double> deadline_s;
  std::vector<int32_t> swap_blocks;  // held while it is swapped out
  int64_t entry_tokens = 0;          // known when it entered: these will be published soon
  int32_t found = 0;  // of its tokens, what the prefix cache had when it was looked up last
  // While it waits: whose prefix it waits for, until that one has published so many blocks.
  int32_t awaited_slot = -1;
  RequestId awaited_id = 0;
  int64_t awaited_blocks = 0;

  int64_t known() const { return tokens.size(); }
  int64_t left() const { return known() - computed; }
  bool swapped() const { return !swap_blocks.empty(); }
};

}  // namespace fathom

#endif  // FATHOM_SCHED_SEQUENCE_STATE_H_
