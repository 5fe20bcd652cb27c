#ifndef FATHOM_WEIGHTS_SAFETENSORS_WRITER_H_
#define FATHOM_WEIGHTS_SAFETENSORS_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "tensor/dtype.h"

namespace fathom {

// A tensor that will be written.
struct TensorDeclaration {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;

  int64_t bytes() const;
};

// The beginning of a safetensors file up to its data: length, JSON, spaces up to a multiple of
// eight. The data follow in the order of `tensors`, without gaps.
std::string SafetensorsHeader(std::span<const TensorDeclaration> tensors);

// One file of a checkpoint.
struct Shard {
  std::string name;  // "model-00001-of-00003.safetensors"; a single one is "model.safetensors"
  std::vector<TensorDeclaration> tensors;
};

// Cuts tensors into files of at most `max_bytes` of data (a larger tensor gets a file of its own),
// in the order given; inside a file wider elements come first, so that every tensor begins at a
// multiple of its element width, which other readers rely on.
std::vector<Shard> PlanShards(std::vector<TensorDeclaration> tensors, int64_t max_bytes);

// model.safetensors.index.json for these files.
Json ShardIndexJson(std::span<const Shard> shards);

// Writes the weights of a model folder in one pass, holding no more than what is appended. Each
// file appears whole or not at all, and the index last: a folder whose writing was broken off has
// no index and is not taken for a model. A single file is written without an index.
class SafetensorsWriter {
 public:
  // `shards` as PlanShards gives them: at least one, each with a tensor (CHECK). The folder must
  // exist; one that has an index or a model.safetensors already is refused (kBadInput): they would
  // be taken for, or mixed with, what is written.
  static Result<SafetensorsWriter> Create(FileSystem& files, std::string folder,
                                          std::vector<Shard> shards);

  // The next bytes of the data of all tensors one after another, in the order of `shards`; a call
  // may end anywhere, also in the middle of a tensor or beyond it. More than was declared is a bug
  // (CHECK).
  Status Append(std::span<const std::byte> data);

  // Ends the last file and writes the index. All declared bytes must have been appended (CHECK).
  Status Commit();

 private:
  SafetensorsWriter(FileSystem& files, std::string folder, std::vector<Shard> shards);
  Status BeginFile();
  Status EndFile();

  FileSystem* files_;
  std::string folder_;
  std::vector<Shard> shards_;
  size_t current_ = 0;
  int64_t bytes_left_ = 0;  // of the current file's data
  std::unique_ptr<OutputFile> file_;
};

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_SAFETENSORS_WRITER_H_
