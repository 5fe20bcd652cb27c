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

PrefixIndex::Chains::Chains(int64_t blocks) {
  const uint64_t buckets = std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(blocks, 1)));
  mask_ = buckets - 1;
  heads_.resize(buckets, -1);
  links_.resize(static_cast<size_t>(blocks));
}

void PrefixIndex::Chains::Insert(uint64_t hash, int32_t block) {
  int32_t& head = heads_[hash & mask_];
  links_[static_cast<size_t>(block)] = {-1, head};
  if (head >= 0) links_[static_cast<size_t>(head)].previous = block;
  head = block;
}

void PrefixIndex::Chains::Erase(uint64_t hash, int32_t block) {
  const Link link = links_[static_cast<size_t>(block)];
  if (link.next >= 0) links_[static_cast<size_t>(link.next)].previous = link.previous;
  if (link.previous >= 0) {
    links_[static_cast<size_t>(link.previous)].next = link.next;
  } else {
    heads_[hash & mask_] = link.next;
  }
}

PrefixIndex::PrefixIndex(int64_t blocks, int64_t block_tokens)
    : block_tokens_(block_tokens), whole_(blocks), first_(blocks) {
  FATHOM_CHECK(blocks >= 0 && block_tokens >= 1);
  entries_.resize(static_cast<size_t>(blocks));
  tokens_.resize(static_cast<size_t>(blocks * block_tokens));
}

std::span<const int32_t> PrefixIndex::TokensOf(int32_t block) const {
  return std::span(tokens_).subspan(static_cast<size_t>(block * block_tokens_),
                                    static_cast<size_t>(block_tokens_));
}

int32_t PrefixIndex::Find(PrefixNode parent, std::span<const int32_t> tokens) const {
  const uint64_t hash = HashWhole(parent, tokens);
  for (int32_t block = whole_.First(hash); block >= 0; block = whole_.Next(block)) {
    const Entry& entry = entries_[static_cast<size_t>(block)];
    if (entry.hash != hash || entry.parent != parent) continue;
    if (std::ranges::equal(TokensOf(block), tokens)) return block;
  }
  return -1;
}

PrefixIndex::Partial PrefixIndex::FindPartial(PrefixNode parent,
                                              std::span<const int32_t> tokens) const {
  Partial best;
  if (tokens.empty()) return best;
  int looked_at = 0;
  int32_t block = first_.First(HashFirst(parent, tokens.front()));
  for (; block >= 0 && looked_at < kCandidates; block = first_.Next(block)) {
    if (entries_[static_cast<size_t>(block)].parent != parent) continue;
    ++looked_at;
    const int64_t common = CommonPrefix(TokensOf(block), tokens);
    if (common > best.tokens) best = {block, common};
  }
  return best;
}

PrefixNode PrefixIndex::Insert(int32_t block, PrefixNode parent, std::span<const int32_t> tokens) {
  FATHOM_CHECK(!Has(block) && static_cast<int64_t>(tokens.size()) == block_tokens_);
  Entry& entry = entries_[static_cast<size_t>(block)];
  entry = {++last_node_, parent, HashWhole(parent, tokens)};
  std::ranges::copy(tokens, tokens_.begin() + block * block_tokens_);
  whole_.Insert(entry.hash, block);
  first_.Insert(HashFirst(parent, tokens.front()), block);
  return entry.node;
}

void PrefixIndex::Forget(int32_t block) {
  Entry& entry = entries_[static_cast<size_t>(block)];
  if (entry.node == kEmptyPrefix) return;
  whole_.Erase(entry.hash, block);
  first_.Erase(HashFirst(entry.parent, TokensOf(block).front()), block);
  entry = {};
}

}  // namespace fathom
