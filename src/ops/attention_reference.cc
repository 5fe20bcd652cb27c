#include "ops/attention_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ops/attention.h"
#include "tensor/dtype.h"
#include "tensor/float_codec.h"

namespace fathom {
namespace {

double CachedElement(const KvRows& kv, int64_t t, int64_t offset) {
  const int64_t block = kv.blocks[static_cast<size_t>(t / kv.block_tokens)];
  const int64_t index = (block * kv.block_tokens + t % kv.block_tokens) * kv.row_width + offset;
  if (kv.dtype == DType::kF32) {
    float value = 0;
    std::memcpy(&value, kv.base + index * 4, 4);
    return static_cast<double>(value);
  }
  Bf16 value{};
  std::memcpy(&value, kv.base + index * 2, 2);
  return static_cast<double>(ToFloat(value));
}

std::vector<double> Softmax(std::vector<double> scores) {
  const double highest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - highest);
  for (double& score : scores) score /= sum;
  return scores;
}

// The scores of one head; raises `magnitude` to the largest sum of absolute products among them.
std::vector<double> Scores(const AttentionTask& task, int64_t head, double scale,
                           double& magnitude) {
  std::vector<double> scores;
  for (int64_t t = 0; t < task.context; ++t) {
    double sum = 0;
    double sum_abs = 0;
    for (int64_t c = 0; c < task.q.cols(); ++c) {
      const double product = scale * static_cast<double>(task.q.RowPtr(head)[c]) *
                             CachedElement(task.kv, t, task.key_offset + c);
      sum += product;
      sum_abs += std::abs(product);
    }
    scores.push_back(sum);
    magnitude = std::max(magnitude, sum_abs);
  }
  return scores;
}

}  // namespace

ReferenceAttention AttentionReference(const AttentionTask& task, double scale) {
  ReferenceAttention result;
  for (int64_t h = 0; h < task.q.rows(); ++h) {
    const std::vector<double> weights = Softmax(Scores(task, h, scale, result.score_magnitude));
    for (int64_t v = 0; v < task.out.cols(); ++v) {
      double sum = 0;
      double sum_abs = 0;
      for (int64_t t = 0; t < task.context; ++t) {
        const double term =
            weights[static_cast<size_t>(t)] * CachedElement(task.kv, t, task.value_offset + v);
        sum += term;
        sum_abs += std::abs(term);
      }
      result.out.push_back(sum);
      result.magnitude.push_back(sum_abs);
    }
  }
  return result;
}

}  // namespace fathom
