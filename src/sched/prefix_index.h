#ifndef FATHOM_SCHED_PREFIX_INDEX_H_
#define FATHOM_SCHED_PREFIX_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
// Memory  4 * block_tokens + 56 bytes a block. No allocation after construction.
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
  // Nothing happens when the block is not in the index.
  void Forget(int32_t block);

  bool Has(int32_t block) const {
    return entries_[static_cast<size_t>(block)].node != kEmptyPrefix;
  }
  PrefixNode node(int32_t block) const { return entries_[static_cast<size_t>(block)].node; }

  static constexpr int kCandidates = 32;

 private:
  // Blocks with equal hash, the most recent first.
  class Chains {
   public:
    explicit Chains(int64_t blocks);
    int32_t First(uint64_t hash) const { return heads_[hash & mask_]; }
    int32_t Next(int32_t block) const { return links_[static_cast<size_t>(block)].next; }
    void Insert(uint64_t hash, int32_t block);
    void Erase(uint64_t hash, int32_t block);

   private:
    struct Link {
      int32_t previous = -1;
      int32_t next = -1;
    };
    uint64_t mask_ = 0;
    std::vector<int32_t> heads_;  // [power of two >= blocks]
    std::vector<Link> links_;     // [blocks]
  };

  struct Entry {
    PrefixNode node = kEmptyPrefix;
    PrefixNode parent = kEmptyPrefix;
    uint64_t hash = 0;
  };

  std::span<const int32_t> TokensOf(int32_t block) const;

  int64_t block_tokens_;
  PrefixNode last_node_ = kEmptyPrefix;
  std::vector<Entry> entries_;   // [blocks]
  std::vector<int32_t> tokens_;  // [blocks * block_tokens]
  Chains whole_;                 // by prefix and all tokens
  Chains first_;                 // by prefix and first token
};

}  // namespace fathom

#endif  // FATHOM_SCHED_PREFIX_INDEX_H_
