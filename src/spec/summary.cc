#include "spec/summary.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "spec/catalogue.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

void Add(ComponentSize& size, const TensorSpec& spec, DType dtype) {
  ++size.tensors;
  if (!spec.is_scale) size.parameters += spec.elements();
  size.bytes += spec.elements() * DTypeBytes(dtype);
}

int64_t ActiveParameters(const ModelConfig& config, const ModelSummary& summary) {
  int64_t active = summary.main.parameters;
  // A tied table is read whole as the head.
  if (!config.tied_embeddings) active -= summary[Component::kEmbedding].parameters;
  if (config.moe) {
    const int64_t routed = summary[Component::kRoutedExperts].parameters;
    active -= routed - routed / config.moe->routed_experts * config.moe->experts_per_token;
  }
  return active;
}

}  // namespace

ModelSummary Summarize(const ModelConfig& config, const StoredType& stored) {
  ModelSummary summary;
  for (const TensorSpec& spec : Catalogue(config)) {
    const std::optional<DType> dtype = stored(spec);
    if (!dtype) continue;
    if (!spec.mtp) {
      Add(summary.components[static_cast<size_t>(spec.component)], spec, *dtype);
      Add(summary.main, spec, *dtype);
      continue;
    }
    Add(summary.mtp, spec, *dtype);
  }
  summary.active_parameters = ActiveParameters(config, summary);
  return summary;
}

ModelSummary Summarize(const ModelConfig& config) {
  return Summarize(config, [](const TensorSpec& spec) { return std::optional(spec.usual); });
}

int64_t KvBytesPerToken(const ModelConfig& config, DType dtype, bool mtp) {
  const int64_t layers = config.layers + (mtp ? config.mtp_layers : 0);
  return layers * config.KvValuesPerToken() * DTypeBytes(dtype);
}

}  // namespace fathom
