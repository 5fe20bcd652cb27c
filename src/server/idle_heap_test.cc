#include "server/idle_heap.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fathom {
namespace {

// What is freed behind a piece that stays is kept by the allocator.
std::unique_ptr<std::string> LeaveHoles(size_t bytes) {
  constexpr size_t kPiece = 4000;
  std::vector<std::unique_ptr<std::string>> pieces;
  pieces.reserve(bytes / kPiece);
  for (size_t i = 0; i < bytes / kPiece; ++i) {
    pieces.push_back(std::make_unique<std::string>(kPiece, 'a'));
  }
  return std::move(pieces.back());
}

TEST(IdleHeap, GivesBackOnceWhatLargeRequestsLeft) {
  if (mallinfo2().uordblks == 0) GTEST_SKIP() << "this build has an allocator of its own";
  IdleHeap heap;
  const auto last = LeaveHoles(64 << 20);
  EXPECT_FALSE(heap.Look(1, 1));  // it runs
  EXPECT_FALSE(heap.Look(2, 0));  // another ran meanwhile
  EXPECT_TRUE(heap.Look(2, 0));
  EXPECT_FALSE(heap.Look(2, 0));  // done
}

TEST(IdleHeap, LeavesAloneWhatIsLittle) {
  malloc_trim(0);
  if (mallinfo2().fordblks >= 16 << 20) GTEST_SKIP() << "other tests left more";
  IdleHeap heap;
  EXPECT_FALSE(heap.Look(1, 1));
  EXPECT_FALSE(heap.Look(1, 0));
}

}  // namespace
}  // namespace fathom
