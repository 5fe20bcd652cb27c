#include "weights/checkpoint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "spec/catalogue.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"
#include "weights/problem_list.h"
#include "weights/safetensors.h"
#include "weights/shard_index.h"
#include "weights/tensor_problem.h"

namespace fathom {
namespace {

Result<Json> ReadJson(FileSystem& files, const std::string& path) {
  FATHOM_TRY(const std::string text, files.ReadText(path));
  return ParseJson(text, JsonSource::Fetched(path));
}

Error NoConfig(const std::string& folder) {
  return BadInput("there is no config.json in this folder", folder,
                  "name the folder that the checkpoint was downloaded to, or fetch config.json");
}

Error NoWeights(FileSystem& files, const std::string& folder) {
  constexpr size_t kShown = 10;
  std::string found;
  const char* fix = "weights are read from safetensors files only";
  if (const auto names = files.List(folder); names.ok()) {
    const auto is_shard = [](const std::string& name) { return name.ends_with(".safetensors"); };
    if (std::ranges::any_of(*names, is_shard)) fix = "fetch the index of these files, too";
    for (size_t i = 0; i < std::min(names->size(), kShown); ++i) {
      found += (found.empty() ? "" : ", ") + (*names)[i];
    }
    if (names->size() > kShown) found += Format(" and {} more", names->size() - kShown);
  }
  return BadInput(Format("no {} and no {} in this folder; it holds: {}", kShardIndexName,
                         kSingleShardName, found.empty() ? "nothing" : found),
                  folder, fix);
}

// Two sets of weights in one folder: transformers takes the single file, vLLM the index. Nobody can
// know which one is meant.
Status RefuseSecondWeights(FileSystem& files, const std::string& folder, const ShardIndex& index) {
  if (!files.Exists(JoinPath(folder, kSingleShardName))) return Ok();
  const auto& names = index.shards;
  if (std::find(names.begin(), names.end(), kSingleShardName) != names.end()) return Ok();
  return BadInput(Format("there are two sets of weights: {}, and the {} files that {} names",
                         kSingleShardName, names.size(), kShardIndexName),
                  folder, "keep the one that is meant and move the other away");
}

std::string Describe(DType dtype, const std::vector<int64_t>& shape) {
  return Format("{} {}", DTypeName(dtype), ShapeString(shape));
}

// The published form, where several types would do.
std::string Expected(const TensorSpec& spec) { return Describe(spec.usual, spec.shape); }

bool TypeFits(const TensorInfo& tensor, const TensorSpec& spec) {
  return std::find(spec.supported.begin(), spec.supported.end(), tensor.dtype) !=
         spec.supported.end();
}

void CompareWithSpec(const TensorInfo& tensor, const std::string& file, const TensorSpec& spec,
                     std::vector<TensorProblem>& problems) {
  const bool shape_fits = tensor.shape == spec.shape;
  if (shape_fits && TypeFits(tensor, spec)) return;
  problems.push_back({shape_fits ? TensorProblem::Kind::kType : TensorProblem::Kind::kShape,
                      spec.name, Expected(spec), Describe(tensor.dtype, tensor.shape), file});
}

}  // namespace

Result<Checkpoint> Checkpoint::Open(FileSystem& files, const std::string& folder) {
  return OpenFolder(files, folder, [](Error problem) -> Status { return problem; });
}

Result<Checkpoint> Checkpoint::OpenWhatIsThere(FileSystem& files, const std::string& folder,
                                               std::vector<Error>& problems) {
  return OpenFolder(files, folder, [&problems](Error problem) -> Status {
    problems.push_back(std::move(problem));
    return Ok();
  });
}

Result<Checkpoint> Checkpoint::OpenFolder(FileSystem& files, const std::string& folder,
                                          const OnProblem& on_problem) {
  FATHOM_OK(CheckFolder(files, folder, "name a folder with config.json and safetensors files"));
  Checkpoint checkpoint;
  checkpoint.folder_ = folder;
  const std::string config_path = JoinPath(folder, "config.json");
  if (!files.Exists(config_path)) return NoConfig(folder);
  FATHOM_TRY(const Json config, ReadJson(files, config_path));
  FATHOM_TRY(checkpoint.config_, ParseModelConfig(config, config_path));
  if (const std::string path = JoinPath(folder, kShardIndexName); files.Exists(path)) {
    FATHOM_OK(checkpoint.OpenIndexed(files, path, on_problem));
  } else if (files.Exists(JoinPath(folder, kSingleShardName))) {
    FATHOM_OK(checkpoint.OpenShards(files, {kSingleShardName}, on_problem));
  } else {
    return NoWeights(files, folder);
  }
  return checkpoint;
}

Status Checkpoint::OpenIndexed(FileSystem& files, const std::string& index_path,
                               const OnProblem& on_problem) {
  FATHOM_TRY(const Json json, ReadJson(files, index_path));
  FATHOM_TRY(const ShardIndex index, ParseShardIndex(json, index_path));
  if (Status alone = RefuseSecondWeights(files, folder_, index); !alone.ok()) {
    FATHOM_OK(on_problem(std::move(alone).error()));
  }
  FATHOM_OK(OpenShards(files, index.shards, on_problem));
  // Of shards that are left out the index knows more than there is: nothing new to say.
  if (files_.size() < index.shards.size()) return Ok();
  Status agrees = CheckIndex(index, index_path);
  return agrees.ok() ? agrees : on_problem(std::move(agrees).error());
}

// Opens every shard and reads its header. All absent ones are named at once.
Status Checkpoint::OpenShards(FileSystem& files, const std::vector<std::string>& names,
                              const OnProblem& on_problem) {
  ProblemList missing;
  for (const std::string& name : names) {
    if (!files.Exists(PathOf(name))) {
      missing.Add("missing", name);
    } else if (Status opened = OpenShard(files, name); !opened.ok()) {
      FATHOM_OK(on_problem(std::move(opened).error()));
    }
  }
  if (!missing.empty()) {
    FATHOM_OK(on_problem(
        missing.ToError(Format("not all {} files that the index names are here", names.size()),
                        folder_, kFetchFolderAgain)));
  }
  std::sort(tensors_.begin(), tensors_.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::tie(a.name, a.file) < std::tie(b.name, b.file);
  });
  return Ok();
}

Status Checkpoint::OpenShard(FileSystem& files, const std::string& name) {
  FATHOM_TRY(auto file, files.Open(PathOf(name)));
  FATHOM_TRY(auto entries, ReadSafetensorsHeader(*file));
  for (SafetensorsEntry& entry : entries) {
    tensors_.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                        static_cast<int>(files_.size()), entry.offset, entry.bytes});
  }
  file_names_.push_back(name);
  files_.push_back(std::move(file));
  return Ok();
}

// Every tensor lies in the shard that the index names, and nowhere else.
Status Checkpoint::CheckIndex(const ShardIndex& index, const std::string& index_path) const {
  ProblemList problems;
  const TensorInfo* previous = nullptr;
  for (const TensorInfo& tensor : tensors_) {
    const auto entry = index.shard_of.find(tensor.name);
    if (previous != nullptr && previous->name == tensor.name) {
      problems.Add("twice",
                   Format("{}: in {} and in {}", tensor.name, FileOf(*previous), FileOf(tensor)));
    } else if (entry == index.shard_of.end()) {
      problems.Add("not in the index", Format("{}: in {}", tensor.name, FileOf(tensor)));
    } else if (entry->second != tensor.file) {
      problems.Add("in another file",
                   Format("{}: in {}, expected in {}", tensor.name, FileOf(tensor),
                          index.shards[static_cast<size_t>(entry->second)]));
    }
    previous = &tensor;
  }
  for (const auto& [name, shard] : index.shard_of) {
    if (Find(name) == nullptr) {
      problems.Add("in no file",
                   Format("{}: expected in {}", name, index.shards[static_cast<size_t>(shard)]));
    }
  }
  if (problems.empty()) return Ok();
  return problems.ToError("the index and the files disagree about tensors", index_path,
                          kFetchFolderAgain);
}

const TensorInfo* Checkpoint::Find(std::string_view name) const {
  const auto at = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const TensorInfo& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return at != tensors_.end() && at->name == name ? &*at : nullptr;
}

std::string Checkpoint::PathOf(std::string_view file_name) const {
  return JoinPath(folder_, file_name);
}

int64_t Checkpoint::total_bytes() const {
  int64_t bytes = 0;
  for (const TensorInfo& tensor : tensors_) bytes += tensor.bytes;
  return bytes;
}

std::vector<TensorProblem> Checkpoint::Problems(bool mtp) const {
  std::vector<TensorProblem> problems;
  const std::vector<TensorSpec> catalogue = Catalogue(config_);
  std::unordered_set<std::string_view> expected;
  const TensorInfo* weight = nullptr;  // of the scales that follow it in the catalogue
  for (const TensorSpec& spec : catalogue) {
    const TensorInfo* tensor = Find(spec.name);
    if (!spec.is_scale) {
      weight = tensor;
    } else if (weight != nullptr && weight->dtype != DType::kF8E4M3) {
      continue;  // scales of a weight that needs none are surplus
    }
    expected.insert(spec.name);
    const bool required = (mtp || !spec.mtp) && !(spec.is_scale && weight == nullptr);
    if (tensor != nullptr) {
      CompareWithSpec(*tensor, FileOf(*tensor), spec, problems);
    } else if (required) {
      problems.push_back({TensorProblem::Kind::kMissing, spec.name, Expected(spec), "", ""});
    }
  }
  for (const TensorInfo& tensor : tensors_) {
    if (expected.contains(tensor.name) || IsIgnoredTensor(config_, tensor.name)) continue;
    problems.push_back({TensorProblem::Kind::kSurplus, tensor.name, "",
                        Describe(tensor.dtype, tensor.shape), FileOf(tensor)});
  }
  return problems;
}

Status Checkpoint::Verify(bool mtp) const {
  ProblemList list;
  for (const TensorProblem& problem : Problems(mtp)) {
    list.Add(problem.CountedAs(), problem.ToString());
  }
  if (list.empty()) return Ok();
  return list.ToError("the tensors do not fit config.json", folder_, kFetchFolderAgain);
}

Status Checkpoint::Read(const TensorInfo& tensor, int64_t first, std::span<std::byte> out) const {
  FATHOM_CHECK(first >= 0 && first + static_cast<int64_t>(out.size()) <= tensor.bytes);
  const Status status =
      files_[static_cast<size_t>(tensor.file)]->ReadAt(tensor.offset + first, out);
  if (status.ok()) return Ok();
  Error error = status.error();
  error.where += ": " + tensor.name;
  return error;
}

Result<MappedTensor> Checkpoint::Map(FileSystem& files, const TensorInfo& tensor) const {
  const ReadableFile& opened = *files_[static_cast<size_t>(tensor.file)];
  FATHOM_TRY(auto file, files.Map(opened.path()));
  const std::span<const std::byte> bytes = file->bytes();
  if (static_cast<int64_t>(bytes.size()) != opened.size()) {
    return Failed(
        Format("the file has {} bytes, it had {} when it was opened", bytes.size(), opened.size()),
        opened.path() + ": " + tensor.name, "leave the file alone while it is read, and run again");
  }
  return MappedTensor{std::move(file), bytes.subspan(static_cast<size_t>(tensor.offset),
                                                     static_cast<size_t>(tensor.bytes))};
}

}  // namespace fathom
