#ifndef FATHOM_MODEL_ROPE_FREQUENCIES_H_
#define FATHOM_MODEL_ROPE_FREQUENCIES_H_

#include <vector>

#include "spec/model_config.h"

namespace fathom {

// How fast each pair of a head turns with the position, and by what its cos and sin are stretched.
struct RopeFrequencies {
  std::vector<double> inverse;  // [dim / 2], radians a position
  double magnitude = 1;
};

// Plain rope: theta^(-2i / dim). Scaled as the checkpoint was trained, whatever the length in use:
//   YaRN    (Peng et al. 2023, section 3.2; docs/formats/deepseek.md 2 to 4) pairs that turn often
//           keep their frequency, those that turn less than once in the trained context are divided
//           by factor, a ramp between; magnitude = m(mscale) / m(mscale_all_dim)
//   llama3  three bands by wavelength (point 7)
RopeFrequencies MakeRopeFrequencies(const RopeConfig& rope);

// The factor on q.k before softmax: key_dim^-0.5, for YaRN times m(mscale_all_dim)^2 (point 3),
// m(s) = 0.1 * s * ln(factor) + 1.
double SoftmaxScale(const ModelConfig& config);

}  // namespace fathom

#endif  // FATHOM_MODEL_ROPE_FREQUENCIES_H_
