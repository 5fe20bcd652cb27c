#include "base/task_thread.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace fathom {
namespace {

TEST(TaskThread, RunsTasksInOrderAndFinishesThemBeforeItEnds) {
  std::vector<int> order;
  {
    TaskThread thread(4);
    for (int i = 0; i < 100; ++i) thread.Post([&order, i] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(TaskThread, TakesNoMoreThanItsCapacity) {
  std::promise<void> go;
  std::promise<void> began;
  TaskThread thread(2);
  thread.Post([&] {
    began.set_value();
    go.get_future().wait();
  });
  began.get_future().wait();
  int ran = 0;
  EXPECT_TRUE(thread.TryPost([&] { ++ran; }));
  EXPECT_TRUE(thread.TryPost([&] { ++ran; }));
  EXPECT_FALSE(thread.TryPost([&] { ran = 100; }));
  EXPECT_EQ(thread.pending(), 3U);
  std::promise<void> done;
  std::thread waiting([&] { thread.Post([&] { done.set_value(); }); });
  go.set_value();
  done.get_future().wait();
  waiting.join();
  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace fathom
