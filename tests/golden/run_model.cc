#include "run_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/math.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "io/file_system.h"
#include "model/kv_cache.h"
#include "model/model.h"
#include "ops/compute.h"
#include "poisoned_memory.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"
#include "weights/checkpoint.h"

namespace fathom {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Block tables for sequences of these lengths: ascending, or scattered by a fixed permutation.
std::vector<std::vector<int32_t>> MakeBlockTables(std::span<const std::vector<int32_t>> prompts,
                                                  const Schedule& schedule, int64_t& blocks) {
  std::vector<std::vector<int32_t>> tables;
  blocks = 0;
  for (const auto& prompt : prompts) {
    const int64_t count = CeilDiv(static_cast<int64_t>(prompt.size()), schedule.block_tokens);
    auto& table = tables.emplace_back(static_cast<size_t>(count));
    std::iota(table.begin(), table.end(), static_cast<int32_t>(blocks));
    blocks += count;
  }
  if (!schedule.scatter_blocks) return tables;
  int64_t step = blocks / 2 + 1;  // coprime with blocks: visits each once
  while (std::gcd(step, blocks) != 1) ++step;
  for (auto& table : tables) {
    for (int32_t& block : table) block = static_cast<int32_t>((block * step + 3) % blocks);
  }
  return tables;
}

void Fill(KvCache& cache, const ModelConfig& config, bool mtp, float value) {
  const std::vector<float> row(static_cast<size_t>(config.KvValuesPerToken()), value);
  std::vector<int32_t> table(static_cast<size_t>(cache.blocks()));
  std::iota(table.begin(), table.end(), 0);
  for (int64_t layer = 0; layer < config.layers + (mtp ? config.mtp_layers : 0); ++layer) {
    for (int64_t position = 0; position < cache.blocks() * cache.block_tokens(); ++position) {
      cache.Write(layer, table, position, 0, row);
    }
  }
}

// One step under construction, in the arrays that ForwardBatch borrows.
struct StepTokens {
  std::vector<int32_t> tokens, positions, sequences, logit_rows, mtp_next;

  void Add(int32_t sequence, const std::vector<int32_t>& prompt, int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) {
      const bool last = i + 1 == static_cast<int64_t>(prompt.size());
      logit_rows.push_back(static_cast<int32_t>(tokens.size()));
      tokens.push_back(prompt[static_cast<size_t>(i)]);
      positions.push_back(static_cast<int32_t>(i));
      sequences.push_back(sequence);
      mtp_next.push_back(last ? -1 : prompt[static_cast<size_t>(i + 1)]);
    }
  }
  ForwardBatch Batch(std::span<const std::vector<int32_t>> block_tables, bool mtp) const {
    return {.tokens = tokens,
            .positions = positions,
            .sequences = sequences,
            .block_tables = block_tables,
            .logit_rows = logit_rows,
            .mtp_next = mtp ? std::span<const int32_t>(mtp_next) : std::span<const int32_t>()};
  }
};

// Copies the rows of a step to the prompts and positions they belong to.
void Distribute(const StepTokens& step, const ForwardResult& result,
                std::vector<PromptResult>& out) {
  int64_t mtp_row = 0;
  for (size_t i = 0; i < step.tokens.size(); ++i) {
    PromptResult& to = out[static_cast<size_t>(step.sequences[i])];
    const auto from = result.logits[static_cast<int64_t>(i)];
    std::copy(from.begin(), from.end(), to.logits[step.positions[i]].begin());
    if (to.mtp.cols() == 0 || step.mtp_next[i] < 0) continue;
    const auto mtp = result.mtp_logits[mtp_row++];
    std::copy(mtp.begin(), mtp.end(), to.mtp[step.positions[i]].begin());
  }
  if (!out.empty() && out[0].mtp.cols() > 0) FATHOM_CHECK(mtp_row == result.mtp_logits.rows());
}

std::vector<PromptResult> RunTogether(LoadedModel& loaded,
                                      std::span<const std::vector<int32_t>> prompts,
                                      const Schedule& schedule, ForwardTrace* trace) {
  Model& model = *loaded.model;
  int64_t blocks = 0;
  const auto tables = MakeBlockTables(prompts, schedule, blocks);
  KvCache cache(model.config(), model.has_mtp(), loaded.CacheType(), blocks, schedule.block_tokens);
  Fill(cache, model.config(), model.has_mtp(), kNan);

  std::vector<PromptResult> results(prompts.size());
  for (size_t i = 0; i < prompts.size(); ++i) {
    const auto tokens = static_cast<int64_t>(prompts[i].size());
    results[i].logits.Resize(tokens, model.config().vocab);
    if (model.has_mtp()) results[i].mtp.Resize(tokens - 1, model.config().vocab);
  }
  std::vector<int64_t> done(prompts.size(), 0);
  while (true) {
    StepTokens step;
    for (size_t i = 0; i < prompts.size(); ++i) {
      const int64_t rest = static_cast<int64_t>(prompts[i].size()) - done[i];
      // Together, every third prompt goes token by token, as if it decoded.
      const int64_t chunk = i % 3 == 1 ? 1 : schedule.chunk_tokens + static_cast<int64_t>(i);
      const int64_t count = schedule.chunk_tokens == 0 ? rest : std::min(rest, chunk);
      step.Add(static_cast<int32_t>(i), prompts[i], done[i], count);
      done[i] += count;
    }
    if (step.tokens.empty()) return results;
    const ForwardBatch batch = step.Batch(tables, model.has_mtp());
    Distribute(step, model.Forward(loaded.compute, batch, cache, trace), results);
  }
}

}  // namespace

DType LoadedModel::CacheType() const {
  return compute.activations == Activations::kFloat32 ? DType::kF32 : DType::kBF16;
}

LoadedModel LoadModel(const std::string& checkpoint, Isa isa, Activations activations, int threads,
                      WeightFormat weights) {
  LoadedModel loaded;
  loaded.pool = std::make_unique<ThreadPool>(threads);
  loaded.compute = {.pool = loaded.pool.get(), .isa = isa, .activations = activations};
  const auto files = MakePosixFileSystem();
  const Checkpoint opened = ValueOrExit(Checkpoint::Open(*files, checkpoint));
  NoProgress progress;
  const ModelOptions options{.mtp = opened.config().mtp_layers > 0, .weights = weights};
  loaded.model = ValueOrExit(Model::Load(opened, options, loaded.compute, progress));
  return loaded;
}

std::vector<PromptResult> RunPrompts(LoadedModel& loaded,
                                     std::span<const std::vector<int32_t>> prompts,
                                     const Schedule& schedule, ForwardTrace* trace) {
  if (schedule.together) return RunTogether(loaded, prompts, schedule, trace);
  std::vector<PromptResult> results;
  for (const auto& prompt : prompts) {
    auto one = RunTogether(loaded, {&prompt, 1}, schedule, trace);
    results.push_back(std::move(one[0]));
  }
  return results;
}

std::vector<int32_t> ContinueGreedily(LoadedModel& loaded, const std::vector<int32_t>& prompt,
                                      int64_t steps) {
  constexpr int64_t kBlockTokens = 16;
  const int64_t blocks = CeilDiv(static_cast<int64_t>(prompt.size()) + steps, kBlockTokens);
  KvCache cache(loaded.model->config(), false, loaded.CacheType(), blocks, kBlockTokens);
  Fill(cache, loaded.model->config(), false, kNan);
  std::vector<std::vector<int32_t>> tables(1, std::vector<int32_t>(static_cast<size_t>(blocks)));
  std::iota(tables[0].begin(), tables[0].end(), 0);

  std::vector<int32_t> all = prompt;
  int64_t done = 0;
  for (int64_t i = 0; i < steps; ++i) {
    StepTokens step;
    step.Add(0, all, done, static_cast<int64_t>(all.size()) - done);
    done = static_cast<int64_t>(all.size());
    step.logit_rows = {static_cast<int32_t>(step.tokens.size()) - 1};
    const ForwardResult result =
        loaded.model->Forward(loaded.compute, step.Batch(tables, false), cache);
    all.push_back(static_cast<int32_t>(ArgMax(result.logits[0])));
  }
  return {all.begin() + static_cast<int64_t>(prompt.size()), all.end()};
}

StepAllocations AllocationsOf(LoadedModel& loaded, const std::vector<int32_t>& prompt,
                              int64_t first) {
  Model& model = *loaded.model;
  int64_t blocks = 0;
  const auto tables = MakeBlockTables({&prompt, 1}, {}, blocks);
  KvCache cache(model.config(), model.has_mtp(), loaded.CacheType(), blocks, 16);
  Fill(cache, model.config(), model.has_mtp(), 0);
  StepTokens step;
  step.Add(0, prompt, first, static_cast<int64_t>(prompt.size()) - first);
  const ForwardBatch batch = step.Batch(tables, model.has_mtp());
  const int64_t before = AllocatedBytes();
  model.Forward(loaded.compute, batch, cache);
  const int64_t between = AllocatedBytes();
  model.Forward(loaded.compute, batch, cache);
  return {.first = between - before, .again = AllocatedBytes() - between};
}

std::vector<int32_t> MadeUpPrompt(int64_t tokens, int64_t vocab) {
  std::vector<int32_t> prompt;
  prompt.reserve(static_cast<size_t>(tokens));
  for (int64_t i = 0; i < tokens; ++i) prompt.push_back(static_cast<int32_t>((i * i + i) % vocab));
  return prompt;
}

int64_t ArgMax(std::span<const float> values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

}  // namespace fathom
