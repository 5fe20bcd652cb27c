#include "server/admission.h"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Admission, LetsInWhatRunsAndWhatMayWait) {
  Admission admission(2, 3);
  EXPECT_TRUE(admission.Enter(4));
  EXPECT_FALSE(admission.Enter(2));  // all or none
  EXPECT_EQ(admission.inside(), 4);
  EXPECT_TRUE(admission.Enter(1));
  EXPECT_FALSE(admission.Enter(1));
  admission.Leave(1);
  EXPECT_TRUE(admission.Enter(1));
  EXPECT_FALSE(admission.Enter(6));
}

TEST(Admission, SaysWhenToTryAgainByTheRateOfTheLastEnds) {
  Admission admission(2, 100);
  EXPECT_EQ(admission.RetryAfterSeconds(), 1);
  ASSERT_TRUE(admission.Enter(22));
  admission.Leave(10);
  admission.Leave(14);
  // 18 wait, one ends every 4 s: after 36 s half of them have ended.
  EXPECT_EQ(admission.RetryAfterSeconds(), 36);
  admission.Leave(1000);
  EXPECT_EQ(admission.RetryAfterSeconds(), 120);
}

}  // namespace
}  // namespace fathom
