#include "cli/model_flags.h"

#include <string>

#include "base/format.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "cli/command_line.h"
#include "ops/compute.h"
#include "spec/model_config.h"
#include "spec/weight_format.h"
#include "tensor/dtype.h"

namespace fathom {

std::string ContextLength::Fix() const {
  if (max_model_len < model_positions) return "shorten it, or raise --max-model-len";
  return Format("shorten it: {} tokens are the most that the model has positions for",
                model_positions);
}

void ModelFlags::Declare(CommandLine& line) {
  line.AddChoice("--dtype", dtype, {"auto", "float32", "bfloat16"},
                 "Precision of activations; auto: as the checkpoint says (default)");
  line.AddChoice("--kv-cache-dtype", kv_cache_dtype, {"auto", "float32", "bfloat16"},
                 "Precision of the KV cache; auto: as the activations (default)");
  line.AddChoice("--weights", weights, WeightFormatNames(),
                 "What linear weights are held as; auto: as they are stored (default); w8a8:\n"
                 "8 bits, as are the activations of their products");
  line.Add("--threads", threads, "N", "Threads to compute with (default: the CPUs there are)");
  line.Add("--max-model-len", max_model_len, "N",
           "Most tokens of prompt and answer together (default: the model's, or what fits)");
  line.Add("--max-num-batched-tokens", max_num_batched_tokens, "N",
           "Most tokens computed in one step (default 512)");
}

Status ModelFlags::Check(const CommandLine& line) const {
  if (line.Given("--threads") && (threads < 1 || threads > 4096)) {
    return line.Usage(Format("--threads must be 1 to 4096, found {}", threads));
  }
  if (line.Given("--max-model-len") && max_model_len < 2) {
    return line.Usage(Format("--max-model-len must be at least 2, found {}", max_model_len));
  }
  if (max_num_batched_tokens < 1 || max_num_batched_tokens > 65536) {
    return line.Usage(
        Format("--max-num-batched-tokens must be 1 to 65536, found {}", max_num_batched_tokens));
  }
  return Ok();
}

Activations ModelFlags::ActivationsFor(const ModelConfig& config) const {
  const bool wide = dtype == "float32" || (dtype == "auto" && config.dtype != DType::kBF16);
  return wide ? Activations::kFloat32 : Activations::kBfloat16;
}

DType ModelFlags::KvDtypeFor(const ModelConfig& config) const {
  if (kv_cache_dtype == "float32") return DType::kF32;
  if (kv_cache_dtype == "bfloat16") return DType::kBF16;
  return ActivationsFor(config) == Activations::kFloat32 ? DType::kF32 : DType::kBF16;
}

WeightFormat ModelFlags::Weights() const { return *ParseWeightFormat(weights); }

int ModelFlags::ThreadCount() const { return threads > 0 ? threads : ThreadPool::AvailableCpus(); }

}  // namespace fathom
