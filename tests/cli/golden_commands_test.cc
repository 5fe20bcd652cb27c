// The golden checkpoints through the commands a person types. tests/golden/README.md has the
// tolerances.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "io/file_system.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"
#include "weights/npy.h"

namespace fathom {
namespace {

constexpr double kLogitTolerance = 2e-3;
constexpr double kSafeMargin = 0.01;

class GoldenCommands : public testing::TestWithParam<const char*> {
 protected:
  Json Golden() {
    const std::string path = case_ + "/golden.json";
    return ParseJson(files_->ReadText(path).value(), path).value();
  }
  Json Tokens(const Json& golden, const std::string& prompt) {
    for (const Json& entry : golden.Find("prompts")->as_array()) {
      if (entry.Find("id")->as_string() == prompt) return *entry.Find("tokens");
    }
    ADD_FAILURE() << "no prompt " << prompt;
    return Json::MakeArray();
  }
  double WorstDifference(const std::string& expected_path, const std::string& found_path) {
    const NpyArray expected = ReadNpy(*files_, expected_path).value();
    const NpyArray found = ReadNpy(*files_, found_path).value();
    EXPECT_EQ(found.shape, expected.shape);
    const std::vector<float> a = expected.As<float>();
    const std::vector<float> b = found.As<float>();
    double worst = 0;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return worst;
  }

  std::unique_ptr<FileSystem> files_ = MakePosixFileSystem();
  std::string case_ = std::string("tests/golden/") + GetParam();
  ScratchFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Compact, GoldenCommands,
                         testing::Values("v3_fp8_ragged", "v3_negbias", "v2lite_bf16",
                                         "qwen2_tied_bf16"));

TEST_P(GoldenCommands, ScoreWritesTheGoldenLogits) {
  const Json golden = Golden();
  const std::vector<std::string> prompts = {"p001", "p005", "p048"};
  const std::string mtp_file = case_ + "/mtp_logits_postnorm_p048.npy";
  const bool mtp = files_->Exists(mtp_file);
  std::string lines;
  for (const std::string& prompt : prompts) {
    lines += Json::MakeObject({{"id", prompt}, {"ids", Tokens(golden, prompt)}}).Dump() + "\n";
  }
  std::vector<std::string> args = {"score",         case_ + "/ckpt",
                                   "--dtype",       "float32",
                                   "--input",       folder_.Put("in.jsonl", lines),
                                   "--output",      folder_ / "out.jsonl",
                                   "--full-logits", folder_ / "logits"};
  if (mtp) args.emplace_back("--mtp");
  const Outcome outcome = RunFathom(args);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string& prompt : prompts) {
    EXPECT_LT(WorstDifference(case_ + "/logits_" + prompt + ".npy",
                              folder_ / ("logits/" + prompt + ".npy")),
              kLogitTolerance)
        << prompt;
  }
  if (!mtp) return;
  EXPECT_LT(WorstDifference(mtp_file, folder_ / "logits/p048.mtp.npy"), kLogitTolerance);
}

TEST_P(GoldenCommands, RunContinuesGreedilyAsFarAsTheMarginAllows) {
  const Json golden = Golden();
  const Json& run = golden.Find("greedy")->as_array()[0];
  const Json prompt = Tokens(golden, run.Find("prompt")->as_string());
  std::string ids;
  for (const Json& id : prompt.as_array()) {
    ids += (ids.empty() ? "" : ",") + Format("{}", id.as_int());
  }
  const Outcome outcome =
      RunFathom({"run", case_ + "/ckpt", "--prompt-ids", ids, "--temperature", "0", "--max-tokens",
                 "32", "--ignore-eos", "--dtype", "float32", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = ParseJson(outcome.out, "output").value();
  const Json::Array& found = report.Find("ids")->as_array();
  const Json::Array& expected = run.Find("tokens")->as_array();
  const Json::Array& margins = run.Find("margin")->as_array();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < expected.size() && margins[i].as_double() >= kSafeMargin; ++i) {
    EXPECT_EQ(found[i].as_int(), expected[i].as_int()) << "token " << i;
  }
}

}  // namespace
}  // namespace fathom
