#include "weights/checkpoint_testing.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "io/file_system.h"
#include "spec/catalogue.h"
#include "spec/config_testing.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "weights/safetensors_writer.h"

namespace fathom {
namespace {

void WriteText(FileSystem& files, const std::string& path, std::string_view text) {
  auto file = files.Create(path);
  FATHOM_CHECK(file.ok());
  FATHOM_CHECK((*file)->Append(text).ok());
  FATHOM_CHECK((*file)->Commit().ok());
}

// FNV-1a: the same on every machine, unlike std::hash.
uint64_t HashName(std::string_view name) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

template <typename T>
void Put(std::vector<std::byte>& out, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

void PutFloat(std::vector<std::byte>& out, DType dtype, float value) {
  switch (dtype) {
    case DType::kF32:
      return Put(out, value);
    case DType::kF16:
      return Put(out, ToF16(value));
    case DType::kBF16:
      return Put(out, ToBf16(value));
    case DType::kF8E4M3:
      return Put(out, ToF8E4M3(value));
    default:
      FATHOM_CHECK(IsFloat(dtype));
  }
}

// Uniform over [-1, 1); std::uniform_real_distribution may differ between libraries.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  float Next() { return static_cast<float>(static_cast<double>(engine_() >> 11) * 0x1p-52 - 1.0); }

 private:
  std::mt19937_64 engine_;
};

// Middle and half width of the values of a tensor.
struct Spread {
  float middle;
  float half_width;
};

Spread SpreadOf(const TensorSpec& spec) {
  const float uniform = std::sqrt(3.0F);  // half width of a uniform value of deviation 1
  if (spec.component == Component::kNorm) return {1, 0.1F};
  if (spec.shape.size() == 1) return {0, 0.1F};
  if (spec.component == Component::kEmbedding) return {0, uniform};
  if (spec.usual == DType::kF8E4M3) return {0, 448};
  return {0, uniform / std::sqrt(static_cast<float>(spec.shape[1]))};
}

std::vector<std::byte> RandomData(const TensorSpec& spec, const Spread& spread, uint64_t seed) {
  Random random(seed ^ HashName(spec.name));
  std::vector<std::byte> data;
  for (int64_t i = 0; i < spec.elements(); ++i) {
    PutFloat(data, spec.usual, spread.middle + spread.half_width * random.Next());
  }
  return data;
}

// Scales bring codes of half width 448 to the deviation 1 / sqrt(columns) of their weight.
Spread ScaleSpread(const TensorSpec& weight) {
  const float middle = std::sqrt(3.0F / static_cast<float>(weight.shape[1])) / 448;
  return {middle, middle / 4};
}

}  // namespace

std::vector<TensorDeclaration> DeclareModel(const ModelConfig& config) {
  std::vector<TensorDeclaration> tensors;
  for (TensorSpec& spec : Catalogue(config)) {
    tensors.push_back({std::move(spec.name), spec.usual, std::move(spec.shape)});
  }
  return tensors;
}

void WriteRandomCheckpoint(FileSystem& files, const std::string& folder,
                           std::string_view config_json, const RandomCheckpointOptions& options) {
  const ModelConfig config = ParsedConfig(config_json);
  const std::vector<TensorSpec> catalogue = Catalogue(config);
  std::unordered_map<std::string_view, size_t> place;
  for (size_t i = 0; i < catalogue.size(); ++i) place.emplace(catalogue[i].name, i);

  FATHOM_CHECK(files.MakeDirectory(folder).ok());
  WriteText(files, JoinPath(folder, "config.json"), config_json);
  const std::vector<Shard> shards = PlanShards(DeclareModel(config), options.max_shard_bytes);
  auto writer = SafetensorsWriter::Create(files, folder, shards);
  FATHOM_CHECK(writer.ok());
  for (const Shard& shard : shards) {
    for (const TensorDeclaration& tensor : shard.tensors) {
      const size_t at = place.at(tensor.name);
      const TensorSpec& spec = catalogue[at];
      const Spread spread = spec.is_scale ? ScaleSpread(catalogue[at - 1]) : SpreadOf(spec);
      FATHOM_CHECK(writer->Append(RandomData(spec, spread, options.seed)).ok());
    }
  }
  FATHOM_CHECK(writer->Commit().ok());
}

void WriteHeaderOnlyCheckpoint(const std::string& folder, std::string_view config_json,
                               int64_t max_shard_bytes) {
  std::filesystem::create_directories(folder);
  // Plain streams: nothing here is worth waiting for the disk.
  const auto write = [&](const std::string& name, std::string_view text) {
    std::ofstream(JoinPath(folder, name), std::ios::binary) << text;
  };
  write("config.json", config_json);
  const std::vector<Shard> shards =
      PlanShards(DeclareModel(ParsedConfig(config_json)), max_shard_bytes);
  for (const Shard& shard : shards) {
    const std::string header = SafetensorsHeader(shard.tensors);
    write(shard.name, header);
    uintmax_t size = header.size();
    for (const auto& tensor : shard.tensors) size += static_cast<uintmax_t>(tensor.bytes());
    std::filesystem::resize_file(JoinPath(folder, shard.name), size);
  }
  write("model.safetensors.index.json", ShardIndexJson(shards).Dump(2));
}

}  // namespace fathom
