#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace fathom {
namespace {

TEST(Error, PrintsItsThreeParts) {
  EXPECT_EQ(BadInput("tensor is F32", "model.safetensors", "fetch it again").ToString(),
            "error: tensor is F32\n  where: model.safetensors\n  fix: fetch it again\n");
  EXPECT_EQ(Failed("out of luck").ToString(), "error: out of luck\n");
}

TEST(Error, WithinPutsTheOuterPlaceInFront) {
  EXPECT_EQ(Within("run", Within("config.json", BadInput("x", "/a"))).where,
            "run: config.json: /a");
  EXPECT_EQ(Within("run", Failed("x")).where, "run");
}

Result<int> Half(int value) {
  if (value % 2 != 0) return BadInput("odd");
  return value / 2;
}

Status CheckQuarter(int value, int expected) {
  FATHOM_TRY(const int half, Half(value));
  FATHOM_TRY(const int quarter, Half(half));
  if (quarter != expected) return Failed("not it");
  return Ok();
}

Status Twice(int value) {
  FATHOM_OK(CheckQuarter(value, value / 4));
  return Ok();
}

TEST(Result, TryGoesOnOrReturnsTheError) {
  EXPECT_TRUE(CheckQuarter(8, 2).ok());
  EXPECT_EQ(CheckQuarter(6, 1).error().what, "odd");
  EXPECT_EQ(CheckQuarter(6, 1).error().kind, ErrorKind::kBadInput);
  EXPECT_EQ(CheckQuarter(8, 3).error().kind, ErrorKind::kFailed);
  EXPECT_EQ(Twice(2).error().what, "odd");
}

TEST(Result, HandsOverWhatCanOnlyMove) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(3));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(ResultDeathTest, ReadingTheWrongOneEndsTheProgram) {
  const Result<int> error = Half(3);
  EXPECT_DEATH((void)error.value(), "internal error: ok\\(\\) does not hold");
  const Result<int> value = Half(2);
  EXPECT_DEATH((void)value.error(), "internal error: !ok\\(\\) does not hold");
}

}  // namespace
}  // namespace fathom
