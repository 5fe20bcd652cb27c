#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace fathom {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return BadInput("odd number", "", "double it");
  return value / 2;
}

Status OnlyEven(int value) {
  FATHOM_OK(Half(value));
  return Ok();
}

Result<int> Quarter(int value) {
  FATHOM_TRY(const int half, Half(value));
  return Half(half);
}

TEST(Error, PrintsItsPartsAndLeavesOutAnEmptyPlace) {
  EXPECT_EQ(Failed("w", "", "do").ToString(), "error: w\n  fix: do\n");
  EXPECT_EQ(Failed("w", "here", "do").ToString(), "error: w\n  where: here\n  fix: do\n");
}

TEST(Error, WithinPutsTheOuterPlaceInFront) {
  EXPECT_EQ(Within("run", Failed("w", "", "do")).where, "run");
  EXPECT_EQ(Within("run", Within("a.json", Failed("w", "/x", "do"))).where, "run: a.json: /x");
}

TEST(Error, WithinKeepsTheKind) {
  EXPECT_EQ(Within("run", BadInput("w", "", "do")).kind, ErrorKind::kBadInput);
  EXPECT_EQ(Within("run", Failed("w", "", "do")).kind, ErrorKind::kFailed);
  EXPECT_EQ(Within("run", DoesNotFit("w", "", "do")).kind, ErrorKind::kDoesNotFit);
}

static_assert(!std::is_default_constructible_v<Error>, "each part of an error is to be thought of");
static_assert(!std::is_constructible_v<Error, std::string, std::string>, "a fix included");

TEST(ErrorDeathTest, WithoutAFixItIsABug) {
  EXPECT_DEATH(static_cast<void>(BadInput("w", "here", "")), "!fix.empty\\(\\) does not hold");
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_EQ(*Half(6), 3);
  EXPECT_EQ(Half(5).error().what, "odd number");
  EXPECT_FALSE(Half(5));
}

TEST(Result, MovesAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = *std::move(made);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).error().what, "odd number");
  EXPECT_EQ(Quarter(3).error().what, "odd number");
}

TEST(Status, OkPassesErrorsOn) {
  EXPECT_TRUE(OnlyEven(2).ok());
  EXPECT_EQ(OnlyEven(3).error().what, "odd number");
}

TEST(ResultDeathTest, ReadingTheWrongSideEndsTheProcess) {
  EXPECT_DEATH(static_cast<void>(Half(5).value()), "ok\\(\\) does not hold");
  EXPECT_DEATH(static_cast<void>(Half(4).error()), "!ok\\(\\) does not hold");
  EXPECT_DEATH(static_cast<void>(Ok().error()), "has_value\\(\\) does not hold");
}

}  // namespace
}  // namespace fathom
