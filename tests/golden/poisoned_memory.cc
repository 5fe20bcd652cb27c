#include "poisoned_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<int64_t>& Bytes() {
  static std::atomic<int64_t> bytes = 0;
  return bytes;
}

void* Allocate(std::size_t size, std::size_t align) {
  Bytes() += static_cast<int64_t>(size);
  const std::size_t rounded = (size + align - 1) / align * align;
  void* memory = std::aligned_alloc(align, rounded == 0 ? align : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0xFF, rounded);
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t align) {
  return Allocate(size, static_cast<std::size_t>(align));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*align*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*align*/) noexcept {
  std::free(memory);
}

namespace fathom {

int64_t AllocatedBytes() { return Bytes(); }

}  // namespace fathom
