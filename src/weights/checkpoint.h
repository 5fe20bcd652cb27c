#ifndef FATHOM_WEIGHTS_CHECKPOINT_H_
#define FATHOM_WEIGHTS_CHECKPOINT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"
#include "weights/shard_index.h"
#include "weights/tensor_problem.h"

namespace fathom {

// What to do about files of a checkpoint that do not fit each other.
inline constexpr const char* kFetchFolderAgain =
    "the files do not belong together or the download is not complete; fetch the folder again";

// Where a tensor lies: headers only, no data.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  int file = 0;        // index into Checkpoint::files()
  int64_t offset = 0;  // of its first byte in that file
  int64_t bytes = 0;
};

// A tensor's bytes where they lie in the page cache; the view lasts as long as this struct. Nothing
// says that they are aligned to the element's width. The process's peak memory counts the pages
// that were touched.
struct MappedTensor {
  std::unique_ptr<MappedFile> file;
  std::span<const std::byte> bytes;
};

// A Hugging Face model folder: config.json and the safetensors headers of every shard (through
// model.safetensors.index.json, or the single model.safetensors). Opening reads headers only. Any
// header that is truncated, overlaps, leaves gaps or names an unknown type, a shard that is
// missing, a tensor that the index puts elsewhere, a single file beside an index that does not name
// it: one clear error (kBadInput) naming file and tensor.
class Checkpoint {
 public:
  static Result<Checkpoint> Open(FileSystem& files, const std::string& folder);
  // The same for a report on a folder that is not whole: a shard that is missing or whose header
  // cannot be read is left out, and so is a single file beside an index. What Open would have
  // refused for it goes to `problems`. Errors: what leaves nothing to report on (no folder, no
  // config.json or one that cannot be read, no weights).
  static Result<Checkpoint> OpenWhatIsThere(FileSystem& files, const std::string& folder,
                                            std::vector<Error>& problems);

  const std::string& folder() const { return folder_; }
  const ModelConfig& config() const { return config_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }  // sorted by name
  const TensorInfo* Find(std::string_view name) const;                 // nullptr when absent
  const std::string& FileOf(const TensorInfo& tensor) const {
    return file_names_[static_cast<size_t>(tensor.file)];
  }
  // folder/name: how messages name a file of this checkpoint.
  std::string PathOf(std::string_view file_name) const;
  int64_t total_bytes() const;

  // Compares with the catalogue of the configuration: *all* missing and mis-shaped tensors in its
  // order, then the surplus ones. With `mtp` false the MTP layer's tensors may be absent.
  std::vector<TensorProblem> Problems(bool mtp) const;
  // The same as one error: all are counted, the first are named.
  Status Verify(bool mtp) const;

  // Reads bytes [first, first + out.size()) of the tensor's data. Threads: safe from several at
  // once.
  Status Read(const TensorInfo& tensor, int64_t first, std::span<std::byte> out) const;

  // The tensor without a copy, for looking at a few of its values. Whoever takes in all of it uses
  // Read: pages of a mapping stay in the process's memory next to the copy.
  Result<MappedTensor> Map(FileSystem& files, const TensorInfo& tensor) const;

 private:
  // Hears of what is wrong with a shard; its error ends the opening, Ok goes on without the shard.
  using OnProblem = std::function<Status(Error problem)>;

  Checkpoint() = default;
  static Result<Checkpoint> OpenFolder(FileSystem& files, const std::string& folder,
                                       const OnProblem& on_problem);
  Status OpenIndexed(FileSystem& files, const std::string& index_path, const OnProblem& on_problem);
  Status OpenShards(FileSystem& files, const std::vector<std::string>& names,
                    const OnProblem& on_problem);
  Status OpenShard(FileSystem& files, const std::string& name);
  Status CheckIndex(const ShardIndex& index, const std::string& index_path) const;

  std::string folder_;
  ModelConfig config_;
  std::vector<TensorInfo> tensors_;
  std::vector<std::string> file_names_;
  std::vector<std::unique_ptr<ReadableFile>> files_;
};

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_CHECKPOINT_H_
