#include "sched/waiting_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

namespace fathom {
namespace {

// Takes all, in order.
std::vector<int32_t> Drain(WaitingQueue& queue) {
  std::vector<int32_t> order;
  while (queue.size() > 0) {
    order.push_back(queue.First());
    queue.Take(order.back());
  }
  return order;
}

TEST(WaitingQueue, OneClientIsServedAsItCame) {
  WaitingQueue queue(60);
  double arrival_s = 0;
  for (const int32_t slot : {2, 0, 1}) queue.Push(slot, {.client = 5, .arrival_s = arrival_s++});
  queue.Charge(queue.ClientOf(0), 1000);
  EXPECT_EQ(queue.OldestArrival(), 0);
  EXPECT_EQ(Drain(queue), (std::vector<int32_t>{2, 0, 1}));
  EXPECT_EQ(queue.First(), WaitingQueue::kNone);
}

TEST(WaitingQueue, WhoIsPutBackIsTheFirstOfItsClient) {
  WaitingQueue queue(60);
  for (const int32_t slot : {0, 1, 2}) queue.Push(slot, {});
  queue.Take(0);
  queue.Take(1);
  queue.PutBack(1);
  queue.PutBack(0);
  EXPECT_EQ(Drain(queue), (std::vector<int32_t>{0, 1, 2}));
}

TEST(WaitingQueue, WhoGoesAwayLeavesTheOthersInOrder) {
  WaitingQueue queue(60);
  for (const int32_t slot : {0, 1, 2, 3}) queue.Push(slot, {});
  for (const int32_t slot : {1, 3}) {
    queue.Take(slot);
    queue.Leave(slot);
  }
  EXPECT_FALSE(queue.Waits(1));
  queue.Push(1, {});
  EXPECT_EQ(Drain(queue), (std::vector<int32_t>{0, 2, 1}));
}

// A request counts as come priority * step after its arrival.
TEST(WaitingQueue, WaitingMakesUpForPriority) {
  const struct {
    double arrival_of_low;   // priority 2
    double arrival_of_high;  // priority 0
    int32_t first;
  } rows[] = {{0, 100, 1}, {0, 119, 1}, {0, 121, 0}, {50, 50, 1}};
  for (const auto& row : rows) {
    WaitingQueue queue(60);
    queue.Push(0, {.priority = 2, .arrival_s = row.arrival_of_low});
    queue.Push(1, {.priority = 0, .arrival_s = row.arrival_of_high});
    EXPECT_EQ(queue.First(), row.first) << row.arrival_of_low << " " << row.arrival_of_high;
  }
}

TEST(WaitingQueue, TheClientServedLeastGoesFirst) {
  WaitingQueue queue(60);
  for (const int32_t slot : {0, 1, 2}) queue.Push(slot, {.client = 1});
  for (const int32_t slot : {3, 4}) queue.Push(slot, {.client = 2});
  // 100 tokens each; equal counts go by arrival, then by who was there first.
  std::vector<int32_t> order;
  while (queue.size() > 0) {
    order.push_back(queue.First());
    queue.Serve(order.back());
    queue.Charge(queue.ClientOf(order.back()), 100);
  }
  EXPECT_EQ(order, (std::vector<int32_t>{0, 3, 1, 4, 2}));
}

TEST(WaitingQueue, WhoWasAwayHasSavedNothingUp) {
  WaitingQueue queue(60);
  queue.Push(0, {.client = 1});
  queue.Push(1, {.client = 1});
  queue.Take(0);
  queue.Charge(queue.ClientOf(0), 1000);
  queue.Serve(1);  // at a count of 1000
  for (const int32_t slot : {2, 3, 4}) queue.Push(slot, {.client = 2});
  queue.Push(5, {.client = 1});
  queue.Serve(queue.First());
  queue.Charge(queue.ClientOf(2), 1);
  EXPECT_EQ(queue.First(), 5);  // 1000 against 1001: 2 did not begin at 0
}

// Only what was served says where a newcomer begins: not who gave up, nor who was passed over.
TEST(WaitingQueue, WhoWasNotServedDoesNotSayWhereANewcomerBegins) {
  WaitingQueue queue(60);
  for (const int32_t slot : {0, 1, 2, 3}) queue.Push(slot, {.client = 1});
  queue.Serve(0);  // at a count of 0
  queue.Charge(queue.ClientOf(0), 1000);
  queue.Take(1);
  queue.Leave(1);
  queue.Take(2);
  queue.PutBack(2);
  queue.Push(4, {.client = 2});
  queue.Charge(queue.ClientOf(4), 999);
  EXPECT_EQ(queue.First(), 4);  // 999 against 1000: it began at 0
  queue.Charge(queue.ClientOf(4), 2);
  EXPECT_EQ(queue.First(), 2);
}

TEST(WaitingQueue, VisitsThoseThatWaitUpToANumber) {
  WaitingQueue queue(60);
  for (const int32_t slot : {2, 0, 1}) queue.Push(slot, {.client = 1, .priority = 3});
  queue.Push(3, {.client = 2, .priority = -1});
  queue.Take(0);
  for (const int64_t most : {0, 2, 9}) {
    std::vector<int32_t> slots;
    queue.VisitWaiting(most, [&](int32_t slot) { slots.push_back(slot); });
    const std::vector<int32_t> all = {3, 2, 1};
    EXPECT_EQ(slots, std::vector<int32_t>(all.begin(), all.begin() + std::min<int64_t>(most, 3)));
  }
}

// Two clients that always have requests waiting get equal shares, however unequal their requests
// are and how many they have; the difference never exceeds one request of each.
TEST(WaitingQueue, ClientsThatAlwaysWaitGetEqualShares) {
  WaitingQueue queue(60);
  std::map<int32_t, int64_t> got;
  int32_t slot = 0;
  std::map<int32_t, int32_t> client_of;
  const auto push = [&](int32_t client) {
    client_of[slot] = client;
    queue.Push(slot, {.client = static_cast<uint64_t>(client), .arrival_s = 0.01 * slot});
    ++slot;
  };
  for (int i = 0; i < 30; ++i) push(1);
  push(2);
  for (int i = 0; i < 500; ++i) {
    const int32_t next = queue.First();
    const int32_t client = client_of[next];
    const int64_t cost = client == 1 ? 100 : 700;
    queue.Serve(next);
    queue.Charge(queue.ClientOf(next), cost);
    queue.Leave(next);
    got[client] += cost;
    push(client);
    EXPECT_LE(std::abs(got[1] - got[2]), 800);
  }
}

TEST(WaitingQueue, ClientsThatCameAndWentTakeNoMemory) {
  WaitingQueue queue(60);
  for (uint64_t client = 0; client < 20000; ++client) {
    queue.Push(0, {.client = client});
    EXPECT_LT(queue.ClientOf(0), 5000);
    queue.Serve(0);
    queue.Charge(queue.ClientOf(0), 1);
    queue.Leave(0);
  }
  EXPECT_EQ(queue.size(), 0);
}

}  // namespace
}  // namespace fathom
