#ifndef FATHOM_SPEC_WEIGHT_FORMAT_H_
#define FATHOM_SPEC_WEIGHT_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/catalogue.h"
#include "spec/model_config.h"
#include "spec/summary.h"
#include "tensor/dtype.h"

namespace fathom {

// What linear weights are held as once they are loaded.
enum class WeightFormat {
  kAuto,  // as the checkpoint has them
  kBf16,
  kW8A8,  // eight bits, a scale an output; activations in eight bits, a scale a token
};

// "auto", "bf16", "w8a8": what --weights takes.
std::vector<std::string> WeightFormatNames();
std::optional<WeightFormat> ParseWeightFormat(std::string_view name);

// What a format asks of a tensor.
enum class WeightUse {
  kLinear,  // projections of attention, feed-forward layers, experts, eh_proj; a head of its own
  kLatentHeads,  // kv_b_proj, taken apart by heads and turned: eight bits are not for it
  kAsStored,     // embeddings, routers, norms, biases
};
WeightUse UseOf(const TensorSpec& spec);

// The type that a weight stored as `stored` has in memory.
DType LoadedType(WeightFormat format, WeightUse use, DType stored);

// Bytes that the weights take in memory; the MTP layers' with `mtp`.
int64_t LoadedBytes(const ModelConfig& config, const StoredType& stored, WeightFormat format,
                    bool mtp);

}  // namespace fathom

#endif  // FATHOM_SPEC_WEIGHT_FORMAT_H_
