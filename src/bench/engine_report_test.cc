#include "bench/engine_report.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "base/json.h"
#include "bench/engine_speed.h"
#include "ops/profile.h"

namespace fathom {
namespace {

// Two runs of 100 tokens: 50 and 25 a second. The ceilings allow 1000 bytes and 4000 operations a
// second.
EngineCaseResult TwoRuns() {
  const Profile::Part norm{.name = "norm", .layer = 0, .calls = 1, .seconds = 1, .bytes = 500};
  const Profile::Part mlp{
      .name = "mlp", .layer = 0, .calls = 1, .seconds = 1, .bytes = 100, .operations = 3000};
  const Profile::Part head{.name = "head", .calls = 1, .seconds = 1, .bytes = 900};
  EngineCaseResult result;
  result.measured = {EngineCase::Phase::kDecode, 4, 25, 2048};
  result.runs = {{.seconds = 2, .tokens = 100, .parts = {norm, mlp}},
                 {.seconds = 4, .tokens = 100, .parts = {norm, mlp, head}}};
  result.ceilings = {.bytes_per_second = 1000, .operations_per_second = 4000};
  return result;
}

TEST(EngineReport, SpeedIsTheMeanOfTheRunsWithItsDeviation) {
  EXPECT_DOUBLE_EQ(TwoRuns().tokens_per_second(), 37.5);
  EXPECT_NEAR(TwoRuns().deviation(), 17.677670, 1e-6);  // 25 / sqrt(2)
}

TEST(EngineReport, UseIsWhatWasDoneInAllRunsOverWhatIsPossible) {
  EXPECT_DOUBLE_EQ(TwoRuns().of_bandwidth(), 2100.0 / 6 / 1000);
  EXPECT_DOUBLE_EQ(TwoRuns().of_peak(), 6000.0 / 6 / 4000);
}

TEST(EngineReport, NamesAreThoseOfLlamaBench) {
  EXPECT_EQ(CaseName({EngineCase::Phase::kPrefill, 1, 512, 0}), "pp512");
  EXPECT_EQ(CaseName({EngineCase::Phase::kDecode, 8, 128, 2048}), "tg128 @ d2048");
}

TEST(EngineReport, PartsAndLayersAreMeansOfARunHeldAgainstTheNearerCeiling) {
  const Json json = ToJson(TwoRuns(), true);
  const Json::Array& parts = json.Find("parts")->as_array();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].Find("name")->as_string(), "mlp");
  EXPECT_DOUBLE_EQ(parts[1].Find("seconds")->as_double(), 1);
  EXPECT_DOUBLE_EQ(parts[1].Find("of_bound")->as_double(), 0.75);  // 3000 of 4000 operations
  EXPECT_DOUBLE_EQ(parts[0].Find("of_bound")->as_double(), 0.5);   // 500 of 1000 bytes
  const Json::Array& layers = json.Find("layers")->as_array();
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].Find("name")->as_string(), "layer 0");
  EXPECT_DOUBLE_EQ(layers[0].Find("seconds")->as_double(), 2);
  EXPECT_EQ(layers[1].Find("name")->as_string(), "outside the layers");
  EXPECT_EQ(ToJson(TwoRuns(), false).Find("parts"), nullptr);
}

TEST(EngineReport, TheProfileNamesWhatIsNoPartOfTheModel) {
  const std::string table = ProfileTable(TwoRuns());
  // 6 s of two runs, of which the parts took 5: half a second a run, a sixth of the time.
  const size_t at = table.find("scheduling and sampling");
  ASSERT_NE(at, std::string::npos) << table;
  const std::string line = table.substr(at, table.find('\n', at) - at);
  EXPECT_NE(line.find("500.00"), std::string::npos) << line;
  EXPECT_NE(line.find("16.7"), std::string::npos) << line;
}

}  // namespace
}  // namespace fathom
