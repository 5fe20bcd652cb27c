#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/host_limits.h"
#include "base/json.h"
#include "io/file_system.h"
#include "spec/config_testing.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"
#include "weights/checkpoint_testing.h"

namespace fathom {
namespace {

int64_t At(const Json& json, std::string_view group, std::string_view key) {
  return json.Find(group)->Find(key)->as_int();
}

// 671B and 37B activated are DeepSeek-V3's published figures (technical report, section 1); the
// digits follow from the shapes in its config.json.
TEST(Inspect, FullSizeR1HasItsPublishedTotalsAndDoesNotFitHere) {
  const ScratchFolder folder;
  WriteHeaderOnlyCheckpoint(folder / "r1", DeepseekR1ConfigJson(), int64_t{5} << 30);
  const Outcome outcome = RunFathom({"inspect", folder / "r1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = ParseJson(outcome.out, "output").value();
  EXPECT_EQ(json.Find("architecture")->as_string(), "DeepseekV3ForCausalLM");
  EXPECT_EQ(At(json, "parameters", "main"), 671'026'419'200);
  EXPECT_EQ(At(json, "parameters", "total"), 684'489'845'504);
  EXPECT_EQ(At(json, "parameters", "active_per_token"), 36'625'618'432);
  EXPECT_EQ(At(json, "kv_bytes_per_token", "bfloat16"), 70'272);
  EXPECT_EQ(json.Find("bytes")->as_int(), 688'574'839'360);
  EXPECT_EQ(json.Find("layers")->as_int(), 61);
  EXPECT_EQ(json.Find("mtp_layers")->as_int(), 1);
  EXPECT_TRUE(json.Find("problems")->as_array().empty());
  if (AvailableMemory() > int64_t{640'000'000'000}) GTEST_SKIP() << "the model would fit here";
  const Outcome run = RunFathom({"run", folder / "r1", "--prompt-ids", "0"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_NE(run.err.find("error: the weights need 62"), std::string::npos) << run.err;
}

TEST(Inspect, TextNamesEachComponent) {
  const ScratchFolder folder;
  const Outcome outcome = RunFathom({"inspect", WriteTinyModel(folder, "tiny")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part :
       {"DeepseekV3ForCausalLM, 3 layers and 1 MTP", "fp8 in blocks of 128 x 128",
        "tokenizer: there", "embedding", "attention", "dense FFN", "routed experts",
        "shared experts", "gate", "norm", "head", "MTP", "active parameters a token",
        "KV cache a token", "F8_E4M3", "1 file, no problems"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  }
}

TEST(Inspect, TheMtpLayersMayBeAbsent) {
  const ScratchFolder folder;
  const std::string model = WriteTinyModel(folder, "tiny");
  const std::string config = folder.Get("tiny/config.json");
  const std::string key = "\"num_nextn_predict_layers\": 1";
  std::string without = config;
  without.replace(without.find(key), key.size(), "\"num_nextn_predict_layers\": 0");
  std::filesystem::remove(model + "/model.safetensors");
  WriteRandomCheckpoint(*MakePosixFileSystem(), model, without);
  folder.Put("tiny/config.json", config);
  const Outcome outcome = RunFathom({"inspect", model, "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(ParseJson(outcome.out, "output").value().Find("mtp_layers")->as_int(), 0);
}

TEST(Inspect, TensorsThatDoNotFitTheConfigurationEndWithOne) {
  const ScratchFolder folder;
  const std::string model = WriteTinyModel(folder, "tiny");
  std::string config = folder.Get("tiny/config.json");
  const std::string key = "\"num_hidden_layers\": 3";
  config.replace(config.find(key), key.size(), "\"num_hidden_layers\": 5");
  folder.Put("tiny/config.json", config);
  const Outcome outcome = RunFathom({"inspect", model, "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const Json json = ParseJson(outcome.out, "output").value();
  // What was the MTP layer is main layer 3 with 6 tensors too many: embedding, two norms,
  // projection, norm and head. Layer 4 is missing: 2 norms, 5 matrices and 2 norms of attention,
  // router and bias, 9 feed-forwards of 3 matrices. (Scales go with their weights.)
  const Json::Array& problems = json.Find("problems")->as_array();
  std::map<std::string, int> kinds;
  for (const Json& problem : problems) ++kinds[problem.Find("kind")->as_string()];
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"missing", 38}, {"surplus", 6}}));
  EXPECT_EQ(problems.front().Dump(),
            R"({"kind":"missing","name":"model.layers.4.input_layernorm.weight",)"
            R"("expected":"BF16 [136]","found":null,"file":null})");
  EXPECT_EQ(problems.back().Dump(),
            R"({"kind":"surplus","name":"model.layers.3.shared_head.norm.weight",)"
            R"("expected":null,"found":"BF16 [136]","file":"model.safetensors"})");
  const Outcome text = RunFathom({"inspect", model});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(
      text.out.find("1 file, PROBLEMS: 38 missing, 6 surplus\n"
                    "  model.layers.4.input_layernorm.weight: missing, expected BF16 [136]\n"),
      std::string::npos)
      << text.out;
  EXPECT_TRUE(text.out.ends_with(
      "  and 24 more, all listed with --json\n"
      "  fix: the files do not belong together or the download is not complete; fetch the folder "
      "again\n"))
      << text.out;

  const Outcome run = RunFathom({"run", model, "--prompt-ids", "0"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("missing"), std::string::npos) << run.err;
}

TEST(Inspect, AFileThatIsCutIsNamedInTheReport) {
  const ScratchFolder folder;
  const std::string model = WriteTinyModel(folder, "tiny");
  const std::string weights = model + "/model.safetensors";
  std::filesystem::resize_file(weights, std::filesystem::file_size(weights) - 1);
  const Outcome outcome = RunFathom({"inspect", model});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("DeepseekV3ForCausalLM, 3 layers"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\n  " + weights + ": "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("PROBLEMS: 1 in files or index"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  fix: the file is incomplete or damaged; fetch it again\n"),
            std::string::npos)
      << outcome.out;
}

TEST(Inspect, TwoSetsOfWeightsAreAProblemOfTheReport) {
  const ScratchFolder folder;
  const std::string model = WriteTinyModel(folder, "tiny");
  const std::string config = folder.Get("tiny/config.json");
  std::filesystem::remove(model + "/model.safetensors");
  WriteRandomCheckpoint(*MakePosixFileSystem(), model, config, {.max_shard_bytes = 200'000});
  folder.Put("tiny/model.safetensors", "");
  const Outcome outcome = RunFathom({"inspect", model});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("PROBLEMS: 1 in files or index\n  " + model +
                             ": there are two sets of weights: model.safetensors, and the "),
            std::string::npos)
      << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with("  fix: keep the one that is meant and move the other away\n"))
      << outcome.out;
}

TEST(Inspect, AShardThatIsMissingIsNamedAndTheOthersAreReported) {
  const ScratchFolder folder;
  const std::string model = WriteTinyModel(folder, "tiny");
  const std::string config = folder.Get("tiny/config.json");
  std::filesystem::remove(model + "/model.safetensors");
  WriteRandomCheckpoint(*MakePosixFileSystem(), model, config, {.max_shard_bytes = 200'000});
  std::string gone;
  for (const auto& entry : std::filesystem::directory_iterator(model)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("model-00002-of-")) gone = name;
  }
  ASSERT_FALSE(gone.empty());
  std::filesystem::remove(std::filesystem::path(model) / gone);
  const Outcome outcome = RunFathom({"inspect", model, "--json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  const Json json = ParseJson(outcome.out, "output").value();
  EXPECT_GT(json.Find("bytes")->as_int(), 0);
  const std::string problems = json.Find("problems")->Dump();
  EXPECT_NE(problems.find("that the index names are here: 1 missing"), std::string::npos);
  EXPECT_NE(problems.find("\\n    " + gone + "\""), std::string::npos) << problems;
  EXPECT_NE(problems.find(R"({"kind":"missing","name":")"), std::string::npos) << problems;
  EXPECT_EQ(json.Find("fix")->as_string(),
            "the files do not belong together or the download is not complete; fetch the folder "
            "again");
}

}  // namespace
}  // namespace fathom
