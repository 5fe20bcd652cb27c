#ifndef FATHOM_SPEC_CONFIG_TESTING_H_
#define FATHOM_SPEC_CONFIG_TESTING_H_

#include <string_view>

#include "spec/model_config.h"

namespace fathom {

// Parses a config.json that is known to be good (CHECK).
ModelConfig ParsedConfig(std::string_view config_json);

// config.json of published models.
std::string_view DeepseekR1ConfigJson();
std::string_view DeepseekV2ConfigJson();
std::string_view DeepseekV2LiteConfigJson();
std::string_view Qwen25ConfigJson();   // Qwen2.5-7B-Instruct
std::string_view Llama31ConfigJson();  // Llama-3.1-8B-Instruct

// Small configurations of each architecture, for tests that need some model; keys as published.
std::string_view TinyDeepseekV3ConfigJson();  // FP8 blocks, q LoRA, 4 groups, MTP layer
std::string_view TinyDeepseekV2ConfigJson();  // V2-Lite: no q LoRA, greedy, BF16
std::string_view TinyQwen2ConfigJson();       // tied embeddings, q/k/v bias
std::string_view TinyLlamaConfigJson();       // llama3 rope, explicit head_dim

}  // namespace fathom

#endif  // FATHOM_SPEC_CONFIG_TESTING_H_
