#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/math.h"

namespace fathom {
namespace {

// Of x86-64, and of Arm with pages of 4 KiB.
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr std::align_val_t kPageStart{kHugePage};

bool Huge(std::size_t bytes) { return bytes >= kHugePage / 2; }

// No cache line is shared with another allocation.
constexpr std::align_val_t kLine{64};

}  // namespace

void* AllocateHuge(std::size_t bytes) {
  if (!Huge(bytes)) return ::operator new(bytes, kLine);
  const auto whole =
      static_cast<std::size_t>(CeilDiv(static_cast<int64_t>(bytes), kHugePage) * kHugePage);
  void* memory = ::operator new(whole, kPageStart);
  madvise(memory, whole, MADV_HUGEPAGE);  // a refusal costs speed only
  return memory;
}

void FreeHuge(void* memory, std::size_t bytes) {
  if (!Huge(bytes)) return ::operator delete(memory, kLine);
  ::operator delete(memory, kPageStart);
}

}  // namespace fathom
