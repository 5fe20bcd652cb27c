#include "sched/prefix_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sched/block_pool.h"
#include "sched/prefix_index.h"

namespace fathom {

PrefixCache::PrefixCache(int64_t blocks, int64_t block_tokens, bool enabled)
    : pool_(blocks),
      index_(enabled ? blocks : 0, block_tokens),
      block_tokens_(block_tokens),
      enabled_(enabled) {}

int32_t PrefixCache::Take() {
  const int32_t block = pool_.Take();
  if (!enabled_) return block;
  index_.Forget(block);
  PrefetchNext();
  return block;
}

// Blocks are taken in turn, and each was last touched long ago.
void PrefixCache::PrefetchNext() const {
  const int32_t next = pool_.Peek(0);
  if (next < 0) return;
  index_.PrefetchNeighbours(next);
  const int32_t after = pool_.Peek(1);
  if (after < 0) return;
  index_.PrefetchEntry(after);
  pool_.Prefetch(after);
}

void PrefixCache::Release(std::span<const int32_t> blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) pool_.Release(*block);
}

void PrefixCache::Find(std::span<const int32_t> tokens, PrefixMatch& match) const {
  match.blocks.clear();
  match.node = kEmptyPrefix;
  match.partial = {};
  match.tokens = 0;
  if (!enabled_) return;
  const auto step = static_cast<size_t>(block_tokens_);
  for (; tokens.size() >= step; tokens = tokens.subspan(step)) {
    const int32_t block = index_.Find(match.node, tokens.first(step));
    if (block < 0) break;
    match.blocks.push_back(block);
    match.node = index_.node(block);
    match.tokens += block_tokens_;
  }
  match.partial = index_.FindPartial(match.node, tokens);
  match.tokens += match.partial.tokens;
}

int64_t PrefixCache::IdleBlocks(const PrefixMatch& match) const {
  return std::ranges::count_if(match.blocks,
                               [this](int32_t block) { return pool_.holders(block) == 0; });
}

PrefixNode PrefixCache::Publish(int32_t block, PrefixNode parent, std::span<const int32_t> tokens) {
  const PrefixNode node = index_.Insert(block, parent, tokens);
  if (index_.Has(block)) pool_.Keep(block);
  return node;
}

void PrefixCache::Forget(int32_t block) {
  if (!enabled_) return;
  index_.Forget(block);
  pool_.Drop(block);
}

}  // namespace fathom
