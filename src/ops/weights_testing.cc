#include "ops/weights_testing.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>

#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

template <typename T>
void Put(T code, std::byte*& out) {
  std::memcpy(out, &code, sizeof(code));
  out += sizeof(code);
}

uint8_t RandomF8(std::mt19937& random) {
  while (true) {
    const auto code = static_cast<uint8_t>(random() & 0xFFU);
    if ((code & 0x7FU) != 0x7FU) return code;
  }
}

}  // namespace

OwnedWeight RandomWeight(DType dtype, int64_t rows, int64_t cols, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  OwnedWeight weight;
  weight.codes.resize(static_cast<size_t>(rows * cols * DTypeBytes(dtype)));
  std::byte* out = weight.codes.data();
  for (int64_t i = 0; i < rows * cols; ++i) {
    if (dtype == DType::kF32) Put(normal(random), out);
    if (dtype == DType::kF16) Put(ToF16(normal(random)), out);
    if (dtype == DType::kBF16) Put(ToBf16(normal(random)), out);
    if (dtype == DType::kF8E4M3) Put(RandomF8(random), out);
  }
  if (dtype == DType::kF8E4M3) {
    const int64_t blocks = ((rows + 127) / 128) * ((cols + 127) / 128);
    for (int64_t i = 0; i < blocks; ++i) {
      weight.scales.push_back(0.001F * (1 + std::abs(normal(random))));
    }
  }
  weight.stored = {
      .dtype = dtype, .rows = rows, .cols = cols, .codes = weight.codes, .scales = weight.scales};
  return weight;
}

Matrix<float> RandomActivations(int64_t rows, int64_t cols, uint32_t seed, bool bfloat16) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Matrix<float> x(rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) {
    const float value = normal(random);
    x.data()[i] = bfloat16 ? RoundToBf16(value) : value;
  }
  return x;
}

}  // namespace fathom
