#include "spec/weight_format.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/catalogue.h"
#include "spec/model_config.h"
#include "spec/summary.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

constexpr std::array<std::pair<std::string_view, WeightFormat>, 3> kNames = {
    {{"auto", WeightFormat::kAuto}, {"bf16", WeightFormat::kBf16}, {"w8a8", WeightFormat::kW8A8}}};

// Of an I8 row: its scale and the sum of its codes.
constexpr int64_t kInt8RowBytes = 8;

}  // namespace

std::vector<std::string> WeightFormatNames() {
  std::vector<std::string> names;
  names.reserve(kNames.size());
  for (const auto& [name, format] : kNames) names.emplace_back(name);
  return names;
}

std::optional<WeightFormat> ParseWeightFormat(std::string_view name) {
  for (const auto& [known, format] : kNames) {
    if (known == name) return format;
  }
  return std::nullopt;
}

WeightUse UseOf(const TensorSpec& spec) {
  const bool other = spec.component == Component::kEmbedding ||
                     spec.component == Component::kGate || spec.component == Component::kNorm;
  if (other || spec.is_scale || spec.shape.size() != 2) return WeightUse::kAsStored;
  const bool heads = spec.name.ends_with("kv_b_proj.weight");
  return heads ? WeightUse::kLatentHeads : WeightUse::kLinear;
}

DType LoadedType(WeightFormat format, WeightUse use, DType stored) {
  if (use == WeightUse::kAsStored || format == WeightFormat::kAuto) return stored;
  if (format == WeightFormat::kBf16) return DType::kBF16;
  return use == WeightUse::kLinear ? DType::kI8 : stored;
}

int64_t LoadedBytes(const ModelConfig& config, const StoredType& stored, WeightFormat format,
                    bool mtp) {
  int64_t bytes = 0;
  bool converted = false;  // the tensor before, whose scales are then of no more use
  for (const TensorSpec& spec : Catalogue(config)) {
    const std::optional<DType> dtype = stored(spec);
    if (!dtype || (spec.mtp && !mtp) || (spec.is_scale && converted)) continue;
    const DType loaded = LoadedType(format, UseOf(spec), *dtype);
    converted = loaded != *dtype;
    bytes += spec.elements() * DTypeBytes(loaded);
    if (loaded == DType::kI8) bytes += spec.shape[0] * kInt8RowBytes;
  }
  return bytes;
}

}  // namespace fathom
