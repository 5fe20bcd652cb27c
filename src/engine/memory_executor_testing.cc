#include "engine/memory_executor_testing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "engine/sampler.h"
#include "model/model.h"
#include "sched/step_plan.h"
#include "tensor/mat_view.h"

namespace fathom {
namespace {

uint64_t Hash(std::span<const int32_t> tokens) {
  uint64_t hash = 0;
  for (const int32_t token : tokens) hash = SplitMix64At(hash, static_cast<uint64_t>(token));
  return hash;
}

// Multiples of 1/64 in [-8, 8), a different list for each hash.
std::vector<float> LogitsOf(uint64_t hash, int64_t vocab) {
  std::vector<float> logits(static_cast<size_t>(vocab));
  for (size_t i = 0; i < logits.size(); ++i) {
    logits[i] = static_cast<float>(SplitMix64At(hash, i) % 1024) / 64 - 8;
  }
  return logits;
}

}  // namespace

MemoryExecutor::MemoryExecutor(const Options& options)
    : options_(options),
      tokens_(static_cast<size_t>(options.blocks * options.block_tokens), -1),
      successors_(tokens_.size(), -1),
      swap_(static_cast<size_t>(options.swap_blocks * options.block_tokens), -1) {}

void MemoryExecutor::CopyBlocks(std::span<const BlockCopy> copies) {
  for (const BlockCopy& copy : copies) {
    const auto& from = copy.kind == BlockCopy::Kind::kFromSwap ? swap_ : tokens_;
    auto& to = copy.kind == BlockCopy::Kind::kToSwap ? swap_ : tokens_;
    for (int64_t i = 0; i < options_.block_tokens; ++i) {
      to.at(static_cast<size_t>(copy.to * options_.block_tokens + i)) =
          from.at(static_cast<size_t>(copy.from * options_.block_tokens + i));
    }
  }
}

std::vector<float> MemoryExecutor::LogitsAfter(std::span<const int32_t> tokens) const {
  std::vector<float> logits = LogitsOf(Hash(tokens), options_.vocab);
  if (poison_ == tokens.back()) logits[0] = std::nanf("");
  return logits;
}

std::vector<float> MemoryExecutor::MtpLogitsAfter(std::span<const int32_t> tokens,
                                                  std::span<const int32_t> successors) const {
  return LogitsOf(Hash(tokens) ^ Hash(successors), options_.vocab);
}

ForwardResult MemoryExecutor::Run(const ForwardBatch& batch) {
  if (on_run) on_run(batch);
  Remember(batch);
  const auto rows = static_cast<int64_t>(batch.logit_rows.size());
  logits_.Resize(rows, options_.vocab);
  mtp_logits_.Resize(rows, options_.vocab);
  int64_t mtp_rows = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const auto i = static_cast<size_t>(batch.logit_rows[static_cast<size_t>(row)]);
    const std::vector<int32_t>& table = batch.block_tables[static_cast<size_t>(batch.sequences[i])];
    const int64_t count = batch.positions[i] + 1;
    const std::vector<int32_t> tokens = Recall(tokens_, table, count);
    std::ranges::copy(LogitsAfter(tokens), logits_[row].begin());
    if (batch.mtp_next.empty() || batch.mtp_next[i] < 0) continue;
    std::ranges::copy(MtpLogitsAfter(tokens, Recall(successors_, table, count)),
                      mtp_logits_[mtp_rows++].begin());
  }
  const MatView<const float> mtp = mtp_logits_.view();
  return {.logits = logits_.view(), .mtp_logits = mtp.Rows(0, mtp_rows)};
}

void MemoryExecutor::Remember(const ForwardBatch& batch) {
  FATHOM_CHECK(batch.mtp_next.empty() || batch.mtp_next.size() == batch.tokens.size());
  for (size_t i = 0; i < batch.tokens.size(); ++i) {
    const std::vector<int32_t>& table = batch.block_tables[static_cast<size_t>(batch.sequences[i])];
    const auto block = static_cast<size_t>(batch.positions[i] / options_.block_tokens);
    FATHOM_CHECK(block < table.size());
    const auto at = static_cast<size_t>(table[block] * options_.block_tokens +
                                        batch.positions[i] % options_.block_tokens);
    tokens_[at] = batch.tokens[i];
    if (!batch.mtp_next.empty()) successors_[at] = batch.mtp_next[i];
  }
}

std::vector<int32_t> MemoryExecutor::Recall(const std::vector<int32_t>& cache,
                                            std::span<const int32_t> block_table,
                                            int64_t count) const {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t block = block_table[static_cast<size_t>(i / options_.block_tokens)];
    const int64_t at = block * options_.block_tokens + i % options_.block_tokens;
    tokens.push_back(cache[static_cast<size_t>(at)]);
  }
  return tokens;
}

}  // namespace fathom
