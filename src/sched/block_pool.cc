#include "sched/block_pool.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/check.h"

namespace fathom {

BlockPool::BlockPool(int64_t blocks) {
  FATHOM_CHECK(blocks >= 0 && blocks < std::numeric_limits<int32_t>::max());
  const auto size = static_cast<size_t>(blocks);
  refs_.resize(size, 0);
  kept_.resize(size, false);
  free_.resize(size);
  std::iota(free_.rbegin(), free_.rend(), 0);
  links_.resize(size + 1);
  const auto head = static_cast<int32_t>(blocks);
  links_[size] = {head, head};
}

int32_t BlockPool::Take() {
  FATHOM_CHECK(available() >= 1);
  int32_t block = 0;
  if (!free_.empty()) {
    block = free_.back();
    free_.pop_back();
  } else {
    block = links_.back().next;
    Unlink(block);
    kept_[static_cast<size_t>(block)] = false;
  }
  refs_[static_cast<size_t>(block)] = 1;
  return block;
}

int32_t BlockPool::Peek(int64_t ahead) const {
  if (ahead < free()) return free_[static_cast<size_t>(free() - 1 - ahead)];
  int32_t block = links_.back().next;
  for (int64_t i = free(); i < ahead && block < blocks(); ++i) {
    block = links_[static_cast<size_t>(block)].next;
  }
  return block < blocks() ? block : -1;
}

void BlockPool::Share(int32_t block) {
  const size_t index = Checked(block);
  if (refs_[index] == 0) {
    FATHOM_CHECK(kept_[index]);
    Unlink(block);
  }
  ++refs_[index];
}

void BlockPool::Release(int32_t block) {
  const size_t index = Checked(block);
  FATHOM_CHECK(refs_[index] > 0);
  if (--refs_[index] > 0) return;
  if (kept_[index]) {
    Append(block);
  } else {
    free_.push_back(block);
  }
}

void BlockPool::Keep(int32_t block) {
  const size_t index = Checked(block);
  FATHOM_CHECK(refs_[index] > 0);
  kept_[index] = true;
}

void BlockPool::Drop(int32_t block) {
  const size_t index = Checked(block);
  if (!kept_[index]) return;
  kept_[index] = false;
  if (refs_[index] > 0) return;
  Unlink(block);
  free_.push_back(block);
}

void BlockPool::Append(int32_t block) {
  const auto head = static_cast<int32_t>(refs_.size());
  const int32_t last = links_.back().previous;
  links_[static_cast<size_t>(block)] = {last, head};
  links_[static_cast<size_t>(last)].next = block;
  links_.back().previous = block;
  ++cached_;
}

void BlockPool::Unlink(int32_t block) {
  const Link link = links_[static_cast<size_t>(block)];
  links_[static_cast<size_t>(link.previous)].next = link.next;
  links_[static_cast<size_t>(link.next)].previous = link.previous;
  --cached_;
}

size_t BlockPool::Checked(int32_t block) const {
  FATHOM_CHECK(block >= 0 && block < blocks());
  return static_cast<size_t>(block);
}

}  // namespace fathom
