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

}  // namespace

std::vector<double> AttentionReference(const AttentionTask& task, double scale) {
  std::vector<double> out;
  for (int64_t h = 0; h < task.q.rows(); ++h) {
    std::vector<double> scores(static_cast<size_t>(task.context));
    for (int64_t t = 0; t < task.context; ++t) {
      for (int64_t c = 0; c < task.q.cols(); ++c) {
        scores[static_cast<size_t>(t)] += scale * static_cast<double>(task.q.RowPtr(h)[c]) *
                                          CachedElement(task.kv, t, task.key_offset + c);
      }
    }
    const std::vector<double> weights = Softmax(scores);
    for (int64_t v = 0; v < task.out.cols(); ++v) {
      double sum = 0;
      for (int64_t t = 0; t < task.context; ++t) {
        sum += weights[static_cast<size_t>(t)] * CachedElement(task.kv, t, task.value_offset + v);
      }
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace fathom
