#include "sched/mindie_settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "sched/mindie_policy.h"
#include "sched/scheduler_config.h"

namespace fathom {
namespace {

constexpr int64_t kMostInput = 4'194'304;
constexpr std::string_view kFix =
    "correct it; docs/formats/mindie-scheduling.md has all keys and their limits";

// Every number that is read, as it stands in the file.
struct Values {
  int64_t max_seq_len = 2560;
  int64_t max_input_token_len = 2048;
  int64_t cache_block_size = 128;
  int64_t max_prefill_batch_size = 50;
  int64_t max_prefill_tokens = 8192;
  int64_t prefill_time_ms = 150;
  int64_t decode_time_ms = 50;
  int64_t prefill_policy_type = 0;
  int64_t decode_policy_type = 0;
  int64_t max_batch_size = 200;
  int64_t max_iter_times = 512;
  int64_t max_preempt_count = 0;
  int64_t max_queue_delay_us = 5000;
  int64_t max_first_token_wait_ms = 2500;
  int64_t stage_select_policy = 0;
  int64_t prefill_expected_ms = 1500;
  int64_t decode_expected_ms = 50;
};

struct NumberField {
  const char* key;
  int64_t Values::*member;
  int64_t low;
  int64_t high;
};

constexpr NumberField kDeployFields[] = {
    {"maxSeqLen", &Values::max_seq_len, 1, 4'294'967'295},
    {"maxInputTokenLen", &Values::max_input_token_len, 1, kMostInput},
};

constexpr NumberField kScheduleFields[] = {
    {"cacheBlockSize", &Values::cache_block_size, 16, 128},
    {"maxPrefillBatchSize", &Values::max_prefill_batch_size, 0, 819'200},
    {"maxPrefillTokens", &Values::max_prefill_tokens, 1, kMostInput},
    {"prefillTimeMsPerReq", &Values::prefill_time_ms, 0, 1000},
    {"decodeTimeMsPerReq", &Values::decode_time_ms, 0, 1000},
    {"prefillPolicyType", &Values::prefill_policy_type, 0, 0},
    {"decodePolicyType", &Values::decode_policy_type, 0, 0},
    {"maxBatchSize", &Values::max_batch_size, 1, 819'200},
    {"maxIterTimes", &Values::max_iter_times, 1, 4'294'967'295},
    {"maxPreemptCount", &Values::max_preempt_count, 0, 819'200},
    {"maxQueueDelayMicroseconds", &Values::max_queue_delay_us, 500, 1'000'000},
    {"maxFirstTokenWaitTime", &Values::max_first_token_wait_ms, 0, 3'600'000},
    {"stageSelectPolicy", &Values::stage_select_policy, 0, 2},
    {"prefillExpectedTime", &Values::prefill_expected_ms, 1, 10'000},
    {"decodeExpectedTime", &Values::decode_expected_ms, 1, 10'000},
};

constexpr std::string_view kOtherFields[] = {"templateType", "supportSelectBatch",
                                             "dynamicBatchSizeEnable"};

// Known to MindIE, without effect here.
constexpr std::string_view kUnusedFields[] = {"templateName",
                                              "maxN",
                                              "policyType",
                                              "maxNumPartialPrefills",
                                              "maxLongPartialPrefills",
                                              "longPrefillTokenThreshold",
                                              "prefillChunkSize",
                                              "splitType",
                                              "splitStartType",
                                              "splitChunkTokens",
                                              "splitStartBatchSize",
                                              "bufferResponseEnabled",
                                              "distributedEnable",
                                              "enableSplit",
                                              "enablePrefixCache"};

bool IsOneOf(std::string_view key, std::span<const std::string_view> keys) {
  return std::ranges::count(keys, key) > 0;
}

bool IsNumberField(std::string_view key, std::span<const NumberField> fields) {
  return std::ranges::any_of(fields, [&](const NumberField& field) { return key == field.key; });
}

Status ReadNumbers(const JsonReader& reader, std::span<const NumberField> fields, Values& values) {
  for (const NumberField& field : fields) {
    int64_t& value = values.*field.member;
    FATHOM_TRY(value, reader.IntOr(field.key, value, field.low, field.high));
  }
  return Ok();
}

// `also` are the keys that may stand here beside those of ScheduleConfig.
Status CheckKeys(const JsonReader& schedule, std::span<const NumberField> also,
                 std::vector<std::string>& notes) {
  for (const auto& [key, value] : schedule.value().as_object()) {
    if (IsNumberField(key, kScheduleFields) || IsNumberField(key, also)) continue;
    if (IsOneOf(key, kOtherFields)) continue;
    if (!IsOneOf(key, kUnusedFields)) {
      Error error = schedule.Wrong(Format("the key '{}' is none of MindIE's ScheduleConfig", key));
      error.fix = "those with an effect are " + MindieKeys();
      return error;
    }
    notes.push_back(Format("{} is not used", key));
  }
  return Ok();
}

// A number as it was given, or its default.
struct Given {
  const JsonReader& reader;
  std::string_view key;
  int64_t value;

  bool is_default() const { return !reader.Has(key); }
  std::string Describe() const {
    return Format("{} {}{}", key, value, is_default() ? " (its default)" : "");
  }
};

// a <= b, or an error that names both, and which of them nobody chose.
Status AtMost(const Given& a, const Given& b) {
  if (a.value <= b.value) return Ok();
  Error error = b.reader.Wrong(Format("{} is more than {}", a.Describe(), b.Describe()));
  if (a.is_default()) {
    error.fix = Format("give {} too, at most {}", a.key, b.value);
  } else if (b.is_default()) {
    error.fix = Format("give {} too, at least {}", b.key, a.value);
  }
  return error;
}

Status CheckTogether(const JsonReader& deploy, const JsonReader& schedule, const Values& values,
                     bool mix) {
  if (values.cache_block_size % 16 != 0) {
    return schedule.Wrong(
        Format("cacheBlockSize is {}, expected a multiple of 16", values.cache_block_size));
  }
  const Given batch{schedule, "maxBatchSize", values.max_batch_size};
  FATHOM_OK(AtMost({schedule, "maxPrefillBatchSize", values.max_prefill_batch_size}, batch));
  FATHOM_OK(AtMost({schedule, "maxPreemptCount", values.max_preempt_count}, batch));
  FATHOM_OK(AtMost({schedule, "maxIterTimes", values.max_iter_times},
                   {deploy, "maxSeqLen", values.max_seq_len}));
  if (mix) return Ok();
  return AtMost({deploy, "maxInputTokenLen", values.max_input_token_len},
                {schedule, "maxPrefillTokens", values.max_prefill_tokens});
}

MindieSizes SizesOf(const Values& values) {
  return {.max_seq_len = values.max_seq_len,
          .max_input_token_len = values.max_input_token_len,
          .max_iter_times = values.max_iter_times,
          .max_prefill_tokens = values.max_prefill_tokens,
          .max_batch_size = values.max_batch_size,
          .max_prefill_batch_size = values.max_prefill_batch_size};
}

// What MindIE makes of sizes without a word.
MindieSizes Fit(const MindieSizes& asked, bool mix) {
  MindieSizes sizes = asked;
  if (asked.max_prefill_batch_size == 0) sizes.max_prefill_batch_size = asked.max_batch_size;
  sizes.max_input_token_len = std::min(asked.max_input_token_len, asked.max_seq_len - 1);
  const int64_t longest =
      std::min(asked.max_seq_len, sizes.max_input_token_len + asked.max_iter_times);
  if (!mix) sizes.max_prefill_tokens = std::max(asked.max_prefill_tokens, longest);
  sizes.max_batch_size = std::min(asked.max_batch_size, sizes.max_prefill_tokens);
  sizes.max_prefill_batch_size = std::min(sizes.max_prefill_batch_size, sizes.max_batch_size);
  return sizes;
}

void NoteFit(const MindieSizes& asked, const MindieSizes& fitted, std::vector<std::string>& notes) {
  if (asked.max_prefill_batch_size == 0) {
    notes.push_back(
        Format("maxPrefillBatchSize 0 stands for maxBatchSize {}", asked.max_batch_size));
  }
  if (fitted.max_input_token_len < asked.max_input_token_len) {
    notes.push_back(Format("maxInputTokenLen {} is cut to maxSeqLen - 1 = {}",
                           asked.max_input_token_len, fitted.max_input_token_len));
  }
  if (fitted.max_prefill_tokens > asked.max_prefill_tokens) {
    notes.push_back(Format(
        "maxPrefillTokens {} is raised to {}, the least of maxSeqLen {} and maxInputTokenLen {} + "
        "maxIterTimes {}: what was generated is computed again after a preemption",
        asked.max_prefill_tokens, fitted.max_prefill_tokens, fitted.max_seq_len,
        fitted.max_input_token_len, fitted.max_iter_times));
  }
  if (fitted.max_batch_size < asked.max_batch_size) {
    notes.push_back(Format("maxBatchSize {} is cut to maxPrefillTokens {}", asked.max_batch_size,
                           fitted.max_batch_size));
  }
}

void Take(const MindieSizes& sizes, MindieSettings& settings) {
  MindiePolicy& policy = settings.policy;
  policy.max_seq_len = sizes.max_seq_len;
  policy.max_prefill_tokens = sizes.max_prefill_tokens;
  policy.max_batch_size = sizes.max_batch_size;
  policy.max_prefill_batch_size = sizes.max_prefill_batch_size;
  settings.max_input_token_len = sizes.max_input_token_len;
  settings.max_iter_times = sizes.max_iter_times;
}

MindieSettings SettingsFrom(const Values& values) {
  MindieSettings settings;
  MindiePolicy& policy = settings.policy;
  policy.stage_select_policy = values.stage_select_policy;
  policy.prefill_ms_per_req = values.prefill_time_ms;
  policy.decode_ms_per_req = values.decode_time_ms;
  policy.max_queue_delay_s = static_cast<double>(values.max_queue_delay_us) / 1e6;
  policy.max_preempt_count = values.max_preempt_count;
  policy.max_first_token_wait_s = static_cast<double>(values.max_first_token_wait_ms) / 1e3;
  policy.prefill_expected_s = static_cast<double>(values.prefill_expected_ms) / 1e3;
  policy.decode_expected_s = static_cast<double>(values.decode_expected_ms) / 1e3;
  settings.cache_block_size = values.cache_block_size;
  return settings;
}

Result<bool> ReadMix(const JsonReader& schedule) {
  FATHOM_TRY(const std::string type, schedule.StringOr("templateType", "Standard"));
  if (type == "Standard" || type == "Mix") return type == "Mix";
  return schedule.Mismatch("templateType", "\"Standard\" or \"Mix\"");
}

Result<MindieSettings> Read(const JsonReader& deploy, const JsonReader& schedule,
                            std::span<const NumberField> also) {
  std::vector<std::string> notes;
  FATHOM_OK(CheckKeys(schedule, also, notes));
  Values values;
  FATHOM_OK(ReadNumbers(deploy, kDeployFields, values));
  FATHOM_OK(ReadNumbers(schedule, kScheduleFields, values));
  FATHOM_TRY(const bool mix, ReadMix(schedule));
  FATHOM_TRY(const bool select_batch, schedule.BoolOr("supportSelectBatch", false));
  FATHOM_TRY(const bool dynamic, schedule.BoolOr("dynamicBatchSizeEnable", false));
  FATHOM_OK(CheckTogether(deploy, schedule, values, mix));
  if (values.max_seq_len < 2) {
    return deploy.Wrong("maxSeqLen is 1: a prompt of one token leaves no room for an answer");
  }
  if (select_batch && values.stage_select_policy != 1) {
    notes.push_back(Format("supportSelectBatch sets stageSelectPolicy to 1 (it was {})",
                           values.stage_select_policy));
    values.stage_select_policy = 1;
  }
  MindieSettings settings = SettingsFrom(values);
  settings.asked = SizesOf(values);
  const MindieSizes fitted = Fit(settings.asked, mix);
  NoteFit(settings.asked, fitted, notes);
  Take(fitted, settings);
  settings.mix = mix;
  settings.policy.dynamic_batch_size = dynamic;
  settings.notes = std::move(notes);
  return settings;
}

// VALUE as JSON would have it; what is no number and no truth value is text.
Json ValueOf(std::string_view text) {
  const Result<Json> json = ParseJson(text, "");
  return json.ok() && !json->is_string() ? *json : Json(text);
}

// A part of the file that MindIE itself does not start without.
Result<JsonReader> Part(const JsonReader& whole, std::string_view key) {
  if (!whole.value().is_object()) return whole.Mismatch("", "an object");
  if (!whole.Has(key)) {
    Error error = whole.Wrong(Format("{} is missing", key));
    error.where += Format("{}/{}", error.where.find(": /") == std::string::npos ? ": " : "", key);
    error.fix = "add it, {} for MindIE's defaults, or give single values with --schedule KEY=VALUE";
    return error;
  }
  return whole.Object(key);
}

}  // namespace

std::string MindieKeys() {
  std::string keys;
  const auto add = [&keys](std::string_view key) {
    keys += keys.empty() ? "" : ", ";
    keys += key;
  };
  for (const NumberField& field : kDeployFields) add(field.key);
  for (const NumberField& field : kScheduleFields) add(field.key);
  for (const std::string_view key : kOtherFields) add(key);
  return keys;
}

int64_t MindieSettings::MostInputTokens() const {
  return std::min(max_input_token_len, policy.max_seq_len - 1);
}

std::string CutToModel(int64_t positions, MindieSettings& settings) {
  const MindiePolicy before = settings.policy;
  if (before.max_seq_len <= positions) return "";
  MindieSizes asked = settings.asked;
  asked.max_seq_len = positions;
  Take(Fit(asked, settings.mix), settings);
  std::string note =
      Format("maxSeqLen {} is cut to the model's {} positions", before.max_seq_len, positions);
  const auto add = [&note](std::string_view key, int64_t was, int64_t is) {
    if (is != was) note += Format(", {} {} to {}", key, was, is);
  };
  add("maxPrefillTokens", before.max_prefill_tokens, settings.policy.max_prefill_tokens);
  add("maxBatchSize", before.max_batch_size, settings.policy.max_batch_size);
  return note;
}

Status CheckSwap(const MindieSettings& settings, int64_t swap_bytes) {
  const int64_t count = settings.policy.max_preempt_count;
  if (count > 0 && swap_bytes == 0) {
    return BadInput(Format("maxPreemptCount is {}, and there is no memory to swap to", count), "",
                    "give it with --swap-space (MindIE: cpuMemSize), or set maxPreemptCount to 0");
  }
  // Mix is a policy of ours that swaps whenever there is memory to.
  if (count == 0 && swap_bytes > 0 && !settings.mix) {
    return BadInput(
        Format("the {} bytes of --swap-space would never be used: maxPreemptCount is 0",
               swap_bytes),
        "", "set maxPreemptCount, the most requests swapped out in one step, or leave it out");
  }
  return Ok();
}

Result<MindieSettings> ReadMindieConfig(std::string_view text, std::string_view file) {
  const JsonSource source(file, kFix);
  FATHOM_TRY(const Json json, ParseJson(text, source));
  const JsonReader root(json, source);
  FATHOM_TRY(const JsonReader backend, Part(root, "BackendConfig"));
  FATHOM_TRY(const JsonReader deploy, Part(backend, "ModelDeployConfig"));
  FATHOM_TRY(const JsonReader schedule, Part(backend, "ScheduleConfig"));
  return Read(deploy, schedule, {});
}

Result<MindieSettings> ReadMindiePairs(std::span<const std::string> pairs,
                                       std::string_view source) {
  Json json = Json::MakeObject();
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return BadInput(Format("'{}' is no KEY=VALUE", pair), std::string(source),
                      "write it like maxBatchSize=200");
    }
    const std::string key = pair.substr(0, equals);
    if (json.Find(key) != nullptr) {
      return BadInput(Format("{} is given twice", key), std::string(source), "give it once");
    }
    json.Set(key, ValueOf(std::string_view(pair).substr(equals + 1)));
  }
  const JsonReader reader(json, JsonSource(source, kFix));
  return Read(reader, reader, kDeployFields);
}

void Apply(const MindieSettings& settings, SchedulerConfig& config) {
  config.policy = settings.mix ? Policy::kChunked : Policy::kMindie;
  config.mindie = settings.policy;
  config.block_tokens = settings.cache_block_size;
  config.max_batched_tokens =
      settings.mix ? settings.policy.max_prefill_tokens : settings.policy.TokenBudget();
  config.max_sequences = settings.policy.max_batch_size;
}

}  // namespace fathom
