#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace fathom {
namespace {

// Of x86-64, and of Arm with pages of 4 KiB.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t WholePages(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

bool Huge(std::size_t bytes) { return bytes >= kHugePage / 2; }

// No cache line is shared with another allocation.
constexpr std::align_val_t kLine{64};

}  // namespace

void* AllocateHuge(std::size_t bytes) {
  if (!Huge(bytes)) return ::operator new(bytes, kLine);
  void* memory = ::operator new(WholePages(bytes), std::align_val_t{kHugePage});
  madvise(memory, WholePages(bytes), MADV_HUGEPAGE);  // a refusal costs speed only
  return memory;
}

void FreeHuge(void* memory, std::size_t bytes) {
  if (!Huge(bytes)) return ::operator delete(memory, kLine);
  ::operator delete(memory, std::align_val_t{kHugePage});
}

}  // namespace fathom
