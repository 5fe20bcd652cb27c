#include "golden_case.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/golden_folder_testing.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr const char* kFullCases[] = {
    "v3_fp8",      "v3_fp8_ragged", "v3_bf16",    "v3_negbias",      "v3_noyarn",
    "v2lite_bf16", "v2_group_bf16", "qwen2_bf16", "qwen2_tied_bf16", "llama_bf16"};
constexpr const char* kCompactCases[] = {"v3_fp8_ragged", "v3_negbias", "v3_noyarn", "v2lite_bf16",
                                         "qwen2_tied_bf16"};

template <typename T>
std::vector<T> Numbers(const Json* array) {
  std::vector<T> numbers;
  if (array == nullptr) return numbers;
  for (const Json& item : array->as_array()) numbers.push_back(static_cast<T>(item.as_double()));
  return numbers;
}

// A file named by golden.json; empty when neither named nor, in the compact copy, there.
std::string File(const GoldenSet& set, const std::string& folder, const Json* name) {
  if (name == nullptr) return "";
  const std::string path = folder + "/" + name->as_string();
  return set.full || std::filesystem::exists(path) ? path : "";
}

Bf16Guidance ReadGuidance(const Json& golden) {
  // The most exact of the references' runs.
  Bf16Guidance best{.margin_threshold = 0, .mean_abs = 1e9, .top1_agree = 0};
  for (const auto& [run, figures] : golden.Find("precision_guidance_vs_golden")->as_object()) {
    if (!run.starts_with("bf16_everything")) continue;
    const Json* safe = figures.Find("positions_with_safe_routing_margin");
    const Json& used = safe != nullptr ? *safe : figures;
    best.mean_abs = std::min(best.mean_abs, used.Find("mean_abs")->as_double());
    best.top1_agree = std::max(best.top1_agree, used.Find("top1_agree")->as_double());
    if (safe != nullptr) best.margin_threshold = safe->Find("threshold")->as_double();
  }
  return best;
}

Json ReadGoldenJson(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Result<Json> json = ParseJson(text, path);
  FATHOM_CHECK(json.ok());
  return std::move(json).value();
}

void ReadPrompts(const GoldenSet& set, const Json& golden, GoldenCase& golden_case) {
  for (const Json& prompt : golden.Find("prompts")->as_array()) {
    golden_case.prompts.push_back(
        {.id = prompt.Find("id")->as_string(),
         .tokens = Numbers<int32_t>(prompt.Find("tokens")),
         .logits = File(set, golden_case.folder, prompt.Find("logits")),
         .routing_margin = File(set, golden_case.folder, prompt.Find("routing_margin"))});
  }
  for (const Json& run : golden.Find("greedy")->as_array()) {
    golden_case.greedy.push_back(
        {.prompt = run.Find("prompt")->as_string(),
         .tokens = Numbers<int32_t>(run.Find("tokens")),
         .margin = Numbers<double>(run.Find("margin")),
         .mtp_draft_postnorm = Numbers<int32_t>(run.Find("mtp_draft_postnorm"))});
  }
  const Json* mtp = golden.Find("mtp");
  if (mtp == nullptr || !mtp->is_array()) return;
  for (const Json& run : mtp->as_array()) {
    golden_case.mtp.push_back({.prompt = run.Find("prompt")->as_string(),
                               .postnorm = File(set, golden_case.folder, run.Find("postnorm"))});
  }
}

}  // namespace

Result<GoldenSet> FindGoldenSet() {
  GoldenSet set;
  const std::optional<std::string> folder = FullGoldenFolder();
  set.full = folder.has_value();
  set.folder = folder.value_or(FATHOM_COMPACT_GOLDEN);
  if (set.full) set.cases.assign(std::begin(kFullCases), std::end(kFullCases));
  if (!set.full) set.cases.assign(std::begin(kCompactCases), std::end(kCompactCases));
  for (const std::string& name : set.cases) {
    const std::string path = set.folder + "/" + name + "/golden.json";
    if (!std::filesystem::exists(path)) {
      return BadInput("no such file: " + path, set.full ? "FATHOM_GOLDEN=" + set.folder : "",
                      "set FATHOM_GOLDEN to the folder of the full golden data, or unset it");
    }
  }
  return set;
}

GoldenCase ReadGoldenCase(const GoldenSet& set, const std::string& name) {
  GoldenCase golden_case;
  golden_case.name = name;
  golden_case.folder = set.folder + "/" + name;
  golden_case.checkpoint = golden_case.folder + "/ckpt";
  const Json golden = ReadGoldenJson(golden_case.folder + "/golden.json");
  ReadPrompts(set, golden, golden_case);
  golden_case.bf16 = ReadGuidance(golden);
  golden_case.detail_prompt = golden.Find("detail_prompt")->as_string();
  const Json* first_moe = golden.Find("first_moe_layer");
  if (first_moe != nullptr && !first_moe->is_null()) {
    golden_case.first_moe_layer = first_moe->as_int();
  }
  for (const auto& [kind, entry] : golden.Find("files")->as_object()) {
    const std::string file = File(set, golden_case.folder, entry.Find("file"));
    if (!file.empty()) golden_case.detail_files[kind] = file;
  }
  return golden_case;
}

const GoldenPrompt& GoldenCase::Prompt(const std::string& id) const {
  for (const GoldenPrompt& prompt : prompts) {
    if (prompt.id == id) return prompt;
  }
  FATHOM_CHECK(false);
}

std::string GoldenCase::DetailFile(const std::string& kind) const {
  const auto file = detail_files.find(kind);
  return file == detail_files.end() ? "" : file->second;
}

}  // namespace fathom
