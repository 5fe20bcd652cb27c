#include "net/body_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

namespace fathom {
namespace {

TEST(BodyBudget, TakesNoMoreThanThereIs) {
  BodyBudget budget(10);
  EXPECT_TRUE(budget.Take(7));
  EXPECT_FALSE(budget.Take(4));
  EXPECT_EQ(budget.taken(), 7);
  EXPECT_TRUE(budget.Take(3));
  budget.GiveBack(10);
  EXPECT_EQ(budget.taken(), 0);
}

TEST(BodyBudget, WhatIsRefusedToOneIsNotMissedByAnother) {
  BodyBudget budget(10);
  std::atomic<bool> begun = false;
  std::atomic<bool> done = false;
  std::thread greedy([&] {
    while (!done) {
      EXPECT_FALSE(budget.Take(11));
      begun = true;
    }
  });
  while (!begun) std::this_thread::yield();
  int refused = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (budget.Take(10)) {
      budget.GiveBack(10);
    } else {
      ++refused;
    }
  }
  done = true;
  greedy.join();
  EXPECT_EQ(refused, 0);
}

TEST(BodyShare, GivesBackWhatItGrewTo) {
  const auto budget = std::make_shared<BodyBudget>(10);
  {
    BodyShare share(budget);
    EXPECT_TRUE(share.Grow(4));
    EXPECT_TRUE(share.Grow(9));
    EXPECT_FALSE(share.Grow(11));
    EXPECT_EQ(budget->taken(), 9);
  }
  EXPECT_EQ(budget->taken(), 0);
}

}  // namespace
}  // namespace fathom
