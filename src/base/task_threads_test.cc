#include "base/task_threads.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace fathom {
namespace {

TEST(TaskThreads, OneRunsTasksInOrderAndFinishesThemBeforeItEnds) {
  std::vector<int> order;
  {
    TaskThreads threads(1, 4);
    for (int i = 0; i < 100; ++i) threads.Post([&order, i] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(TaskThreads, TakeNoMoreThanTheirCapacity) {
  std::promise<void> go;
  std::promise<void> began;
  TaskThreads threads(1, 2);
  threads.Post([&] {
    began.set_value();
    go.get_future().wait();
  });
  began.get_future().wait();
  int ran = 0;
  EXPECT_TRUE(threads.TryPost([&] { ++ran; }));
  EXPECT_TRUE(threads.TryPost([&] { ++ran; }));
  EXPECT_FALSE(threads.TryPost([&] { ran = 100; }));
  std::promise<void> done;
  std::thread waiting([&] { threads.Post([&] { done.set_value(); }); });
  go.set_value();
  done.get_future().wait();
  waiting.join();
  EXPECT_EQ(ran, 2);
}

TEST(TaskThreads, ATaskThatTakesLongHoldsUpNoOther) {
  std::promise<void> go;
  TaskThreads threads(2, 100);
  threads.Post([&] { go.get_future().wait(); });
  for (int i = 0; i < 20; ++i) {
    std::promise<void> done;
    threads.Post([&] { done.set_value(); });
    done.get_future().wait();
  }
  go.set_value();
}

TEST(TaskThreads, KeepNothingOfATaskThatRan) {
  TaskThreads threads(1, 1);
  std::promise<void> gone;
  threads.Post([held = std::shared_ptr<void>(nullptr, [&](void*) { gone.set_value(); })] {});
  gone.get_future().wait();
}

}  // namespace
}  // namespace fathom
