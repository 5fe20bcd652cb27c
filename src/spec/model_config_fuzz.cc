#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "spec/generation_config.h"
#include "spec/model_config.h"
#include "spec/summary.h"

namespace {

// What the code that runs a model relies on.
void CheckConfig(const fathom::ModelConfig& config) {
  FATHOM_CHECK(config.mla.has_value() != config.gqa.has_value());
  FATHOM_CHECK(config.rope.dim > 0 && config.rope.dim % 2 == 0);
  FATHOM_CHECK(config.KvValuesPerToken() > 0);
  if (config.gqa) FATHOM_CHECK(config.heads % config.gqa->kv_heads == 0);
  if (!config.moe) return;
  FATHOM_CHECK(config.moe->routed_experts % config.moe->groups == 0);
  FATHOM_CHECK(config.moe->top_groups <= config.moe->groups);
  FATHOM_CHECK(config.moe->experts_per_token <=
               config.moe->top_groups * (config.moe->routed_experts / config.moe->groups));
}

}  // namespace

// A configuration that is accepted is consistent, and no size computed from it overflows (UBSan).
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto json =
      fathom::ParseJson(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!json.ok()) return 0;
  (void)fathom::ParseGenerationConfig(*json, "fuzz", 1000);
  const auto config = fathom::ParseModelConfig(*json, "fuzz");
  if (!config.ok()) {
    FATHOM_CHECK(config.error().kind == fathom::ErrorKind::kBadInput);
    return 0;
  }
  CheckConfig(*config);
  const bool quick = !config->moe || config->moe->routed_experts * config->layers < 1000;
  if (quick) FATHOM_CHECK(fathom::Summarize(*config).main.bytes > 0);
  return 0;
}
