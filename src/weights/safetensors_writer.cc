#include "weights/safetensors_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "io/file_system.h"
#include "tensor/dtype.h"
#include "weights/shard_index.h"

namespace fathom {
namespace {

constexpr size_t kAlignment = 8;

int64_t DataBytes(const Shard& shard) {
  int64_t bytes = 0;
  for (const TensorDeclaration& tensor : shard.tensors) bytes += tensor.bytes();
  return bytes;
}

}  // namespace

int64_t TensorDeclaration::bytes() const {
  int64_t product = DTypeBytes(dtype);
  for (const int64_t dim : shape) product *= dim;
  return product;
}

std::string SafetensorsHeader(std::span<const TensorDeclaration> tensors) {
  Json::Object header = {{"__metadata__", Json::MakeObject({{"format", "pt"}})}};
  int64_t end = 0;
  for (const TensorDeclaration& tensor : tensors) {
    const int64_t begin = std::exchange(end, end + tensor.bytes());
    header.emplace_back(tensor.name, Json::MakeObject({{"dtype", DTypeName(tensor.dtype)},
                                                       {"shape", Json::ArrayOf(tensor.shape)},
                                                       {"data_offsets", Json::Array{begin, end}}}));
  }
  std::string json = Json(std::move(header)).Dump();
  json.append((kAlignment - json.size() % kAlignment) % kAlignment, ' ');
  const uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + json;
}

std::vector<Shard> PlanShards(std::vector<TensorDeclaration> tensors, int64_t max_bytes) {
  std::vector<Shard> shards;
  int64_t bytes = 0;
  for (TensorDeclaration& tensor : tensors) {
    if (shards.empty() || bytes + tensor.bytes() > max_bytes) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += tensor.bytes();
    shards.back().tensors.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    shards[i].name = shards.size() == 1
                         ? kSingleShardName
                         : Format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    std::stable_sort(shards[i].tensors.begin(), shards[i].tensors.end(),
                     [](const TensorDeclaration& a, const TensorDeclaration& b) {
                       return DTypeBytes(a.dtype) > DTypeBytes(b.dtype);
                     });
  }
  return shards;
}

Json ShardIndexJson(std::span<const Shard> shards) {
  int64_t total_bytes = 0;
  Json::Object weight_map;
  for (const Shard& shard : shards) {
    total_bytes += DataBytes(shard);
    for (const TensorDeclaration& tensor : shard.tensors) {
      weight_map.emplace_back(tensor.name, shard.name);
    }
  }
  return Json::MakeObject({{"metadata", Json::MakeObject({{"total_size", total_bytes}})},
                           {"weight_map", Json(std::move(weight_map))}});
}

SafetensorsWriter::SafetensorsWriter(FileSystem& files, std::string folder,
                                     std::vector<Shard> shards)
    : files_(&files), folder_(std::move(folder)), shards_(std::move(shards)) {}

Result<SafetensorsWriter> SafetensorsWriter::Create(FileSystem& files, std::string folder,
                                                    std::vector<Shard> shards) {
  FATHOM_CHECK(!shards.empty());
  for (const char* name : {kShardIndexName, kSingleShardName}) {
    if (!files.Exists(JoinPath(folder, name))) continue;
    return BadInput(Format("there is a model in this folder already: {}", name), folder,
                    "name a new folder, or remove the old model first");
  }
  SafetensorsWriter writer(files, std::move(folder), std::move(shards));
  FATHOM_OK(writer.BeginFile());
  return writer;
}

Status SafetensorsWriter::BeginFile() {
  const Shard& shard = shards_[current_];
  FATHOM_CHECK(!shard.tensors.empty());
  FATHOM_TRY(file_, files_->Create(JoinPath(folder_, shard.name)));
  bytes_left_ = DataBytes(shard);
  return file_->Append(SafetensorsHeader(shard.tensors));
}

Status SafetensorsWriter::EndFile() {
  FATHOM_OK(file_->Commit());
  file_.reset();
  ++current_;
  return Ok();
}

Status SafetensorsWriter::Append(std::span<const std::byte> data) {
  while (!data.empty()) {
    if (bytes_left_ == 0) {
      FATHOM_CHECK(current_ + 1 < shards_.size());
      FATHOM_OK(EndFile());
      FATHOM_OK(BeginFile());
      continue;
    }
    const size_t count = std::min(data.size(), static_cast<size_t>(bytes_left_));
    FATHOM_OK(file_->Append(data.first(count)));
    bytes_left_ -= static_cast<int64_t>(count);
    data = data.subspan(count);
  }
  return Ok();
}

Status SafetensorsWriter::Commit() {
  FATHOM_CHECK(current_ + 1 == shards_.size() && bytes_left_ == 0);
  FATHOM_OK(EndFile());
  if (shards_.size() == 1) return Ok();
  FATHOM_TRY(auto index, files_->Create(JoinPath(folder_, kShardIndexName)));
  FATHOM_OK(index->Append(ShardIndexJson(shards_).Dump(2)));
  return index->Commit();
}

}  // namespace fathom
