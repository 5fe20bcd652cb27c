#include "text/bpe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace fathom {
namespace {

// Up to here looking at all pairs again is cheaper than keeping them in order.
constexpr size_t kLongestScannedWord = 32;
constexpr int32_t kNone = -1;

uint64_t PairOf(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

// Orders by rank, then by place.
uint64_t HeapKey(int32_t rank, int32_t at) { return PairOf(rank, at); }

}  // namespace

Bpe::Bpe(const std::array<int32_t, 256>& byte_ids, std::vector<Merge> merges)
    : byte_ids_(byte_ids),
      merges_(std::move(merges)),
      slots_(std::bit_ceil(2 * merges_.size() + 1)) {
  FATHOM_CHECK(merges_.size() < static_cast<size_t>(kNoRank));
  for (size_t rank = 0; rank < merges_.size(); ++rank) {
    const uint64_t pair = PairOf(merges_[rank].left, merges_[rank].right);
    slots_[SlotOf(pair)] = {pair, static_cast<int32_t>(rank)};
  }
}

// The slot that holds the pair, or the free one where it would go.
size_t Bpe::SlotOf(uint64_t pair) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = (pair * 0x9E3779B97F4A7C15U >> 32) & mask;  // 2^64 / golden ratio spreads the ids
  while (slots_[slot].pair != pair && slots_[slot].pair != kNoPair) slot = (slot + 1) & mask;
  return slot;
}

int32_t Bpe::Rank(int32_t left, int32_t right) const {
  const Slot& slot = slots_[SlotOf(PairOf(left, right))];
  return slot.pair == kNoPair ? kNoRank : slot.rank;
}

void Bpe::Rerank(std::vector<Symbol>& symbols, int32_t at) const {
  Symbol& symbol = symbols[static_cast<size_t>(at)];
  symbol.rank = symbol.next == kNone
                    ? kNoRank
                    : Rank(symbol.id, symbols[static_cast<size_t>(symbol.next)].id);
}

void Bpe::MergeWithNext(std::vector<Symbol>& symbols, int32_t at) const {
  Symbol& symbol = symbols[static_cast<size_t>(at)];
  Symbol& next = symbols[static_cast<size_t>(symbol.next)];
  symbol.id = merges_[static_cast<size_t>(symbol.rank)].result;
  symbol.next = next.next;
  next.rank = kNoRank;  // it is gone: what the heap still says of it no longer holds
  if (symbol.next != kNone) symbols[static_cast<size_t>(symbol.next)].previous = at;
  Rerank(symbols, at);
  if (symbol.previous != kNone) Rerank(symbols, symbol.previous);
}

void Bpe::MergeByScan(Scratch& scratch) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  while (true) {
    int32_t best = 0;
    for (int32_t at = 0; at != kNone; at = symbols[static_cast<size_t>(at)].next) {
      if (symbols[static_cast<size_t>(at)].rank < symbols[static_cast<size_t>(best)].rank) {
        best = at;
      }
    }
    if (symbols[static_cast<size_t>(best)].rank == kNoRank) return;
    MergeWithNext(symbols, best);
  }
}

void Bpe::MergeByHeap(Scratch& scratch) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  std::vector<uint64_t>& heap = scratch.heap;
  const auto later = std::greater<uint64_t>();
  const auto offer = [&](int32_t at) {
    if (at == kNone || symbols[static_cast<size_t>(at)].rank == kNoRank) return;
    heap.push_back(HeapKey(symbols[static_cast<size_t>(at)].rank, at));
    std::push_heap(heap.begin(), heap.end(), later);
  };
  heap.clear();
  for (size_t at = 0; at < symbols.size(); ++at) offer(static_cast<int32_t>(at));
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const auto rank = static_cast<int32_t>(heap.back() >> 32);
    const auto at = static_cast<int32_t>(heap.back() & 0xFFFFFFFFU);
    heap.pop_back();
    // A rank names one pair, so an entry whose symbol has another rank by now is out of date.
    if (symbols[static_cast<size_t>(at)].rank != rank) continue;
    MergeWithNext(symbols, at);
    offer(at);
    offer(symbols[static_cast<size_t>(at)].previous);
  }
}

void Bpe::Encode(std::string_view word, Scratch& scratch, std::vector<int32_t>& ids) const {
  if (word.empty()) return;
  FATHOM_CHECK(word.size() <= static_cast<size_t>(INT32_MAX));
  std::vector<Symbol>& symbols = scratch.symbols;
  symbols.clear();
  const auto size = static_cast<int32_t>(word.size());
  for (int32_t at = 0; at < size; ++at) {
    const auto byte = static_cast<uint8_t>(word[static_cast<size_t>(at)]);
    symbols.push_back({byte_ids_[byte], at - 1, at + 1 < size ? at + 1 : kNone, kNoRank});
  }
  for (int32_t at = 0; at + 1 < size; ++at) Rerank(symbols, at);
  if (word.size() <= kLongestScannedWord) {
    MergeByScan(scratch);
  } else {
    MergeByHeap(scratch);
  }
  for (int32_t at = 0; at != kNone; at = symbols[static_cast<size_t>(at)].next) {
    ids.push_back(symbols[static_cast<size_t>(at)].id);
  }
}

}  // namespace fathom
