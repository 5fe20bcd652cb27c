#ifndef FATHOM_SCHED_PREFIX_INDEX_H_
#define FATHOM_SCHED_PREFIX_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/huge_pages.h"

namespace fathom {

// A whole prefix of whole blocks. Its number is never given out twice, so what was found under one
// prefix can never be taken for the continuation of another.
using PrefixNode = int64_t;
inline constexpr PrefixNode kEmptyPrefix = 0;

// Which block holds which tokens after which prefix. Keys are compared by content: a block is found
// only under the very prefix it was computed after, and only by its very tokens; hashes merely say
// where to look.
//
// A block whose prefix was forgotten can no longer be reached; it stays in the index until it is
// forgotten itself.
// Memory  4 * block_tokens + 100 to 130 bytes a block. No allocation after construction.
class PrefixIndex {
 public:
  struct Partial {
    int32_t block = -1;
    int64_t tokens = 0;
  };

  PrefixIndex(int64_t blocks, int64_t block_tokens);

  // The block that holds `tokens` (a whole block of them) after `parent`, or -1.
  int32_t Find(PrefixNode parent, std::span<const int32_t> tokens) const;
  // The block after `parent` that begins with the most of `tokens` (one at least; at most a block
  // of them): the most recent kCandidates with the same first token are looked at.
  Partial FindPartial(PrefixNode parent, std::span<const int32_t> tokens) const;

  // `block` holds `tokens` after `parent`. Returns the prefix that ends with it. CHECK: the block
  // is not in the index. That nobody else holds the same is for the caller to see (Find).
  PrefixNode Insert(int32_t block, PrefixNode parent, std::span<const int32_t> tokens);
  // Insert of the same will come soon: brings into the processor's cache what it looks at.
  void Prefetch(int32_t block, PrefixNode parent, std::span<const int32_t> tokens) const;
  // The same before Forget, in two steps: the entry, and when that is there, what it points to.
  void PrefetchEntry(int32_t block) const { __builtin_prefetch(&At(block), /*rw=*/1); }
  void PrefetchNeighbours(int32_t block) const;
  // Nothing happens when the block is not in the index.
  void Forget(int32_t block);

  bool Has(int32_t block) const {
    return entries_[static_cast<size_t>(block)].node != kEmptyPrefix;
  }
  PrefixNode node(int32_t block) const { return entries_[static_cast<size_t>(block)].node; }

  static constexpr int kCandidates = 32;

 private:
  // A block's neighbours among those whose hash falls into the same bucket, the most recent first.
  struct Link {
    int32_t previous = -1;
    int32_t next = -1;
  };
  // All of a block but its tokens, on one cache line.
  struct alignas(64) Entry {
    PrefixNode node = kEmptyPrefix;
    PrefixNode parent = kEmptyPrefix;
    uint64_t whole_hash = 0;  // of parent and all tokens
    uint64_t first_hash = 0;  // of parent and the first token
    Link whole;
    Link first;
  };
  using Buckets = HugeVector<int32_t>;  // [power of two >= 4 * blocks] the first block of each

  Entry& At(int32_t block) { return entries_[static_cast<size_t>(block)]; }
  const Entry& At(int32_t block) const { return entries_[static_cast<size_t>(block)]; }
  int32_t FindHashed(uint64_t hash, PrefixNode parent, std::span<const int32_t> tokens) const;
  void LinkIn(Buckets& buckets, Link Entry::*link, uint64_t hash, int32_t block);
  void Unlink(Buckets& buckets, Link Entry::*link, uint64_t hash, int32_t block);
  std::span<const int32_t> TokensOf(int32_t block) const;

  int64_t block_tokens_;
  PrefixNode last_node_ = kEmptyPrefix;
  HugeVector<Entry> entries_;   // [blocks]
  HugeVector<int32_t> tokens_;  // [blocks * block_tokens]
  uint64_t mask_ = 0;
  Buckets whole_;
  Buckets first_;
};

}  // namespace fathom

#endif  // FATHOM_SCHED_PREFIX_INDEX_H_
