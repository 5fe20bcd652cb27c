#ifndef FATHOM_SCHED_PREFIX_CACHE_H_
#define FATHOM_SCHED_PREFIX_CACHE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "sched/block_pool.h"
#include "sched/prefix_index.h"

namespace fathom {

// What the cache has of the beginning of a sequence.
struct PrefixMatch {
  std::vector<int32_t> blocks;     // whole blocks, to be shared
  PrefixNode node = kEmptyPrefix;  // the prefix that ends with them
  PrefixIndex::Partial partial;    // of the block after them, to be copied
  int64_t tokens = 0;              // all together
};

// The blocks of a cache and what they hold: a pool whose blocks can be found again by the tokens
// they were computed from. A block that somebody holds is never handed out, one that can be found
// is never written: who wants to go on in the middle of one copies it.
class PrefixCache {
 public:
  // Without `enabled` nothing is ever found.
  PrefixCache(int64_t blocks, int64_t block_tokens, bool enabled);

  const BlockPool& pool() const { return pool_; }
  bool enabled() const { return enabled_; }

  // A block to write. CHECK: pool().available() >= 1.
  int32_t Take();
  void Share(int32_t block) { pool_.Share(block); }
  // In falling order of their place, so that the end of a sequence is evicted before its beginning.
  void Release(std::span<const int32_t> blocks);

  // What there is of `tokens`, as much as possible. `match` is overwritten and keeps its memory.
  void Find(std::span<const int32_t> tokens, PrefixMatch& match) const;
  // Of the match's whole blocks, those that nobody holds: sharing them takes them from the pool's
  // available ones.
  int64_t IdleBlocks(const PrefixMatch& match) const;

  // `block`, which the caller holds, was computed: it holds `tokens` after `parent`. Returns the
  // prefix that ends with them; when another block holds the same, that is the one to be found.
  PrefixNode Publish(int32_t block, PrefixNode parent, std::span<const int32_t> tokens);
  // Publish of the same will come soon.
  void Prefetch(int32_t block, PrefixNode parent, std::span<const int32_t> tokens) const {
    index_.Prefetch(block, parent, tokens);
    pool_.Prefetch(block);
  }
  // The contents cannot be trusted: they are not to be found again.
  void Forget(int32_t block);

 private:
  void PrefetchNext() const;

  BlockPool pool_;
  PrefixIndex index_;
  int64_t block_tokens_;
  bool enabled_;
};

}  // namespace fathom

#endif  // FATHOM_SCHED_PREFIX_CACHE_H_
