#ifndef FATHOM_TESTS_GOLDEN_POISONED_MEMORY_H_
#define FATHOM_TESTS_GOLDEN_POISONED_MEMORY_H_

#include <cstdint>

namespace fathom {

// This program replaces operator new by one that fills memory with 0xFF: as float32, bfloat16 and
// E4M3 not a number, as an integer -1. Whoever reads a buffer before writing it cannot be right by
// luck.

// Bytes that operator new was asked for in this process so far, freed ones included.
int64_t AllocatedBytes();

}  // namespace fathom

#endif  // FATHOM_TESTS_GOLDEN_POISONED_MEMORY_H_
