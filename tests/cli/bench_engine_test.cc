#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;

class BenchEngineTest : public testing::Test {
 protected:
  Outcome Bench(const Words& more) {
    Words args = {"bench", "engine", model_, "--threads", "1"};
    args.insert(args.end(), more.begin(), more.end());
    return RunFathom(args);
  }

  ScratchFolder folder_;
  std::string model_ = WriteTinyModel(folder_, "tiny");
};

TEST_F(BenchEngineTest, EveryCombinationIsTimedAndReported) {
  const Outcome outcome = Bench({"--prompt", "8,20", "--gen", "3", "--depth", "0,16", "--batch",
                                 "2", "--repetitions", "2", "--profile", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = ParseJson(outcome.out, "report").value();
  EXPECT_EQ(report.Find("threads")->as_int(), 1);
  const Json::Array& cases = report.Find("cases")->as_array();
  ASSERT_EQ(cases.size(), 6u);
  EXPECT_EQ(cases[0].Find("test")->as_string(), "pp8");
  EXPECT_EQ(cases[5].Find("test")->as_string(), "tg3 @ d16");
  EXPECT_EQ(cases[0].Find("batch")->as_int(), 2);
  for (const Json& one : cases) {
    EXPECT_EQ(one.Find("seconds")->as_array().size(), 2u);
    EXPECT_GT(one.Find("tokens_per_second")->as_double(), 0);
    EXPECT_GT(one.Find("of_bandwidth")->as_double(), 0);
    bool head = false;
    for (const Json& part : one.Find("parts")->as_array()) {
      head |= part.Find("name")->as_string() == "head";
    }
    EXPECT_TRUE(head);
  }
}

TEST_F(BenchEngineTest, TheTableHasALineACase) {
  const Outcome outcome = Bench({"--prompt", "8", "--gen", "2", "--repetitions", "1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("pp8 "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("tg2 "), std::string::npos) << outcome.out;
}

TEST_F(BenchEngineTest, WhatCannotBeTimedIsRefusedBeforeAnythingIsLoaded) {
  struct Row {
    Words flags;
    std::string what;
  };
  const std::vector<Row> rows = {
      {{"--prompt", "0", "--gen", "0"}, "nothing to time"},
      {{"--depth", "10"}, "--depth must be a multiple of 16"},
      {{"--batch", "0"}, "--batch takes 1 to 4096, found 0"},
      {{"--prompt", "5,,6"}, "--prompt"},
      {{"--gen", "x"}, "'x' is not a whole number"},
      {{"--repetitions", "0"}, "--repetitions must be 1 to 1000"},
      {{"--depth", "1048576"}, "positions"},
  };
  for (const Row& row : rows) {
    const Outcome outcome = Bench(row.flags);
    EXPECT_EQ(outcome.exit_code, 2) << row.flags[1];
    EXPECT_NE(outcome.err.find(row.what), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(BenchEngineTest, WhatToTimeIsAskedFor) {
  const Outcome none = RunFathom({"bench"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("fathom bench engine MODEL"), std::string::npos) << none.err;
  EXPECT_EQ(RunFathom({"bench", "disk"}).exit_code, 2);
  EXPECT_EQ(RunFathom({"bench", "--help"}).exit_code, 0);
  EXPECT_EQ(RunFathom({"help", "bench"}).exit_code, 0);
}

}  // namespace
}  // namespace fathom
