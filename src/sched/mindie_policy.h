#ifndef FATHOM_SCHED_MINDIE_POLICY_H_
#define FATHOM_SCHED_MINDIE_POLICY_H_

#include <cstdint>

namespace fathom {

// What MindIE's ScheduleConfig says of scheduling, in its own defaults. Names and meaning are those
// of the configuration file (mindie_settings.h reads it); times in seconds.
struct MindiePolicy {
  int64_t stage_select_policy = 0;   // 0 prefill first, 1 throughput, 2 laxity
  int64_t prefill_ms_per_req = 150;  // policy 1: what a prefill costs each one that decodes
  int64_t decode_ms_per_req = 50;    // policy 1: what a place wastes that does not decode
  double max_queue_delay_s = 0.005;  // a request waits so long for others to come
  int64_t max_prefill_batch_size = 50;
  int64_t max_batch_size = 200;
  int64_t max_prefill_tokens = 8192;
  int64_t max_seq_len = 2560;
  int64_t max_preempt_count = 0;        // most sequences swapped out in one step
  double max_first_token_wait_s = 2.5;  // after this a request may take a running one's blocks
  bool dynamic_batch_size = false;      // any policy: nobody enters once tokens come too late
  double prefill_expected_s = 1.5;      // policy 2: when a first token should be there
  double decode_expected_s = 0.05;      // policy 2, dynamic batch: and the next one

  // Tokens of a prefill step: a prompt and what was generated after it always fit, so that a
  // preempted sequence can be computed again.
  int64_t TokenBudget() const {
    return max_seq_len > max_prefill_tokens ? max_seq_len : max_prefill_tokens;
  }
};

// What the policy carries from step to step.
struct MindieState {
  double decode_waste_ms = 0;  // policy 1: wasted by decoding while requests waited
  // The dynamic batch: how many may decode, 0 before the first step was observed; and what it is
  // searched between.
  int64_t decode_batch = 0;
  int64_t decode_batch_low = 0;
  int64_t decode_batch_high = 0;
  bool search_next = false;  // every second time it is searched
};

}  // namespace fathom

#endif  // FATHOM_SCHED_MINDIE_POLICY_H_
