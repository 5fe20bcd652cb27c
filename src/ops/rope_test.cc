#include "ops/rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/mat_view.h"
#include "tensor/npy_testing.h"

namespace fathom {
namespace {

// DeepSeek-R1's YaRN: dim 64, theta 10000, factor 40, ramp over pairs 10 to 23.
std::vector<double> R1InverseFrequencies() {
  std::vector<double> out;
  for (int i = 0; i < 32; ++i) {
    const double plain = std::pow(10000.0, -2.0 * i / 64);
    const double ramp = std::clamp((i - 10.0) / (23.0 - 10.0), 0.0, 1.0);
    out.push_back(plain / 40 * ramp + plain * (1 - ramp));
  }
  return out;
}

struct Tables {
  Matrix<float> cos;
  Matrix<float> sin;
};

Tables R1Tables(const std::vector<int32_t>& positions, double magnitude = 1) {
  const auto rows = static_cast<int64_t>(positions.size());
  Tables tables = {Matrix<float>(rows, 32), Matrix<float>(rows, 32)};
  RopeTables(positions, R1InverseFrequencies(), magnitude, tables.cos.view(), tables.sin.view());
  return tables;
}

// Both sides come from float64 frequencies and angles; float32 holds a cosine to 6e-8.
TEST(RopeTables, GoldenTablesOfR1UpToItsLastPosition) {
  const auto positions = ReadGoldenNpy("ops/rope_r1_positions.npy").As<int32_t>();
  const auto cos = ReadGoldenNpy("ops/rope_r1_cos.npy").As<float>();
  const auto sin = ReadGoldenNpy("ops/rope_r1_sin.npy").As<float>();
  const Tables tables = R1Tables(positions);
  for (size_t i = 0; i < cos.size(); ++i) {
    EXPECT_NEAR(tables.cos.data()[i], cos[i], 1e-7F) << "position " << positions[i / 32];
    EXPECT_NEAR(tables.sin.data()[i], sin[i], 1e-7F) << "position " << positions[i / 32];
  }
}

TEST(RopeTables, MagnitudeScalesBoth) {
  const Tables one = R1Tables({5});
  const Tables two = R1Tables({5}, 2);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(two.cos.data()[i], 2 * one.cos.data()[i]);
    EXPECT_EQ(two.sin.data()[i], 2 * one.sin.data()[i]);
  }
}

// The reference rounds its frequencies (1.3e-7, ops.json) and angles (2^-24) to float32, which
// turns a pair by as much of its angle; float32 tables and products add three roundings.
double RotationTolerance(int32_t position, size_t pair, double length) {
  const double angle = position * R1InverseFrequencies()[pair];
  return length * (angle * (1.3e-7 + 0x1p-24) + 3 * 0x1p-23);
}

TEST(ApplyRope, GoldenVectorInBothOrders) {
  const auto positions = ReadGoldenNpy("ops/rope_r1_x_positions.npy").As<int32_t>();
  const auto x = ReadGoldenNpy("ops/rope_r1_x.npy").As<float>();
  const auto interleaved = ReadGoldenNpy("ops/rope_r1_y_interleaved.npy").As<float>();
  const auto half = ReadGoldenNpy("ops/rope_r1_y_half.npy").As<float>();
  const Tables tables = R1Tables(positions);
  for (int64_t t = 0; t < 4; ++t) {
    std::vector<float> pairs(x.begin() + t * 64, x.begin() + (t + 1) * 64);
    std::vector<float> halves(64);  // the same vector with its even channels first
    for (size_t i = 0; i < 64; ++i) halves[i / 2 + (i % 2) * 32] = pairs[i];
    ApplyRope(tables.cos[t], tables.sin[t], true, pairs);
    ApplyRope(tables.cos[t], tables.sin[t], false, halves);
    for (size_t i = 0; i < 64; ++i) {
      const auto at = static_cast<size_t>(t) * 64 + i;
      const float* pair = &x[at / 2 * 2];
      const double tolerance =
          RotationTolerance(positions[static_cast<size_t>(t)], i / 2, std::hypot(pair[0], pair[1]));
      EXPECT_NEAR(pairs[i], interleaved[at], tolerance) << t << " " << i;
      EXPECT_NEAR(halves[i / 2 + i % 2 * 32], half[at / 64 * 64 + i / 2 + i % 2 * 32], tolerance)
          << t << " " << i;
    }
  }
}

TEST(ApplyRope, AQuarterTurnOfAUnitVector) {
  const float cos[] = {0};
  const float sin[] = {1};
  std::vector<float> x = {1, 0};
  ApplyRope(cos, sin, true, x);
  EXPECT_EQ(x, (std::vector<float>{0, 1}));
}

}  // namespace
}  // namespace fathom
