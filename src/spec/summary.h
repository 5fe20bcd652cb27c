#ifndef FATHOM_SPEC_SUMMARY_H_
#define FATHOM_SPEC_SUMMARY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "spec/catalogue.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {

struct ComponentSize {
  int64_t tensors = 0;
  int64_t parameters = 0;  // block scales are not parameters
  int64_t bytes = 0;       // with block scales

  friend bool operator==(const ComponentSize&, const ComponentSize&) = default;
};

// What a model is made of.
struct ModelSummary {
  std::array<ComponentSize, kComponents> components;  // the main model, by Component
  ComponentSize main;                                 // their sum
  ComponentSize mtp;  // the MTP layers as stored, their copies of embedding and head included
  // Parameters that take part in one token: all of the main model with experts_per_token of the
  // routed experts; the head is in, the embedding table is not (one row of it is read).
  int64_t active_parameters = 0;

  const ComponentSize& operator[](Component component) const {
    return components[static_cast<size_t>(component)];
  }
};

// The type a tensor is stored in, or none when it is not there.
using StoredType = std::function<std::optional<DType>(const TensorSpec&)>;

// Sizes of a model as a checkpoint holds it (`stored`), or as the published ones hold it.
ModelSummary Summarize(const ModelConfig& config, const StoredType& stored);
ModelSummary Summarize(const ModelConfig& config);

// Bytes of cache a token takes over all layers, MTP layers included when `mtp`.
int64_t KvBytesPerToken(const ModelConfig& config, DType dtype, bool mtp);

}  // namespace fathom

#endif  // FATHOM_SPEC_SUMMARY_H_
