#include "spec/summary.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "spec/catalogue.h"
#include "spec/config_testing.h"
#include "spec/model_config.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

// Expected figures: written out from the shapes of the published model (deepseek-ai/DeepSeek-R1),
// layer by layer, not computed by this program.

constexpr int64_t kLayers = 61;
constexpr int64_t kMoeLayers = 58;
constexpr int64_t kQuery = 11'010'048 + 37'748'736;               // 1536 x 7168, 24576 x 1536
constexpr int64_t kKeyValue = 4'128'768 + 16'777'216;             // 576 x 7168, 32768 x 512
constexpr int64_t kAttention = kQuery + kKeyValue + 117'440'512;  // and 7168 x 16384
constexpr int64_t kNorms = 16'384;                                // 1536 + 512 + 2 x 7168
constexpr int64_t kDense = 396'361'728;                           // 3 x 7168 x 18432
constexpr int64_t kExpert = 44'040'192;                           // 3 x 7168 x 2048
constexpr int64_t kGate = 1'835'264;                              // 256 x 7168 + 256
constexpr int64_t kVocabulary = 926'679'040;                      // 129280 x 7168

TEST(Summary, ParametersOfDeepseekR1ByComponent) {
  static_assert(kAttention == 187'105'280);
  const ModelSummary summary = Summarize(ParsedConfig(DeepseekR1ConfigJson()));
  EXPECT_EQ(summary[Component::kEmbedding].parameters, kVocabulary);
  EXPECT_EQ(summary[Component::kAttention].parameters, kLayers * kAttention);
  EXPECT_EQ(summary[Component::kDenseFfn].parameters, 3 * kDense);
  EXPECT_EQ(summary[Component::kRoutedExperts].parameters, kMoeLayers * 256 * kExpert);
  EXPECT_EQ(summary[Component::kSharedExperts].parameters, kMoeLayers * kExpert);
  EXPECT_EQ(summary[Component::kGate].parameters, kMoeLayers * kGate);
  EXPECT_EQ(summary[Component::kNorm].parameters, kLayers * kNorms + 7168);
  EXPECT_EQ(summary[Component::kHead].parameters, kVocabulary);
  EXPECT_EQ(summary.main.parameters, 671'026'419'200);
  EXPECT_EQ(summary.mtp.parameters, 13'463'426'304);
  EXPECT_EQ(summary.mtp.parameters - 2 * kVocabulary, 11'610'068'224);  // without its copies
  EXPECT_EQ(summary.main.parameters + summary.mtp.parameters, 684'489'845'504);
  EXPECT_EQ(summary.active_parameters, 36'625'618'432);
  EXPECT_EQ(summary.active_parameters + kVocabulary, 37'552'297'472);  // with the embedding table
  EXPECT_EQ(summary.active_parameters - kVocabulary, 35'698'939'392);  // without the head
}

TEST(Summary, BytesOfDeepseekR1AsPublishedInFp8) {
  const ModelSummary summary = Summarize(ParsedConfig(DeepseekR1ConfigJson()));
  // Scales: 12x56 + 192x12 + 5x56 + 256x4 + 56x128 = 11448 blocks of F32. Norms are BF16.
  EXPECT_EQ(summary[Component::kAttention].bytes, kLayers * (kAttention + 4 * 11'448));
  EXPECT_EQ(summary[Component::kAttention].bytes + summary[Component::kNorm].bytes,
            kLayers * 187'183'840 + 2 * 7168);
  EXPECT_EQ(summary[Component::kDenseFfn].bytes, 3 * 396'458'496);
  EXPECT_EQ(summary[Component::kRoutedExperts].bytes, kMoeLayers * 256 * 44'050'944);
  EXPECT_EQ(summary[Component::kSharedExperts].bytes, kMoeLayers * 44'050'944);
  EXPECT_EQ(summary[Component::kGate].bytes, kMoeLayers * 3'671'040);  // BF16, the bias F32
  EXPECT_EQ(summary[Component::kEmbedding].bytes + summary[Component::kHead].bytes, 3'706'716'160);
  EXPECT_EQ(summary.main.bytes, 673'150'611'808);
  EXPECT_EQ(summary.mtp.bytes, 15'424'227'552);
  EXPECT_EQ(summary.main.bytes + summary.mtp.bytes, 688'574'839'360);
  EXPECT_EQ(summary.main.bytes + summary.mtp.bytes - 2 * 2 * kVocabulary, 684'868'123'200);
}

TEST(Summary, BytesOfDeepseekR1ConvertedToBf16) {
  ModelConfig config = ParsedConfig(DeepseekR1ConfigJson());
  config.fp8.reset();
  const ModelSummary summary = Summarize(config);
  EXPECT_EQ(summary[Component::kAttention].bytes, kLayers * 374'210'560);
  EXPECT_EQ(summary[Component::kDenseFfn].bytes, int64_t{3} * 792'723'456);
  EXPECT_EQ(summary.main.bytes, 1'342'052'868'096);
  EXPECT_EQ(summary.main.bytes + summary.mtp.bytes - 2 * 2 * kVocabulary, 1'365'273'005'056);
}

TEST(Summary, CacheBytesOfAToken) {
  const ModelConfig r1 = ParsedConfig(DeepseekR1ConfigJson());
  EXPECT_EQ(KvBytesPerToken(r1, DType::kBF16, false), 70'272);  // 61 x 576 x 2
  EXPECT_EQ(KvBytesPerToken(r1, DType::kBF16, true), 71'424);
  EXPECT_EQ(KvBytesPerToken(r1, DType::kI8, false), 35'136);
  // Llama 3.1 8B: 32 layers x 2 x 8 heads x 128 values x 2 bytes.
  EXPECT_EQ(KvBytesPerToken(ParsedConfig(Llama31ConfigJson()), DType::kBF16, true), 131'072);
}

// Parameter counts on the models' pages (number of elements in their safetensors files).
TEST(Summary, ParametersOfOtherPublishedModels) {
  EXPECT_EQ(Summarize(ParsedConfig(DeepseekV2ConfigJson())).main.parameters, 235'741'434'880);
  EXPECT_EQ(Summarize(ParsedConfig(DeepseekV2LiteConfigJson())).main.parameters, 15'706'484'224);
  EXPECT_EQ(Summarize(ParsedConfig(Qwen25ConfigJson())).main.parameters, 7'615'616'512);
  EXPECT_EQ(Summarize(ParsedConfig(Llama31ConfigJson())).main.parameters, 8'030'261'248);
}

TEST(Summary, OfATiedModelCountsTheTableOnceAndAsActive) {
  ModelConfig config = ParsedConfig(Qwen25ConfigJson());
  const ModelSummary untied = Summarize(config);
  config.tied_embeddings = true;
  const ModelSummary tied = Summarize(config);
  EXPECT_EQ(tied.main.parameters, untied.main.parameters - 152'064 * 3584);
  EXPECT_EQ(tied.active_parameters, untied.active_parameters);
}

TEST(Summary, LeavesOutWhatIsNotStored) {
  const ModelSummary summary = Summarize(
      ParsedConfig(DeepseekR1ConfigJson()),
      [](const TensorSpec& spec) { return spec.mtp ? std::nullopt : std::optional(spec.usual); });
  EXPECT_EQ(summary.mtp, ComponentSize());
  EXPECT_EQ(summary.main.parameters, 671'026'419'200);
}

}  // namespace
}  // namespace fathom
