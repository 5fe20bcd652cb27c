#include "sched/prefix_index.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"

namespace fathom {
namespace {

// A step of multiply, xor and shift whose every input bit reaches every output bit (the finaliser
// of SplitMix64, Steele, Lea, Flood 2014).
uint64_t Mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

uint64_t HashFirst(PrefixNode parent, int32_t token) {
  return Mix(static_cast<uint64_t>(parent) * 0x9e3779b97f4a7c15U + static_cast<uint32_t>(token));
}

uint64_t HashWhole(PrefixNode parent, std::span<const int32_t> tokens) {
  uint64_t hash = static_cast<uint64_t>(parent);
  for (const int32_t token : tokens) {
    hash = (hash ^ static_cast<uint32_t>(token)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
  }
  return Mix(hash);
}

int64_t CommonPrefix(std::span<const int32_t> a, std::span<const int32_t> b) {
  const size_t most = std::min(a.size(), b.size());
  const auto [end, unused] =
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin());
  return end - a.begin();
}

}  // namespace

PrefixIndex::PrefixIndex(int64_t blocks, int64_t block_tokens) : block_tokens_(block_tokens) {
  FATHOM_CHECK(blocks >= 0 && block_tokens >= 1);
  entries_.resize(static_cast<size_t>(blocks));
  tokens_.resize(static_cast<size_t>(blocks * block_tokens));
  // Few blocks share a bucket: each that does costs a cache miss or two.
  const uint64_t buckets = 4 * std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(blocks, 1)));
  mask_ = buckets - 1;
  whole_.resize(buckets, -1);
  first_.resize(buckets, -1);
}

std::span<const int32_t> PrefixIndex::TokensOf(int32_t block) const {
  return std::span(tokens_).subspan(static_cast<size_t>(block * block_tokens_),
                                    static_cast<size_t>(block_tokens_));
}

int32_t PrefixIndex::Find(PrefixNode parent, std::span<const int32_t> tokens) const {
  return FindHashed(HashWhole(parent, tokens), parent, tokens);
}

int32_t PrefixIndex::FindHashed(uint64_t hash, PrefixNode parent,
                                std::span<const int32_t> tokens) const {
  for (int32_t block = whole_[hash & mask_]; block >= 0; block = At(block).whole.next) {
    const Entry& entry = At(block);
    if (entry.whole_hash != hash || entry.parent != parent) continue;
    if (std::ranges::equal(TokensOf(block), tokens)) return block;
  }
  return -1;
}

PrefixIndex::Partial PrefixIndex::FindPartial(PrefixNode parent,
                                              std::span<const int32_t> tokens) const {
  Partial best;
  if (tokens.empty()) return best;
  int looked_at = 0;
  int32_t block = first_[HashFirst(parent, tokens.front()) & mask_];
  for (; block >= 0 && looked_at < kCandidates; block = At(block).first.next) {
    if (At(block).parent != parent) continue;
    ++looked_at;
    const int64_t common = CommonPrefix(TokensOf(block), tokens);
    if (common > best.tokens) best = {block, common};
  }
  return best;
}

PrefixNode PrefixIndex::Insert(int32_t block, PrefixNode parent, std::span<const int32_t> tokens) {
  FATHOM_CHECK(!Has(block) && static_cast<int64_t>(tokens.size()) == block_tokens_);
  const uint64_t hash = HashWhole(parent, tokens);
  const int32_t known = FindHashed(hash, parent, tokens);
  if (known >= 0) return node(known);
  Entry& entry = At(block);
  entry = {.node = ++last_node_,
           .parent = parent,
           .whole_hash = hash,
           .first_hash = HashFirst(parent, tokens.front()),
           .whole = {},
           .first = {}};
  std::ranges::copy(tokens, tokens_.begin() + block * block_tokens_);
  LinkIn(whole_, &Entry::whole, entry.whole_hash, block);
  LinkIn(first_, &Entry::first, entry.first_hash, block);
  return entry.node;
}

void PrefixIndex::Prefetch(int32_t block, PrefixNode parent,
                           std::span<const int32_t> tokens) const {
  PrefetchEntry(block);
  __builtin_prefetch(TokensOf(block).data(), /*rw=*/1);
  __builtin_prefetch(&whole_[HashWhole(parent, tokens) & mask_]);
  __builtin_prefetch(&first_[HashFirst(parent, tokens.front()) & mask_]);
}

void PrefixIndex::PrefetchNeighbours(int32_t block) const {
  const Entry& entry = At(block);
  if (entry.node == kEmptyPrefix) return;
  __builtin_prefetch(&whole_[entry.whole_hash & mask_], /*rw=*/1);
  __builtin_prefetch(&first_[entry.first_hash & mask_], /*rw=*/1);
}

void PrefixIndex::Forget(int32_t block) {
  Entry& entry = At(block);
  if (entry.node == kEmptyPrefix) return;
  Unlink(whole_, &Entry::whole, entry.whole_hash, block);
  Unlink(first_, &Entry::first, entry.first_hash, block);
  entry = {};
}

void PrefixIndex::LinkIn(Buckets& buckets, Link Entry::*link, uint64_t hash, int32_t block) {
  int32_t& head = buckets[hash & mask_];
  At(block).*link = {-1, head};
  if (head >= 0) (At(head).*link).previous = block;
  head = block;
}

void PrefixIndex::Unlink(Buckets& buckets, Link Entry::*link, uint64_t hash, int32_t block) {
  const Link gone = At(block).*link;
  if (gone.next >= 0) (At(gone.next).*link).previous = gone.previous;
  (gone.previous >= 0 ? (At(gone.previous).*link).next : buckets[hash & mask_]) = gone.next;
}

}  // namespace fathom
