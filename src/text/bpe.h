#ifndef FATHOM_TEXT_BPE_H_
#define FATHOM_TEXT_BPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fathom {

// Byte-pair encoding of one word: beginning with single bytes, the pair of neighbours with the
// lowest rank is merged until no pair has one; of equal pairs the leftmost goes first (Sennrich et
// al., 2016).
class Bpe {
 public:
  struct Merge {
    int32_t left = 0;
    int32_t right = 0;
    int32_t result = 0;
  };
  // `byte_ids`: the id of each single byte. A merge's index is its rank; of two merges of one pair
  // the later counts, as in the tokenizers library.
  Bpe(const std::array<int32_t, 256>& byte_ids, std::vector<Merge> merges);

  // Memory that words reuse; one a thread.
  struct Symbol {
    int32_t id;
    int32_t previous;
    int32_t next;
    int32_t rank;  // of merging with the next; kNoRank if that cannot be
  };
  struct Scratch {
    std::vector<Symbol> symbols;
    std::vector<uint64_t> heap;
  };

  // Appends the ids of `word`. Cost: n log n in its bytes; words of up to 2^31 - 1 bytes (CHECK).
  void Encode(std::string_view word, Scratch& scratch, std::vector<int32_t>& ids) const;

 private:
  struct Slot {
    uint64_t pair = kNoPair;
    int32_t rank = 0;
  };
  static constexpr uint64_t kNoPair = ~uint64_t{0};
  static constexpr int32_t kNoRank = INT32_MAX;

  size_t SlotOf(uint64_t pair) const;
  int32_t Rank(int32_t left, int32_t right) const;
  void Rerank(std::vector<Symbol>& symbols, int32_t at) const;
  void MergeWithNext(std::vector<Symbol>& symbols, int32_t at) const;
  void MergeByScan(Scratch& scratch) const;
  void MergeByHeap(Scratch& scratch) const;

  std::array<int32_t, 256> byte_ids_;
  std::vector<Merge> merges_;  // by rank
  std::vector<Slot> slots_;    // open addressing, a power of two of them, at most half full
};

}  // namespace fathom

#endif  // FATHOM_TEXT_BPE_H_
