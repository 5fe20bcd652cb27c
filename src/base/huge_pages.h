#ifndef FATHOM_BASE_HUGE_PAGES_H_
#define FATHOM_BASE_HUGE_PAGES_H_

#include <cstddef>
#include <vector>

namespace fathom {

// Memory for `bytes`, uninitialised. From a megabyte on it begins at a huge page's boundary and the
// system is asked for huge pages: random access to many megabytes in small ones costs a walk of the
// page table each. The system may say no, then it is ordinary memory. Throws std::bad_alloc.
void* AllocateHuge(std::size_t bytes);
void FreeHuge(void* memory, std::size_t bytes);

template <class T>
class HugePageAllocator {
 public:
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(AllocateHuge(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) { FreeHuge(memory, count * sizeof(T)); }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }
};

// A vector of which any element may be wanted next.
template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace fathom

#endif  // FATHOM_BASE_HUGE_PAGES_H_
