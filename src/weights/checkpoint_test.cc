#include "weights/checkpoint.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "io/memory_file_system_testing.h"
#include "spec/catalogue.h"
#include "spec/config_testing.h"
#include "tensor/dtype.h"
#include "weights/checkpoint_testing.h"
#include "weights/safetensors_writer.h"

namespace fathom {
namespace {

constexpr const char* kFolder = "/m";
constexpr const char* kIndex = "/m/model.safetensors.index.json";

// A folder of two files that hold the tensors named; everything is zeros.
class Folder {
 public:
  explicit Folder(std::string_view config_json) : config_json_(config_json) {
    tensors = DeclareModel(ParsedConfig(config_json));
  }

  TensorDeclaration& At(std::string_view name) {
    for (TensorDeclaration& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    FATHOM_CHECK(false);
    return tensors.front();
  }
  void Remove(std::string_view name) {
    std::erase_if(tensors, [&](const TensorDeclaration& t) { return t.name == name; });
  }
  void Write() {
    files.Remove(kIndex);  // of an earlier Write
    files.Put("/m/config.json", config_json_);
    const auto half = tensors.begin() + static_cast<ptrdiff_t>(tensors.size() / 2);
    const std::vector<Shard> shards = {
        {"model-00001-of-00002.safetensors", {tensors.begin(), half}},
        {"model-00002-of-00002.safetensors", {half, tensors.end()}}};
    int64_t bytes = 0;
    for (const TensorDeclaration& tensor : tensors) bytes += tensor.bytes();
    auto writer = SafetensorsWriter::Create(files, kFolder, shards);
    const std::vector<std::byte> zeros(static_cast<size_t>(bytes));
    FATHOM_CHECK(writer->Append(zeros).ok() && writer->Commit().ok());
  }
  // The index with the file of `tensor` replaced, or without the tensor when `shard` is empty.
  void EditIndex(const std::string& tensor, const std::string& shard) {
    Json index = *ParseJson(files.Get(kIndex), "index");
    Json map = *index.Find("weight_map");
    if (shard.empty()) {
      std::erase_if(map.as_object(), [&](const Json::Member& m) { return m.first == tensor; });
    } else {
      map.Set(tensor, shard);
    }
    index.Set("weight_map", map);
    files.Put(kIndex, index.Dump());
  }

  std::vector<TensorDeclaration> tensors;
  MemoryFileSystem files;

 private:
  std::string config_json_;
};

std::string ErrorOf(const Status& status) {
  return status.ok() ? "no error" : status.error().ToString();
}
std::string OpenError(FileSystem& files) {
  const auto checkpoint = Checkpoint::Open(files, kFolder);
  return checkpoint.ok() ? "no error" : checkpoint.error().ToString();
}
std::string VerifyError(Folder& folder, bool mtp = true) {
  folder.Write();
  const auto checkpoint = Checkpoint::Open(folder.files, kFolder);
  return checkpoint.ok() ? ErrorOf(checkpoint->Verify(mtp)) : checkpoint.error().ToString();
}

TEST(Checkpoint, OfEveryArchitectureOpensAndVerifies) {
  for (const auto config : {TinyDeepseekV3ConfigJson(), TinyDeepseekV2ConfigJson(),
                            TinyQwen2ConfigJson(), TinyLlamaConfigJson()}) {
    MemoryFileSystem files;
    WriteRandomCheckpoint(files, kFolder, config, {.seed = 7, .max_shard_bytes = 100'000});
    const auto checkpoint = Checkpoint::Open(files, kFolder);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().ToString();
    EXPECT_EQ(ErrorOf(checkpoint->Verify(true)), "no error");
    EXPECT_EQ(checkpoint->tensors().size(), Catalogue(checkpoint->config()).size());
  }
}

TEST(Checkpoint, ReadsPartsOfATensorFromItsFile) {
  MemoryFileSystem files;
  files.Put("/m/config.json", TinyLlamaConfigJson());
  auto writer = SafetensorsWriter::Create(
      files, kFolder, PlanShards({{"x", DType::kI8, {4}}, {"y", DType::kI8, {6}}}, 4));
  ASSERT_TRUE(writer->Append(std::as_bytes(std::span(std::string_view("abcdUVWXYZ")))).ok());
  ASSERT_TRUE(writer->Commit().ok());
  const auto checkpoint = Checkpoint::Open(files, kFolder);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().ToString();
  const TensorInfo* tensor = checkpoint->Find("y");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(checkpoint->FileOf(*tensor), "model-00002-of-00002.safetensors");
  EXPECT_EQ(tensor->bytes, 6);
  EXPECT_EQ(checkpoint->total_bytes(), 10);
  EXPECT_EQ(checkpoint->Find("z"), nullptr);
  std::string out(3, '\0');
  ASSERT_TRUE(checkpoint->Read(*tensor, 2, std::as_writable_bytes(std::span(out))).ok());
  EXPECT_EQ(out, "WXY");
  const auto mapped = checkpoint->Map(files, *tensor);
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(mapped->bytes.data()), mapped->bytes.size()),
            "UVWXYZ");
  files.Put("/m/model-00002-of-00002.safetensors", "other");
  EXPECT_EQ(checkpoint->Map(files, *tensor).error().ToString(),
            "error: the file has 5 bytes, it had 102 when it was opened\n"
            "  where: /m/model-00002-of-00002.safetensors: y\n"
            "  fix: leave the file alone while it is read, and run again\n");
}

TEST(Checkpoint, OpensASingleFileWithoutAnIndex) {
  MemoryFileSystem files;
  WriteRandomCheckpoint(files, kFolder, TinyQwen2ConfigJson());
  EXPECT_FALSE(files.Exists(kIndex));
  EXPECT_EQ(OpenError(files), "no error");
}

TEST(Checkpoint, OpeningReadsHeadersAndMapsNothing) {
  MemoryFileSystem files;
  WriteRandomCheckpoint(files, kFolder, TinyDeepseekV3ConfigJson());
  const auto checkpoint = Checkpoint::Open(files, kFolder);
  ASSERT_TRUE(checkpoint.ok());
  ASSERT_TRUE(checkpoint->Verify(true).ok());
  EXPECT_EQ(files.maps(), 0);
  const auto file_bytes = static_cast<int64_t>(files.Get("/m/model.safetensors").size());
  EXPECT_EQ(files.bytes_read(), static_cast<int64_t>(TinyDeepseekV3ConfigJson().size()) +
                                    file_bytes - checkpoint->total_bytes());
}

TEST(Checkpoint, ThatFailsWhileReadingNamesFileAndTensor) {
  MemoryFileSystem files;
  WriteRandomCheckpoint(files, kFolder, TinyQwen2ConfigJson());
  const auto size = static_cast<int64_t>(files.Get("/m/model.safetensors").size());
  files.CutWhileReading("/m/model.safetensors", size - 4);
  const auto checkpoint = Checkpoint::Open(files, kFolder);
  ASSERT_TRUE(checkpoint.ok());
  std::vector<std::byte> out(112);
  EXPECT_EQ(ErrorOf(checkpoint->Read(*checkpoint->Find("model.norm.weight"), 0, out)),
            Format("error: the file ends at byte {}, 4 more were expected: it was cut while being "
                   "read\n  where: /m/model.safetensors: model.norm.weight\n"
                   "  fix: leave the file alone while it is read, and run again\n",
                   size - 4));
}

#define FATHOM_FETCH                                                                           \
  "  fix: the files do not belong together or the download is not complete; fetch the folder " \
  "again\n"

TEST(CheckpointErrors, NoFolder) {
  MemoryFileSystem files;
  EXPECT_EQ(OpenError(files),
            "error: there is no such folder\n  where: /m\n"
            "  fix: name a folder with config.json and safetensors files\n");
}

TEST(CheckpointErrors, AFileInPlaceOfTheFolder) {
  MemoryFileSystem files;
  files.Put("/m/model.safetensors", "");
  const auto opened = Checkpoint::Open(files, "/m/model.safetensors");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().ToString(),
            "error: this is a file, and a folder is wanted\n  where: /m/model.safetensors\n"
            "  fix: name a folder with config.json and safetensors files; this file lies in /m\n");
}

TEST(CheckpointErrors, NoConfig) {
  MemoryFileSystem files;
  files.Put("/m/x", "");
  EXPECT_EQ(OpenError(files),
            "error: there is no config.json in this folder\n  where: /m\n"
            "  fix: name the folder that the checkpoint was downloaded to, or fetch config.json\n");
}

TEST(CheckpointErrors, ConfigIsNotJson) {
  MemoryFileSystem files;
  files.Put("/m/config.json", "{\n  \"a\": tru\n}");
  EXPECT_EQ(OpenError(files),
            "error: not valid JSON at line 2, column 11: syntax error while parsing value - "
            "invalid literal; last read: '\"a\": tru<U+000A>'\n  where: /m/config.json\n"
            "  fix: the file is damaged or was edited: fetch it again, or correct it there\n");
}

TEST(CheckpointErrors, UnknownArchitecture) {
  MemoryFileSystem files;
  files.Put("/m/config.json", R"({"architectures": ["GPT2LMHeadModel"]})");
  EXPECT_EQ(OpenError(files),
            "error: architecture \"GPT2LMHeadModel\" is not supported\n"
            "  where: /m/config.json: /architectures/0\n"
            "  fix: supported: DeepseekV3ForCausalLM, DeepseekV2ForCausalLM, Qwen2ForCausalLM, "
            "LlamaForCausalLM\n");
}

TEST(CheckpointErrors, NoSafetensors) {
  MemoryFileSystem files;
  files.Put("/m/config.json", TinyLlamaConfigJson());
  files.Put("/m/pytorch_model.bin", "");
  EXPECT_EQ(OpenError(files),
            "error: no model.safetensors.index.json and no model.safetensors in this folder; it "
            "holds: config.json, pytorch_model.bin\n  where: /m\n"
            "  fix: weights are read from safetensors files only\n");
}

TEST(CheckpointErrors, ShardsWithoutTheirIndex) {
  MemoryFileSystem files;
  files.Put("/m/config.json", TinyLlamaConfigJson());
  files.Put("/m/model-00001-of-00001.safetensors", "");
  EXPECT_EQ(OpenError(files),
            "error: no model.safetensors.index.json and no model.safetensors in this folder; it "
            "holds: config.json, model-00001-of-00001.safetensors\n  where: /m\n"
            "  fix: fetch the index of these files, too\n");
}

TEST(CheckpointErrors, ShardMissing) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  folder.files.Remove("/m/model-00002-of-00002.safetensors");
  EXPECT_EQ(OpenError(folder.files),
            "error: not all 2 files that the index names are here: 1 missing\n"
            "    model-00002-of-00002.safetensors\n"
            "  where: /m\n" FATHOM_FETCH);
}

TEST(CheckpointErrors, ShardTruncated) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  const std::string path = "/m/model-00002-of-00002.safetensors";
  const std::string whole = folder.files.Get(path);
  folder.files.Put(path, std::string_view(whole).substr(0, whole.size() - 10));
  const std::string error = OpenError(folder.files);
  EXPECT_NE(error.find("of the data, of which the file has"), std::string::npos) << error;
  EXPECT_NE(error.find("where: " + path + ": "), std::string::npos) << error;
}

TEST(Checkpoint, ForAReportOpensWhatIsThere) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  std::vector<Error> problems;
  ASSERT_TRUE(Checkpoint::OpenWhatIsThere(folder.files, kFolder, problems).ok());
  EXPECT_TRUE(problems.empty());

  folder.files.Remove("/m/model-00001-of-00002.safetensors");
  const std::string path = "/m/model-00002-of-00002.safetensors";
  const auto without_first = Checkpoint::OpenWhatIsThere(folder.files, kFolder, problems);
  ASSERT_TRUE(without_first.ok());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].what,
            "not all 2 files that the index names are here: 1 missing\n"
            "    model-00001-of-00002.safetensors");
  ASSERT_FALSE(without_first->tensors().empty());
  EXPECT_EQ(without_first->FileOf(without_first->tensors()[0]), "model-00002-of-00002.safetensors");

  problems.clear();
  folder.files.Put(path, "abc");
  const auto nothing = Checkpoint::OpenWhatIsThere(folder.files, kFolder, problems);
  ASSERT_TRUE(nothing.ok());
  EXPECT_TRUE(nothing->tensors().empty());
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].where, path);
}

TEST(CheckpointErrors, TensorInAnotherShard) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  folder.EditIndex("lm_head.weight", "model-00001-of-00002.safetensors");
  EXPECT_EQ(OpenError(folder.files),
            "error: the index and the files disagree about tensors: 1 in another file\n"
            "    lm_head.weight: in model-00002-of-00002.safetensors, expected in "
            "model-00001-of-00002.safetensors\n"
            "  where: /m/model.safetensors.index.json\n" FATHOM_FETCH);
}

TEST(CheckpointErrors, TensorInNoShard) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  folder.EditIndex("extra", "model-00001-of-00002.safetensors");
  EXPECT_EQ(OpenError(folder.files),
            "error: the index and the files disagree about tensors: 1 in no file\n"
            "    extra: expected in model-00001-of-00002.safetensors\n"
            "  where: /m/model.safetensors.index.json\n" FATHOM_FETCH);
}

TEST(CheckpointErrors, TensorNotInTheIndex) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  folder.EditIndex("lm_head.weight", "");
  EXPECT_EQ(OpenError(folder.files),
            "error: the index and the files disagree about tensors: 1 not in the index\n"
            "    lm_head.weight: in model-00002-of-00002.safetensors\n"
            "  where: /m/model.safetensors.index.json\n" FATHOM_FETCH);
}

TEST(CheckpointErrors, TensorInTwoShards) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  const std::vector<TensorDeclaration> copy = {{"lm_head.weight", DType::kI8, {0}}};
  folder.files.Put("/m/copy.safetensors", SafetensorsHeader(copy));
  folder.EditIndex("model.norm.weight", "copy.safetensors");
  EXPECT_EQ(OpenError(folder.files),
            "error: the index and the files disagree about tensors: 2 in another file, 1 twice\n"
            "    lm_head.weight: in copy.safetensors, expected in "
            "model-00002-of-00002.safetensors\n"
            "    lm_head.weight: in copy.safetensors and in model-00002-of-00002.safetensors\n"
            "    model.norm.weight: in model-00002-of-00002.safetensors, expected in "
            "copy.safetensors\n"
            "  where: /m/model.safetensors.index.json\n" FATHOM_FETCH);
}

TEST(CheckpointErrors, IndexLeadsOutOfTheFolder) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  folder.EditIndex("lm_head.weight", "../other/model.safetensors");
  EXPECT_EQ(OpenError(folder.files),
            "error: expected the name of a file in this folder, found string "
            "\"../other/model.safetensors\"\n"
            "  where: /m/model.safetensors.index.json: /weight_map/lm_head.weight\n"
            "  fix: the file is damaged or was edited: fetch it again, or correct it there\n");
}

TEST(CheckpointErrors, ASecondSetOfWeights) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  folder.files.Put("/m/model.safetensors", "");
  EXPECT_EQ(OpenError(folder.files),
            "error: there are two sets of weights: model.safetensors, and the 2 files that "
            "model.safetensors.index.json names\n"
            "  where: /m\n  fix: keep the one that is meant and move the other away\n");
}

TEST(Checkpoint, AnIndexMayNameTheSingleFile) {
  MemoryFileSystem files;
  WriteRandomCheckpoint(files, kFolder, TinyQwen2ConfigJson());
  Json map = Json::MakeObject();
  for (const TensorSpec& spec : Catalogue(ParsedConfig(TinyQwen2ConfigJson()))) {
    map.Set(spec.name, "model.safetensors");
  }
  files.Put(kIndex, Json::MakeObject({{"weight_map", map}}).Dump());
  EXPECT_EQ(OpenError(files), "no error");
}

TEST(CheckpointErrors, EmptyIndex) {
  Folder folder(TinyLlamaConfigJson());
  folder.Write();
  folder.files.Put(kIndex, R"({"weight_map": {}})");
  EXPECT_EQ(OpenError(folder.files),
            "error: expected the shard of each tensor, found object {}\n"
            "  where: /m/model.safetensors.index.json: /weight_map\n"
            "  fix: the file is damaged or was edited: fetch it again, or correct it there\n");
}

// All that is wrong stands in one error.
TEST(CheckpointVerify, NamesMissingSurplusMisshapenAndMistypedTensorsAtOnce) {
  Folder folder(TinyLlamaConfigJson());
  folder.Remove("model.layers.1.input_layernorm.weight");
  folder.At("model.layers.0.mlp.up_proj.weight").shape = {48, 80};
  folder.At("model.norm.weight").dtype = DType::kI32;
  folder.tensors.push_back({"model.layers.2.extra", DType::kF32, {3}});
  EXPECT_EQ(VerifyError(folder),
            "error: the tensors do not fit config.json: 1 missing, 1 of another shape, 1 of "
            "another type, 1 surplus\n"
            "    model.layers.0.mlp.up_proj.weight: BF16 [48, 80] in "
            "model-00001-of-00002.safetensors, expected BF16 [80, 48]\n"
            "    model.layers.1.input_layernorm.weight: missing, expected BF16 [48]\n"
            "    model.norm.weight: I32 [48] in model-00002-of-00002.safetensors, expected BF16 "
            "[48]\n"
            "    model.layers.2.extra: F32 [3] in model-00002-of-00002.safetensors, expected none\n"
            "  where: /m\n" FATHOM_FETCH);
}

TEST(CheckpointVerify, CountsAllAndShowsTwenty) {
  Folder folder(TinyLlamaConfigJson());
  for (int i = 10; i < 45; ++i) {
    folder.tensors.push_back({Format("x{}", i), DType::kI8, {1}});
  }
  const std::string error = VerifyError(folder);
  EXPECT_NE(error.find("error: the tensors do not fit config.json: 35 surplus\n    x10: "),
            std::string::npos);
  EXPECT_NE(error.find("    x29: I8 [1] in model-00002-of-00002.safetensors, expected none\n"
                       "    and 15 more\n"),
            std::string::npos)
      << error;
}

TEST(CheckpointVerify, TheMtpLayerMayBeAbsentWhenItIsNotUsed) {
  Folder folder(TinyDeepseekV3ConfigJson());
  std::erase_if(folder.tensors, [](const TensorDeclaration& tensor) {
    return tensor.name.starts_with("model.layers.3.");
  });
  EXPECT_EQ(VerifyError(folder, false), "no error");
  EXPECT_NE(VerifyError(folder, true)
                .find("model.layers.3.eh_proj.weight: missing, expected BF16 "
                      "[136, 272]"),
            std::string::npos);
}

TEST(CheckpointVerify, AnFp8CheckpointMayHoldUnquantisedLinears) {
  Folder folder(TinyDeepseekV3ConfigJson());
  folder.At("model.layers.0.mlp.up_proj.weight").dtype = DType::kBF16;
  folder.Remove("model.layers.0.mlp.up_proj.weight_scale_inv");
  EXPECT_EQ(VerifyError(folder), "no error");
}

TEST(CheckpointVerify, ScalesBelongToFp8WeightsOnly) {
  Folder folder(TinyDeepseekV3ConfigJson());
  folder.At("model.layers.0.mlp.up_proj.weight").dtype = DType::kBF16;
  folder.Remove("model.layers.0.mlp.down_proj.weight_scale_inv");
  EXPECT_EQ(VerifyError(folder),
            "error: the tensors do not fit config.json: 1 missing, 1 surplus\n"
            "    model.layers.0.mlp.down_proj.weight_scale_inv: missing, expected F32 [2, 2]\n"
            "    model.layers.0.mlp.up_proj.weight_scale_inv: F32 [2, 2] in "
            "model-00001-of-00002.safetensors, expected none\n"
            "  where: /m\n" FATHOM_FETCH);
}

TEST(CheckpointVerify, Fp8WeightsNeedAnFp8Config) {
  Folder folder(TinyLlamaConfigJson());
  folder.At("model.layers.0.self_attn.o_proj.weight").dtype = DType::kF8E4M3;
  EXPECT_EQ(VerifyError(folder),
            "error: the tensors do not fit config.json: 1 of another type\n"
            "    model.layers.0.self_attn.o_proj.weight: F8_E4M3 [48, 64] in "
            "model-00001-of-00002.safetensors, expected BF16 [48, 64]\n"
            "  where: /m\n" FATHOM_FETCH);
}

TEST(CheckpointVerify, IgnoresRotaryTablesAndTheHeadOfATiedModel) {
  Folder folder(TinyQwen2ConfigJson());
  folder.tensors.push_back({"lm_head.weight", DType::kBF16, {97, 56}});
  folder.tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", DType::kF32, {4}});
  EXPECT_EQ(VerifyError(folder), "no error");
}

TEST(CheckpointVerify, TakesF16F32AndABiasInBf16) {
  Folder folder(TinyDeepseekV3ConfigJson());
  folder.At("model.layers.1.mlp.gate.e_score_correction_bias").dtype = DType::kBF16;
  folder.At("model.layers.1.mlp.gate.weight").dtype = DType::kF32;
  folder.At("model.embed_tokens.weight").dtype = DType::kF16;
  EXPECT_EQ(VerifyError(folder), "no error");
}

}  // namespace
}  // namespace fathom
