#include "model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/thread_pool.h"
#include "io/memory_file_system_testing.h"
#include "model/kv_cache.h"
#include "ops/compute.h"
#include "spec/config_testing.h"
#include "tensor/dtype.h"
#include "weights/checkpoint.h"
#include "weights/checkpoint_testing.h"

namespace fathom {
namespace {

class ModelTest : public testing::Test {
 protected:
  std::unique_ptr<Model> Load(std::string_view config_json, bool mtp) {
    MemoryFileSystem files;
    WriteRandomCheckpoint(files, "m", config_json);
    auto checkpoint = Checkpoint::Open(files, "m");
    EXPECT_TRUE(checkpoint.ok());
    NoProgress progress;
    auto model = Model::Load(*checkpoint, {.mtp = mtp}, compute_, progress);
    EXPECT_TRUE(model.ok()) << model.error().ToString();
    return std::move(model).value();
  }

  ThreadPool pool_{1};  // death tests fork
  const Compute compute_{.pool = &pool_};
  const std::vector<std::vector<int32_t>> tables_ = {{0}, {1}};
};

TEST_F(ModelTest, GivesLogitsOnlyWhereTheyAreWanted) {
  const auto model = Load(TinyDeepseekV3ConfigJson(), true);
  KvCache cache(model->config(), true, DType::kF32, 2, 8);
  const std::vector<int32_t> tokens = {3, 1, 4, 1, 5};
  const std::vector<int32_t> positions = {0, 1, 2, 0, 1};
  const std::vector<int32_t> sequences = {0, 0, 0, 1, 1};
  const std::vector<int32_t> next = {1, 4, -1, 5, 9};
  const std::vector<int32_t> all = {0, 1, 2, 3, 4};
  const std::vector<int32_t> some = {0, 2, 4};
  ForwardBatch batch{.tokens = tokens,
                     .positions = positions,
                     .sequences = sequences,
                     .block_tables = tables_,
                     .logit_rows = all,
                     .mtp_next = next};
  ForwardResult result = model->Forward(compute_, batch, cache);
  ASSERT_EQ(result.logits.rows(), 5);
  ASSERT_EQ(result.mtp_logits.rows(), 4);
  EXPECT_EQ(result.logits.cols(), model->config().vocab);
  const std::vector<float> last(result.logits[4].begin(), result.logits[4].end());
  const std::vector<float> last_mtp(result.mtp_logits[3].begin(), result.mtp_logits[3].end());

  batch.logit_rows = some;
  result = model->Forward(compute_, batch, cache);
  ASSERT_EQ(result.logits.rows(), 3);
  ASSERT_EQ(result.mtp_logits.rows(), 2);  // of rows 0 and 4; row 2 has no successor
  EXPECT_TRUE(std::ranges::equal(result.logits[2], last));
  EXPECT_TRUE(std::ranges::equal(result.mtp_logits[1], last_mtp));

  batch.logit_rows = {};
  batch.mtp_next = {};
  result = model->Forward(compute_, batch, cache);
  EXPECT_EQ(result.logits.rows(), 0);
  EXPECT_EQ(result.mtp_logits.rows(), 0);
}

TEST_F(ModelTest, ABatchThatBreaksTheContractIsABug) {
  const auto model = Load(TinyLlamaConfigJson(), false);
  KvCache cache(model->config(), false, DType::kF32, 2, 8);
  struct Row {
    std::vector<int32_t> tokens, positions, sequences, logit_rows, mtp_next;
    const char* broken;
  };
  const Row rows[] = {
      {{}, {}, {}, {}, {}, "n > 0"},
      {{1, 2}, {0}, {0, 0}, {}, {}, "positions.size"},
      {{100'000}, {0}, {0}, {}, {}, "batch.tokens"},
      {{1}, {-1}, {0}, {}, {}, "batch.positions"},
      {{1}, {0}, {2}, {}, {}, "batch.sequences"},
      {{1}, {0}, {0}, {1}, {}, "batch.logit_rows"},
      {{1, 2}, {0, 2}, {0, 0}, {}, {}, "SequencesAreRuns"},
      {{1}, {0}, {0}, {}, {2}, "has_mtp"},
  };
  for (const Row& row : rows) {
    const ForwardBatch batch{.tokens = row.tokens,
                             .positions = row.positions,
                             .sequences = row.sequences,
                             .block_tables = tables_,
                             .logit_rows = row.logit_rows,
                             .mtp_next = row.mtp_next};
    EXPECT_DEATH(model->Forward(compute_, batch, cache), row.broken);
  }
}

}  // namespace
}  // namespace fathom
