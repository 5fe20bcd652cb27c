#include "cli/progress_printer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock_testing.h"

namespace fathom {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

class ProgressPrinterTest : public testing::Test {
 protected:
  ProgressPrinter Make(ProgressUnit unit, bool terminal) {
    return ProgressPrinter(clock_, unit, terminal,
                           [this](std::string_view text) { printed_ += text; });
  }
  // What was printed since the last call.
  std::string Printed() {
    std::string text;
    text.swap(printed_);
    return text;
  }

  ManualClock clock_;
  std::string printed_;
};

TEST_F(ProgressPrinterTest, ALogGetsALineWhenAPhaseBeginsEveryFiveSecondsAndWhenItEnds) {
  ProgressPrinter progress = Make(ProgressUnit::kBytes, false);
  progress.Begin(2, 4, "reading weights", 100 * kGiB);
  EXPECT_EQ(Printed(), "[2/4] reading weights: 100.0 GiB\n");
  clock_.Pass(4.9);
  progress.Advance(10 * kGiB);
  EXPECT_EQ(Printed(), "");
  clock_.Pass(0.1);
  progress.Advance(0);
  EXPECT_EQ(Printed(),
            "[2/4] reading weights: 10.0 GiB of 100.0 GiB (10%), 2.0 GiB/s, 45 s left\n");
  clock_.Pass(1);
  progress.Advance(2 * kGiB);
  EXPECT_EQ(Printed(), "");
  clock_.Pass(44);
  progress.Advance(88 * kGiB);
  EXPECT_EQ(Printed(), "[2/4] reading weights: 100.0 GiB of 100.0 GiB (100%), 2.0 GiB/s\n");
  progress.End();
  EXPECT_EQ(Printed(), "[2/4] reading weights: 100.0 GiB in 50 s (2.0 GiB/s)\n");
}

TEST_F(ProgressPrinterTest, ATerminalLineIsRewrittenInPlaceTenTimesASecondAtMost) {
  ProgressPrinter progress = Make(ProgressUnit::kTokens, true);
  progress.Begin(1, 1, "scoring", 4000);
  EXPECT_EQ(Printed(), "\r[1/1] scoring: 4,000 tokens\x1b[K");
  clock_.Pass(0.05);
  progress.Advance(10);
  EXPECT_EQ(Printed(), "");
  clock_.Pass(0.95);
  progress.Advance(990);
  EXPECT_EQ(Printed(),
            "\r[1/1] scoring: 1,000 tokens of 4,000 tokens (25%), 1,000 tokens/s, 3.0 s left"
            "\x1b[K");
  progress.End();
  EXPECT_EQ(Printed(), "\r[1/1] scoring: 1,000 tokens in 1.0 s (1,000 tokens/s)\x1b[K\n");
}

TEST_F(ProgressPrinterTest, AnUnknownAmountHasNeitherPercentNorTimeLeft) {
  ProgressPrinter progress = Make(ProgressUnit::kBytes, false);
  progress.Begin(1, 2, "reading headers", 0);
  EXPECT_EQ(Printed(), "[1/2] reading headers ...\n");
  clock_.Pass(5);
  progress.Advance(10 * 1024);
  EXPECT_EQ(Printed(), "[1/2] reading headers: 10.0 KiB, 2.0 KiB/s\n");
  progress.End();
  EXPECT_EQ(Printed(), "[1/2] reading headers: 10.0 KiB in 5.0 s (2.0 KiB/s)\n");
}

TEST_F(ProgressPrinterTest, APhaseWithoutAmountEndsWithItsTime) {
  ProgressPrinter progress = Make(ProgressUnit::kBytes, false);
  progress.Begin(1, 1, "checking", 0);
  clock_.Pass(90);
  progress.End();
  EXPECT_EQ(Printed(), "[1/1] checking ...\n[1/1] checking: 1 min 30 s\n");
}

TEST_F(ProgressPrinterTest, APhaseThatIsGivenUpLeavesACompleteLine) {
  for (const bool terminal : {true, false}) {
    {
      ProgressPrinter progress = Make(ProgressUnit::kBytes, terminal);
      progress.Begin(1, 1, "x", 0);
      EXPECT_EQ(Printed(), terminal ? "\r[1/1] x ...\x1b[K" : "[1/1] x ...\n");
    }
    EXPECT_EQ(Printed(), terminal ? "\n" : "");
  }
}

TEST_F(ProgressPrinterTest, APartCountsThePhasesAroundIt) {
  ProgressPrinter progress = Make(ProgressUnit::kBytes, false);
  PartOfJob part(progress, 1, 2);
  part.Begin(1, 3, "x", 0);
  EXPECT_EQ(Printed(), "[2/6] x ...\n");
}

TEST(HumanSeconds, SaysAsMuchAsAPersonNeeds) {
  EXPECT_EQ(HumanSeconds(0), "0.0 s");
  EXPECT_EQ(HumanSeconds(9.94), "9.9 s");
  EXPECT_EQ(HumanSeconds(9.95), "10 s");
  EXPECT_EQ(HumanSeconds(59.4), "59 s");
  EXPECT_EQ(HumanSeconds(59.5), "1 min 00 s");
  EXPECT_EQ(HumanSeconds(331), "5 min 31 s");
  EXPECT_EQ(HumanSeconds(3599.6), "1 h 00 min");
  EXPECT_EQ(HumanSeconds(7500), "2 h 05 min");
}

}  // namespace
}  // namespace fathom
