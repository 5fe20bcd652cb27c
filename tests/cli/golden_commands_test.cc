// The golden checkpoints through the commands a person types. tests/golden/README.md has the
// tolerances.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "io/file_system.h"
#include "ops/compute.h"
#include "tensor/npy_testing.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

constexpr double kLogitTolerance = 3e-4;
constexpr double kSafeMargin = 0.01;

// A case and the kernels that FATHOM_ISA forces.
class GoldenCommands : public testing::TestWithParam<std::tuple<const char*, Isa>> {
 protected:
  void SetUp() override {
    if (!IsaAvailable(isa_)) GTEST_SKIP() << "this processor has no " << IsaName(isa_);
  }
  Outcome Run(const std::vector<std::string>& args) const {
    return RunFathom(args, "", {{"FATHOM_ISA", std::string(IsaName(isa_))}});
  }
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
    const NpyArray expected = ReadNpy(expected_path);
    const NpyArray found = ReadNpy(found_path);
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
  std::string case_ = std::string("tests/golden/") + std::get<0>(GetParam());
  Isa isa_ = std::get<1>(GetParam());
  ScratchFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(
    Compact, GoldenCommands,
    testing::Combine(testing::Values("v3_fp8_ragged", "v3_negbias", "v3_noyarn", "v2lite_bf16",
                                     "qwen2_tied_bf16"),
                     testing::Values(Isa::kPortable, Isa::kAvx2, Isa::kAvx512)),
    [](const auto& param) {
      return std::string(std::get<0>(param.param)) + "_" +
             std::string(IsaName(std::get<1>(param.param)));
    });

TEST_P(GoldenCommands, ScoreWritesTheGoldenLogits) {
  const Json golden = Golden();
  const std::vector<std::string> prompts = {"p001", "p005", "p065"};
  const std::string mtp_file = case_ + "/mtp_logits_postnorm_p048.npy";
  const bool mtp = files_->Exists(mtp_file);
  std::string lines;
  for (const char* prompt : {"p001", "p005", "p048", "p065"}) {
    lines += Json::MakeObject({{"id", prompt}, {"ids", Tokens(golden, prompt)}}).Dump() + "\n";
  }
  std::vector<std::string> args = {"score",         case_ + "/ckpt",
                                   "--dtype",       "float32",
                                   "--input",       folder_.Put("in.jsonl", lines),
                                   "--output",      folder_ / "out.jsonl",
                                   "--full-logits", folder_ / "logits"};
  if (mtp) args.emplace_back("--mtp");
  const Outcome outcome = Run(args);
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
      Run({"run", case_ + "/ckpt", "--prompt-ids", ids, "--temperature", "0", "--max-tokens", "32",
           "--ignore-eos", "--dtype", "float32", "--json"});
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

// DeepSeek-V3's tokenizer is not part of the repository; FATHOM_TOKENIZER_DIR names its folder.
class GoldenTokenizer : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("FATHOM_TOKENIZER_DIR");
    if (folder == nullptr) GTEST_SKIP() << "FATHOM_TOKENIZER_DIR is not set";
    tokenizer_ = folder;
  }
  Json ReadCases(const std::string& name) {
    const std::string path = "tests/golden/tokenizer/" + name;
    return ParseJson(MakePosixFileSystem()->ReadText(path).value(), path).value();
  }
  Json Tokenize(std::vector<std::string> args) {
    args.insert(args.begin(), {"tokenize", tokenizer_, "--json"});
    const Outcome outcome = RunFathom(args);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return ParseJson(outcome.out, "output").value();
  }

  std::string tokenizer_;
  ScratchFolder folder_;
};

TEST_F(GoldenTokenizer, TextBecomesTheGoldenIds) {
  const Json golden = ReadCases("encode_decode.json");
  const Json::Array& cases = golden.Find("cases")->as_array();
  // All of them are held against the tokenizer itself elsewhere; here it is the command's way.
  for (size_t i = 0; i < cases.size(); i += 8) {
    const Json& entry = cases[i];
    const Json found = Tokenize({"--file", folder_.Put("text", entry.Find("text")->as_string())});
    EXPECT_EQ(*found.Find("ids"), *entry.Find("ids")) << entry.Find("id")->Dump();
    EXPECT_EQ(*found.Find("text"), *entry.Find("decoded")) << entry.Find("id")->Dump();
  }
}

TEST_F(GoldenTokenizer, MessagesBecomeTheGoldenPrompts) {
  const Json golden = ReadCases("chat_template.json");
  const std::vector<std::pair<std::string, std::string>> templates = {
      {"v3", ""},
      {"r1", "tests/golden/tokenizer/templates/deepseek-r1.jinja"},
      {"r1_think", "tests/golden/tokenizer/templates/deepseek-r1-think.jinja"}};
  const Json::Array& cases = golden.Find("cases")->as_array();
  for (size_t i = 0; i < cases.size(); i += 4) {
    const Json& entry = cases[i];
    const std::string messages = folder_.Put("m.json", entry.Find("messages")->Dump());
    for (const auto& [name, file] : templates) {
      std::vector<std::string> args = {"--messages", messages};
      if (!entry.Find("add_generation_prompt")->as_bool()) {
        args.emplace_back("--no-generation-prompt");
      }
      if (!file.empty()) args.insert(args.end(), {"--chat-template", file});
      const Json found = Tokenize(args);
      const Json& expected = *entry.Find("outputs")->Find(name);
      EXPECT_EQ(*found.Find("text"), *expected.Find("text")) << name;
      // The ids of the other two are R1's, which has tokens of its own for the tags.
      if (name != "v3") continue;
      EXPECT_EQ(*found.Find("ids"), *expected.Find("ids")) << entry.Find("name")->Dump();
    }
  }
}

}  // namespace
}  // namespace fathom
