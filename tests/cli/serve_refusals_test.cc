// What `fathom serve` refuses at its start, and which signals end it.
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;

class ServeRefusals : public testing::Test {
 protected:
  // On any free port.
  static Words With(const std::string& model, const Words& flags) {
    Words args = {"serve", model, "--port", "0"};
    args.insert(args.end(), flags.begin(), flags.end());
    return args;
  }

  ScratchFolder folder_;
  std::string model_ = WriteTinyModel(folder_, "m");
};

TEST_F(ServeRefusals, WhatCannotWorkIsRefusedAtTheStart) {
  const std::string hot = WriteTinyModel(folder_, "hot");
  folder_.Put("hot/generation_config.json", R"({"temperature":9})");
  const std::string config = folder_.Put("mindie.json", R"({"BackendConfig":{}})");
  const struct {
    Words args;
    std::string error;
  } rows[] = {
      {With(model_ + "/config.json", {}),
       "error: this is a file, and a folder is wanted\n  where: serve: " + model_ +
           "/config.json\n  fix: name a folder with config.json and safetensors files; this file "
           "lies in " +
           model_ + "\n"},
      {With(model_, {"--served-model-name", "a", "--served-model-name", "a"}),
       "error: --served-model-name is 'a' twice\n  where: serve\n  fix: give each name once; "
       "`fathom serve --help` shows the flags and examples\n"},
      {With(model_, {"--served-model-name", "a,b"}),
       "error: --served-model-name is 'a,b', and a name has no comma\n  where: serve\n  fix: give "
       "the flag once for each name; `fathom serve --help` shows the flags and examples\n"},
      {With(hot, {}),
       "error: temperature is 9, and requests have a number from 0 to 2\n  where: serve: " + hot +
           "/generation_config.json: /temperature\n  fix: set it to a value of that range, or take "
           "it out\n"},
      {With(model_, {"--schedule", "maxBatchSize=2"}),
       "error: maxPrefillBatchSize 50 (its default) is more than maxBatchSize 2\n  where: serve: "
       "--schedule\n  fix: give maxPrefillBatchSize too, at most 2\n"},
      {With(model_, {"--mindie-config", config}),
       "error: ModelDeployConfig is missing\n  where: serve: " + config +
           ": /BackendConfig/ModelDeployConfig\n  fix: add it, {} for MindIE's defaults, or give "
           "single values with --schedule KEY=VALUE\n"},
  };
  for (const auto& row : rows) {
    const Outcome outcome = RunFathom(row.args);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(ErrorIn(outcome), row.error);
  }
}

TEST_F(ServeRefusals, TheHelpNamesTheSchedulingParameters) {
  const Outcome outcome = RunFathom({"serve", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("maxPrefillBatchSize"), std::string::npos) << outcome.out;
}

// SIGINT is ignored in what a script starts in the background; SIGTERM never is.
TEST_F(ServeRefusals, EndsWithZeroWhenAllWasAnsweredWhateverSignalAsks) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Child server(With(model_, {}), Child::Streams::kPipes);
    ASSERT_TRUE(server.ReadErrUntil("ready: "));
    server.Signal(signal);
    ASSERT_TRUE(server.ReadErrUntil(R"("event":"draining","requests":0,"seconds":60)"));
    const Outcome outcome = server.Finish();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
}

}  // namespace
}  // namespace fathom
