// How blocks that were computed come to be found by others.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/scheduler.h"
#include "sched/sequence_state.h"

namespace fathom {

void Scheduler::PublishComputed() {
  // Each goes to places that nobody touched lately, and each place is known from the one before.
  const size_t count = to_publish_.size();
  for (size_t i = 0; i < count + 3 * kAhead; ++i) {
    if (i < count) {
      __builtin_prefetch(&At(to_publish_[i]).published);
      Prefetch(to_publish_[i]);
    }
    if (i >= kAhead && i < count + kAhead) At(to_publish_[i - kAhead]).tokens.Prefetch();
    if (i >= 2 * kAhead && i < count + 2 * kAhead) PrefetchPublish(At(to_publish_[i - 2 * kAhead]));
    if (i >= 3 * kAhead) Publish(At(to_publish_[i - 3 * kAhead]));
  }
  to_publish_.clear();
  std::erase_if(computing_, [this](int32_t slot) {
    const SequenceState& sequence = At(slot);
    return sequence.place != SequenceState::Place::kRunning ||
           sequence.published >= sequence.entry_tokens / config_.block_tokens;
  });
}

void Scheduler::PrefetchPublish(SequenceState& sequence) {
  if (!HasToPublish(sequence)) return;
  cache_.Prefetch(BlockToPublish(sequence), sequence.node, TokensToPublish(sequence));
}

bool Scheduler::HasToPublish(const SequenceState& sequence) const {
  return sequence.place == SequenceState::Place::kRunning && Publishes(sequence) &&
         (sequence.published + 1) * config_.block_tokens <= sequence.computed;
}

int32_t Scheduler::BlockToPublish(const SequenceState& sequence) {
  return sequence.blocks[static_cast<size_t>(sequence.published)];
}

std::span<const int32_t> Scheduler::TokensToPublish(SequenceState& sequence) const {
  const auto size = static_cast<size_t>(config_.block_tokens);
  return sequence.tokens.All().subspan(static_cast<size_t>(sequence.published) * size, size);
}

void Scheduler::Publish(SequenceState& sequence) {
  for (; HasToPublish(sequence); ++sequence.published) {
    sequence.node =
        cache_.Publish(BlockToPublish(sequence), sequence.node, TokensToPublish(sequence));
  }
}

}  // namespace fathom
