#include "ops/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "ops/attention_reference.h"
#include "ops/isa_testing.h"
#include "ops/weights_testing.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

// A paged cache with its blocks in a shuffled order and garbage between them.
class Cache {
 public:
  Cache(DType dtype, int64_t rows, int64_t width, int64_t block_tokens) {
    const int64_t count = (rows + block_tokens - 1) / block_tokens;
    const Matrix<float> values = RandomActivations(2 * count * block_tokens, width, 11);
    for (int32_t i = 0; i < 2 * count; ++i) blocks_.push_back(i);
    std::shuffle(blocks_.begin(), blocks_.end(), std::mt19937(5));
    blocks_.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < values.rows() * width; ++i) Append(dtype, values.data()[i]);
    rows_ = {.base = bytes_.data(),
             .dtype = dtype,
             .row_width = width,
             .block_tokens = block_tokens,
             .blocks = blocks_};
  }
  Cache(const Cache&) = delete;
  const KvRows& rows() const { return rows_; }

 private:
  void Append(DType dtype, float value) {
    const Bf16 narrow = ToBf16(value);
    const void* from = dtype == DType::kF32 ? static_cast<const void*>(&value) : &narrow;
    const size_t size = dtype == DType::kF32 ? 4 : 2;
    bytes_.resize(bytes_.size() + size);
    std::memcpy(bytes_.data() + bytes_.size() - size, from, size);
  }
  std::vector<std::byte> bytes_;
  std::vector<int32_t> blocks_;
  KvRows rows_;
};

struct Shape {
  int64_t heads;
  int64_t key_dim;
  int64_t value_dim;
  int64_t key_offset;
  int64_t value_offset;
  int64_t row_width;
};

// MLA: values inside the keys; GQA: values behind them, both in the middle of a row; odd sizes.
constexpr Shape kShapes[] = {{16, 40, 32, 0, 0, 40},
                             {40, 96, 64, 0, 0, 96},
                             {3, 16, 16, 16, 48, 80},
                             {7, 19, 21, 3, 30, 60},
                             {1, 1, 1, 0, 1, 2}};

class AttentionTest : public IsaTest {
 protected:
  Matrix<float> Run(int threads, float scale, const Shape& shape, MatView<const float> q,
                    const KvRows& kv, int64_t context) const {
    ThreadPool pool(threads);
    Matrix<float> out(shape.heads, shape.value_dim);
    const AttentionTask task = Task(shape, q, kv, context, out.view());
    RunAttention({.pool = &pool}, scale, {&task, 1});
    return out;
  }
  static AttentionTask Task(const Shape& shape, MatView<const float> q, const KvRows& kv,
                            int64_t context, MatView<float> out) {
    return {.q = q,
            .kv = kv,
            .key_offset = shape.key_offset,
            .value_offset = shape.value_offset,
            .context = context,
            .out = out};
  }
};

// Roundings, of half an epsilon each, that a weighted value and the sum of weights take at most.
//   score      one a key element, two for the scale, one for the distance to the maximum, which
//              like all later distances together is at most twice the largest score
//   power      4 (vec_exp.h)
//   in a step  one a row and the product's
//   a step     is added to its split and a split to those before it: one, and 5 more where the
//              maximum rises, for the correction's power and product
double Roundings(int64_t key_dim, int64_t context, double score_magnitude) {
  const int64_t steps = (context + 31) / 32;
  const int64_t corrections = std::min(steps, std::max<int64_t>(16, (steps + 15) / 16) + 16);
  const double score = static_cast<double>(key_dim + 2 + 4) * score_magnitude;
  return score + 4 + static_cast<double>(std::min<int64_t>(context, 32) + 1 + 6 * corrections);
}

// Both the weighted sum and the sum of weights have that relative error, the quotient one more.
void ExpectClose(const Matrix<float>& out, const ReferenceAttention& reference, int64_t key_dim,
                 int64_t context) {
  constexpr double kHalfEpsilon = std::numeric_limits<float>::epsilon() / 2;
  const double roundings = 2 * Roundings(key_dim, context, reference.score_magnitude) + 1;
  for (size_t i = 0; i < reference.out.size(); ++i) {
    ASSERT_NEAR(out.data()[i], reference.out[i], roundings * kHalfEpsilon * reference.magnitude[i])
        << "context " << context << " element " << i;
  }
}

TEST_P(AttentionTest, MatchesTheReference) {
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    for (const Shape& shape : kShapes) {
      const Cache cache(dtype, 70, shape.row_width, 4);
      const Matrix<float> q = RandomActivations(shape.heads, shape.key_dim, 12);
      const double scale = 1 / std::sqrt(static_cast<double>(shape.key_dim));
      for (const int64_t context : {1, 2, 31, 32, 33, 70}) {
        Matrix<float> out =
            Run(2, static_cast<float>(scale), shape, q.view(), cache.rows(), context);
        SCOPED_TRACE(testing::Message() << DTypeName(dtype) << " heads " << shape.heads);
        ExpectClose(
            out,
            AttentionReference(Task(shape, q.view(), cache.rows(), context, out.view()), scale),
            shape.key_dim, context);
      }
    }
  }
}

TEST_P(AttentionTest, LongContextsAreMergedFromSplits) {
  const Shape shape = {2, 16, 16, 0, 0, 16};
  const Cache cache(DType::kBF16, 9000, 16, 64);
  const Matrix<float> q = RandomActivations(2, 16, 12);
  for (const int64_t context : {511, 512, 513, 2500, 9000}) {
    Matrix<float> out = Run(2, 0.25F, shape, q.view(), cache.rows(), context);
    ExpectClose(out,
                AttentionReference(Task(shape, q.view(), cache.rows(), context, out.view()), 0.25),
                shape.key_dim, context);
  }
}

TEST_P(AttentionTest, ScoresFarApartNeitherOverflowNorVanish) {
  // Scores of -3000, 3000 and 3000: the first weighs nothing, the others a half each.
  const float keys[] = {-30, 1, 30, 2, 30, 4};
  const int32_t blocks[] = {0};
  const KvRows kv = {.base = reinterpret_cast<const std::byte*>(keys),
                     .row_width = 2,
                     .block_tokens = 3,
                     .blocks = blocks};
  const float q = 100;
  const Shape shape = {1, 1, 1, 0, 1, 2};
  EXPECT_EQ(Run(1, 1, shape, {&q, 1, 1}, kv, 1).data()[0], 1);
  EXPECT_EQ(Run(1, 1, shape, {&q, 1, 1}, kv, 2).data()[0], 2);
  EXPECT_EQ(Run(1, 1, shape, {&q, 1, 1}, kv, 3).data()[0], 3);
}

TEST_P(AttentionTest, ATaskHasTheSameBitsAloneAndInAnyListOnAnyThreads) {
  const Shape shape = {24, 32, 16, 0, 0, 32};
  const Cache cache(DType::kF32, 2100, 32, 16);
  const Matrix<float> q = RandomActivations(5 * 24, 32, 12);
  const int64_t contexts[] = {1, 17, 1025, 2048, 2100};
  std::vector<Matrix<float>> alone;
  alone.reserve(5);
  for (int64_t i = 0; i < 5; ++i) {
    alone.push_back(Run(1, 0.2F, shape, q.view().Rows(24 * i, 24), cache.rows(), contexts[i]));
  }
  for (const int threads : {1, 2, 3, 16}) {
    for (const int64_t count : {1, 2, 5}) {
      ThreadPool pool(threads);
      Matrix<float> out(24 * count, 16);
      std::vector<AttentionTask> tasks;
      tasks.reserve(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i) {
        tasks.push_back(Task(shape, q.view().Rows(24 * (4 - i), 24), cache.rows(), contexts[4 - i],
                             out.view().Rows(24 * i, 24)));
      }
      RunAttention({.pool = &pool}, 0.2F, tasks);
      for (int64_t i = 0; i < count; ++i) {
        EXPECT_EQ(std::memcmp(out.view().RowPtr(24 * i), alone[static_cast<size_t>(4 - i)].data(),
                              24 * 16 * sizeof(float)),
                  0)
            << "threads " << threads << " task " << i;
      }
    }
  }
}

// Contexts that end inside a step of 32 rows and at its end, at the end of a split of 512 and
// inside one, and where splits become longer (past 16 of 512).
TEST_P(AttentionTest, ConsecutiveTokensHaveTheBitsThatEachHasAlone) {
  const Cache cache(DType::kBF16, 8205, 32, 16);
  for (const int64_t heads : {1, 7, 8, 20}) {
    const Shape shape = {heads, 32, 16, 0, 0, 32};
    for (const int64_t first : {1, 25, 500, 8185}) {
      if (first > 512 && heads != 7) continue;  // slow where the processor is emulated
      constexpr int64_t kTokens = 19;
      const Matrix<float> q = RandomActivations(kTokens * heads, 32, 12);
      Matrix<float> out(kTokens * heads, 16);
      std::vector<AttentionTask> tasks;
      tasks.reserve(kTokens);
      for (int64_t i = 0; i < kTokens; ++i) {
        tasks.push_back(Task(shape, q.view().Rows(heads * i, heads), cache.rows(), first + i,
                             out.view().Rows(heads * i, heads)));
      }
      ThreadPool pool(2);
      RunAttention({.pool = &pool}, 0.2F, tasks);
      for (int64_t i = 0; i < kTokens; ++i) {
        const Matrix<float> alone =
            Run(1, 0.2F, shape, q.view().Rows(heads * i, heads), cache.rows(), first + i);
        EXPECT_EQ(std::memcmp(out.view().RowPtr(heads * i), alone.data(),
                              static_cast<size_t>(heads) * 16 * sizeof(float)),
                  0)
            << heads << " heads, context " << first + i;
      }
    }
  }
}

FATHOM_TEST_ON_EVERY_ISA(AttentionTest);

}  // namespace
}  // namespace fathom
