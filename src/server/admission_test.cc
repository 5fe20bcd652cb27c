#include "server/admission.h"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Admission, LetsInWhatRunsAndWhatMayWait) {
  Admission admission(2, 3);
  EXPECT_TRUE(admission.Enter({4, 40}, 0));
  EXPECT_FALSE(admission.Enter({2, 20}, 0));  // all or none
  EXPECT_EQ(admission.inside(), 4);
  EXPECT_TRUE(admission.Enter({1, 10}, 0));
  EXPECT_FALSE(admission.Enter({1, 10}, 0));
  admission.Leave(10, 1);
  EXPECT_TRUE(admission.Enter({1, 10}, 1));
  EXPECT_FALSE(admission.Enter({6, 60}, 1));
}

TEST(Admission, SaysWhenToTryAgainByTheRateOfTheLastEnds) {
  Admission admission(2, 100);
  EXPECT_EQ(admission.RetryAfterSeconds(), 1);
  ASSERT_TRUE(admission.Enter({22, 220}, 6));
  EXPECT_EQ(admission.RetryAfterSeconds(), 1);  // nothing is known yet
  admission.Leave(10, 10);
  admission.Leave(10, 14);
  // 18 wait, one ends every 4 s: after 36 s half of them have ended.
  EXPECT_EQ(admission.RetryAfterSeconds(), 36);
  admission.Leave(10, 1000);
  EXPECT_EQ(admission.RetryAfterSeconds(), 120);
}

// Nor does the time in which nobody was there count.
TEST(Admission, LongRequestsAreNotExpectedToEndAsShortOnesDid) {
  Admission admission(2, 100);
  for (const double begin_s : {0.0, 1000.0}) {
    ASSERT_TRUE(admission.Enter({1, 10}, begin_s));
    admission.Leave(10, begin_s + 0.01);  // 1 ms a token
  }
  ASSERT_TRUE(admission.Enter({22, 22 * 2000}, 2000));
  // 20 wait for 2000 tokens each: half of 40 s.
  EXPECT_EQ(admission.RetryAfterSeconds(), 20);
}

}  // namespace
}  // namespace fathom
