#include "cli/inspect_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/catalogue.h"
#include "spec/model_config.h"
#include "spec/summary.h"
#include "tensor/dtype.h"
#include "weights/checkpoint.h"
#include "weights/tensor_problem.h"

namespace fathom {
namespace {

std::optional<DType> TypeIn(const Checkpoint& checkpoint, const TensorSpec& spec) {
  const TensorInfo* tensor = checkpoint.Find(spec.name);
  if (tensor == nullptr) return std::nullopt;
  return tensor->dtype;
}

int64_t Elements(const TensorInfo& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t{1}, std::multiplies<>());
}

Json ProblemJson(const TensorProblem& problem) {
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  return Json::MakeObject({{"kind", problem.KindName()},
                           {"name", problem.name},
                           {"expected", text(problem.expected)},
                           {"found", text(problem.found)},
                           {"file", text(problem.file)}});
}

Json LeftOutJson(const Error& error) {
  return Json::MakeObject({{"kind", "file"},
                           {"name", Json()},
                           {"expected", Json()},
                           {"found", error.what},
                           {"file", error.where}});
}

// Lines of an error below each other.
std::string LeftOutText(const Error& error) {
  std::string text = "  ";
  for (const char c : error.where + ": " + error.what)
    text += c == '\n' ? "\n  " : std::string(1, c);
  return text + "\n";
}

// "PROBLEMS: 1 in files or index, 3 missing, 1 surplus", and as many as a person reads.
std::string ProblemText(const std::vector<Error>& left_out,
                        const std::vector<TensorProblem>& problems) {
  constexpr size_t kShown = 20;
  std::map<std::string_view, int64_t> counts;
  if (!left_out.empty()) counts["in files or index"] = static_cast<int64_t>(left_out.size());
  for (const TensorProblem& problem : problems) ++counts[problem.CountedAs()];
  std::string text;
  for (const auto& [kind, count] : counts) {
    text += Format("{}{} {}", text.empty() ? "PROBLEMS: " : ", ", WithCommas(count), kind);
  }
  text += "\n";
  for (const Error& error : left_out) text += LeftOutText(error);
  for (size_t i = 0; i < std::min(problems.size(), kShown); ++i) {
    text += "  " + problems[i].ToString() + "\n";
  }
  if (problems.size() > kShown) {
    text += Format("  and {} more, all listed with --json\n",
                   WithCommas(static_cast<int64_t>(problems.size() - kShown)));
  }
  return text;
}

std::string Quantization(const ModelConfig& config) {
  if (!config.fp8) return "none";
  return Format("fp8 in blocks of {} x {}", config.fp8->rows, config.fp8->cols);
}

Json SizeJson(std::string_view name, const ComponentSize& size) {
  return Json::MakeObject({{"name", name},
                           {"tensors", size.tensors},
                           {"parameters", size.parameters},
                           {"bytes", size.bytes}});
}

std::string SizeLine(std::string_view name, const ComponentSize& size) {
  return Format("  {:<16}{:>9}{:>20}{:>12}\n", name, WithCommas(size.tensors),
                WithCommas(size.parameters), HumanBytes(size.bytes));
}

// Each component that is there with its name, then the MTP layers.
template <typename Visit>
void ForEachComponent(const ModelSummary& summary, const Visit& visit) {
  for (size_t i = 0; i < kComponents; ++i) {
    const auto component = static_cast<Component>(i);
    if (summary[component].tensors > 0) visit(ComponentName(component), summary[component]);
  }
  if (summary.mtp.tensors > 0) visit("MTP", summary.mtp);
}

}  // namespace

InspectReport MakeInspectReport(const Checkpoint& checkpoint, const std::vector<Error>& left_out,
                                bool has_tokenizer) {
  InspectReport report;
  report.folder = checkpoint.folder();
  report.config = checkpoint.config();
  report.summary = Summarize(
      report.config, [&checkpoint](const TensorSpec& spec) { return TypeIn(checkpoint, spec); });
  std::set<int> files;
  for (const TensorInfo& tensor : checkpoint.tensors()) {
    ComponentSize& size = report.by_dtype[tensor.dtype];
    ++size.tensors;
    size.parameters += Elements(tensor);
    size.bytes += tensor.bytes;
    files.insert(tensor.file);
  }
  report.files = static_cast<int64_t>(files.size());
  report.bytes = checkpoint.total_bytes();
  report.has_mtp = report.summary.mtp.tensors > 0;
  report.has_tokenizer = has_tokenizer;
  // A checkpoint may leave its MTP layers out; once one tensor of them is there all must be.
  report.problems = checkpoint.Problems(report.has_mtp);
  report.left_out = left_out;
  if (!report.problems.empty()) report.fix = kFetchFolderAgain;
  if (!left_out.empty()) report.fix = left_out.front().fix;
  return report;
}

Json InspectReport::ToJson() const {
  Json components = Json::MakeArray();
  ForEachComponent(summary, [&](std::string_view name, const ComponentSize& size) {
    components.Append(SizeJson(name, size));
  });
  Json dtypes = Json::MakeArray();
  for (const auto& [dtype, size] : by_dtype) dtypes.Append(SizeJson(DTypeName(dtype), size));
  Json wrong = Json::MakeArray();
  for (const Error& error : left_out) wrong.Append(LeftOutJson(error));
  for (const TensorProblem& problem : problems) wrong.Append(ProblemJson(problem));
  const Json parameters =
      Json::MakeObject({{"main", summary.main.parameters},
                        {"mtp", summary.mtp.parameters},
                        {"total", summary.main.parameters + summary.mtp.parameters},
                        {"active_per_token", summary.active_parameters}});
  const Json kv = Json::MakeObject({{"bfloat16", KvBytesPerToken(config, DType::kBF16, false)},
                                    {"float32", KvBytesPerToken(config, DType::kF32, false)}});
  return Json::MakeObject({{"model", folder},
                           {"architecture", ArchitectureName(config.architecture)},
                           {"layers", config.layers},
                           {"mtp_layers", has_mtp ? config.mtp_layers : 0},
                           {"hidden_size", config.hidden},
                           {"vocab_size", config.vocab},
                           {"max_position_embeddings", config.max_positions},
                           {"quantization", config.fp8 ? Json(Quantization(config)) : Json()},
                           {"parameters", parameters},
                           {"components", components},
                           {"dtypes", dtypes},
                           {"files", files},
                           {"bytes", bytes},
                           {"kv_bytes_per_token", kv},
                           {"tokenizer", has_tokenizer},
                           {"problems", wrong},
                           {"fix", fix.empty() ? Json() : Json(fix)}});
}

std::string InspectReport::ToText() const {
  std::string text = Format(
      "{}\n  {}, {} layers{}, hidden {}, vocabulary {}, {} positions\n  quantization: {}\n"
      "  tokenizer: {}\n\n",
      folder, ArchitectureName(config.architecture), config.layers,
      has_mtp ? Format(" and {} MTP", config.mtp_layers) : "", config.hidden, config.vocab,
      config.max_positions, Quantization(config), has_tokenizer ? "there" : "none, ids only");
  text += Format("  {:<16}{:>9}{:>20}{:>12}\n", "component", "tensors", "parameters", "bytes");
  ForEachComponent(summary, [&text](std::string_view name, const ComponentSize& size) {
    text += SizeLine(name, size);
  });
  text += SizeLine("without MTP", summary.main);
  text += Format("  {:<16}{:>9}{:>20}{:>12}\n\n", "total", "",
                 WithCommas(summary.main.parameters + summary.mtp.parameters), HumanBytes(bytes));
  text += Format("  active parameters a token: {}\n", WithCommas(summary.active_parameters));
  text += Format("  KV cache a token: {} bytes in bfloat16, {} in float32\n\n",
                 WithCommas(KvBytesPerToken(config, DType::kBF16, false)),
                 WithCommas(KvBytesPerToken(config, DType::kF32, false)));
  text += Format("  {:<16}{:>9}{:>20}{:>12}\n", "type", "tensors", "elements", "bytes");
  for (const auto& [dtype, size] : by_dtype) text += SizeLine(DTypeName(dtype), size);
  text += Format("\n  {} {}, {}", files, files == 1 ? "file" : "files",
                 whole() ? "no problems\n" : ProblemText(left_out, problems));
  if (!fix.empty()) text += "  fix: " + fix + "\n";
  return text;
}

}  // namespace fathom
