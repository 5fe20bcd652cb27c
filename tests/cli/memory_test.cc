// The promise about memory: while it runs, the program takes at most its weights as they are
// stored, the cache, and 300 MB.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/json.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"
#include "weights/checkpoint_testing.h"

namespace fathom {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kShadowed = true;
#else
constexpr bool kShadowed = false;
#endif

constexpr int64_t kPromised = 300'000'000;  // beside weights and cache

// 32 experts a layer and 576 cached values a token as in DeepSeek-V3; more than 300 MB of weights,
// so that a second copy of them breaks the promise.
constexpr std::string_view kConfig = R"({
  "architectures": ["DeepseekV3ForCausalLM"], "eos_token_id": 1, "torch_dtype": "bfloat16",
  "hidden_size": 1024, "num_hidden_layers": 4, "vocab_size": 32000, "intermediate_size": 2048,
  "max_position_embeddings": 4096, "rms_norm_eps": 1e-6, "num_attention_heads": 8,
  "q_lora_rank": 512, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
  "v_head_dim": 128, "first_k_dense_replace": 1, "moe_intermediate_size": 1024,
  "n_routed_experts": 32, "n_shared_experts": 1, "num_experts_per_tok": 2, "n_group": 4,
  "topk_group": 2, "norm_topk_prob": true, "routed_scaling_factor": 2.5, "scoring_func": "sigmoid",
  "topk_method": "noaux_tc",
  "quantization_config": {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
                          "weight_block_size": [128, 128]}})";

Json ReadJson(const std::string& path) {
  std::ifstream file(path);
  return ParseJson(std::string(std::istreambuf_iterator<char>(file), {}), path).value();
}

// "0,1,2,..."
std::string Ids(int64_t count) {
  std::string ids = "0";
  for (int64_t id = 1; id < count; ++id) ids += Format(",{}", id);
  return ids;
}

// One sequence in bfloat16: by hand, from the configuration of a model with MLA.
int64_t CacheBytes(const Json& config, int64_t tokens) {
  const int64_t values =
      config.Find("kv_lora_rank")->as_int() + config.Find("qk_rope_head_dim")->as_int();
  return config.Find("num_hidden_layers")->as_int() * values * 2 * tokens;
}

struct Measured {
  int64_t weights = 0, cache = 0, peak = 0;
  int64_t beside() const { return peak - weights - cache; }
};

// One full step of a prompt, more of it, and some tokens after it.
Measured Measure(const std::string& model) {
  constexpr int64_t kContext = 1024;
  const Outcome inspect = RunFathom({"inspect", model, "--json"});
  EXPECT_EQ(inspect.exit_code, 0) << inspect.err;
  const Outcome run =
      RunFathom({"run", model, "--prompt-ids", Ids(600), "--max-tokens", "8", "--ignore-eos",
                 "--temperature", "0", "--max-model-len", std::to_string(kContext)});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  Measured measured;
  measured.weights = ParseJson(inspect.out, "output").value().Find("bytes")->as_int();
  measured.cache = CacheBytes(ReadJson(model + "/config.json"), kContext);
  measured.peak = run.peak_bytes;
  std::cout << Format("weights {}, cache {}, peak {}: {} beside them\n",
                      WithCommas(measured.weights), WithCommas(measured.cache),
                      WithCommas(measured.peak), WithCommas(measured.beside()));
  return measured;
}

// Weights are read from holes of files, so they are zeros: they take the same memory, and gigabytes
// need neither be made nor written.
TEST(Memory, ARunTakesItsWeightsItsCacheAndLittleElse) {
  if (kShadowed) GTEST_SKIP() << "the sanitizer's own memory counts";
  const ScratchFolder folder;
  WriteHeaderOnlyCheckpoint(folder / "model", kConfig, int64_t{1} << 30);
  const Measured measured = Measure(folder / "model");
  ASSERT_GT(measured.weights, kPromised + kPromised / 4);  // a second copy would be seen
  EXPECT_GT(measured.peak, measured.weights);              // and they were all loaded
  EXPECT_LE(measured.beside(), kPromised);
}

// The same on a model of one's own, with MLA and without MTP layers.
TEST(Memory, ARunOfTheNamedModelTakesItsWeightsItsCacheAndLittleElse) {
  const char* model = std::getenv("FATHOM_BENCH_MODEL");
  if (kShadowed || model == nullptr) GTEST_SKIP() << "FATHOM_BENCH_MODEL=DIR names a model";
  const Measured measured = Measure(model);
  EXPECT_GT(measured.peak, measured.weights);
  EXPECT_LE(measured.beside(), kPromised);
}

}  // namespace
}  // namespace fathom
