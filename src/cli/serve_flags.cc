#include "cli/serve_flags.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/reasoning_field.h"
#include "base/format.h"
#include "base/result.h"
#include "cli/byte_count.h"
#include "cli/command_line.h"
#include "net/http_options.h"
#include "sched/mindie_settings.h"

namespace fathom {
namespace {

Status ReadBytes(const CommandLine& line, const std::string& flag, const std::string& text,
                 int64_t& bytes) {
  if (!line.Given(flag)) return Ok();
  const std::optional<int64_t> read = ParseByteCount(text);
  if (!read) {
    return line.Usage(Format("{} is '{}'", flag, text),
                      "give bytes, 1 or more, or a number with K, M, G or T: 8G");
  }
  bytes = *read;
  return Ok();
}

// With MindIE's parameters these sizes are theirs: of two values one would be passed over.
Status CheckMindieSizes(const CommandLine& line) {
  const struct {
    const char* flag;
    const char* key;
  } sizes[] = {{"--max-num-seqs", "maxBatchSize"},
               {"--max-num-batched-tokens", "maxPrefillTokens"},
               {"--max-model-len", "maxSeqLen"}};
  for (const auto& size : sizes) {
    if (!line.Given(size.flag)) continue;
    return line.Usage(Format("{} does not go with MindIE's parameters", size.flag),
                      Format("say it in their words: --schedule {}=N, or {} in --mindie-config",
                             size.key, size.key));
  }
  return Ok();
}

// The flags have the options' names, with dashes.
Status CheckHttp(const CommandLine& line, const HttpServerOptions& http) {
  if (const auto fault = FindOptionFault(http)) {
    std::string flag = "--" + std::string(fault->name);
    std::ranges::replace(flag, '_', '-');
    return line.Usage(
        Format("{} must be {} to {}, found {}", flag, fault->low, fault->high, fault->value));
  }
  if (!line.Given("--max-total-body-bytes") || http.max_total_body_bytes >= http.max_body_bytes) {
    return Ok();
  }
  return line.Usage(Format("--max-total-body-bytes is {}, less than one body may have (--max-body-"
                           "bytes {})",
                           http.max_total_body_bytes, http.max_body_bytes),
                    "raise it, or lower --max-body-bytes");
}

bool IsControl(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

// Most of all that of keys: with an empty name of their file the server would be open.
Status CheckFiles(const CommandLine& line, const ServeFlags& flags) {
  const struct {
    const char* flag;
    const std::string& file;
  } files[] = {{"--api-key-file", flags.api_key_file},
               {"--ssl-certfile", flags.server.http.tls_cert_file},
               {"--ssl-keyfile", flags.server.http.tls_key_file},
               {"--chat-template", flags.chat_template},
               {"--mindie-config", flags.mindie_config},
               {"--explain-schedule", flags.explain_schedule}};
  for (const auto& [flag, file] : files) {
    if (!line.Given(flag) || !file.empty()) continue;
    return line.Usage(Format("{} is empty", flag), "name a file, or leave it out");
  }
  return Ok();
}

Status CheckNames(const CommandLine& line, const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const std::string& name : names) {
    if (name.empty()) return line.Usage("--served-model-name is empty");
    if (name.find(',') != std::string::npos) {
      return line.Usage(Format("--served-model-name is '{}', and a name has no comma", name),
                        "give the flag once for each name");
    }
    if (std::ranges::any_of(name, IsControl)) {
      return line.Usage("--served-model-name has a line break or another control character",
                        "a name is one line of text");
    }
    if (known.insert(name).second) continue;
    return line.Usage(Format("--served-model-name is '{}' twice", name), "give each name once");
  }
  return Ok();
}

}  // namespace

ServeFlags::ServeFlags() {
  server.http.port = 8000;
  run.max_num_batched_tokens = 512;
}

void ServeFlags::Declare(CommandLine& line) {
  line.Positional("MODEL", model, "Folder of a checkpoint (default: the bundled demo model)");
  line.Add("--host", server.http.host, "ADDRESS",
           "Address to listen on; 0.0.0.0 or :: for all (default 127.0.0.1)");
  line.Add("--port", server.http.port, "N", "Port to listen on; 0: any free one (default 8000)");
  line.AddList(
      "--served-model-name", served_names, "NAME",
      "Name of the model in requests and answers; may be repeated (default: its folder's)");
  line.AddList("--api-key", api_keys, "KEY",
               "Key that requests must have (Authorization: Bearer KEY); may be repeated. "
               "FATHOM_API_KEY of the environment, or without it VLLM_API_KEY, counts too");
  line.Add(
      "--api-key-file", api_key_file, "FILE",
      "Keys, one a line, in a file that only you may read; a key of the command line is seen by "
      "every user of the machine");
  line.Add("--ssl-certfile", server.http.tls_cert_file, "FILE", "Certificate chain (PEM): TLS");
  line.Add("--ssl-keyfile", server.http.tls_key_file, "FILE",
           "The certificate's private key (PEM)");
  line.AddList("--allowed-origins", server.cors.allowed_origins, "ORIGIN",
               "Origin whose pages may call the server, or * (default: *); may be repeated");
  line.AddChoice("--reasoning-field", reasoning_field,
                 {"reasoning_content", "reasoning", "both", "inline"},
                 "Where a chat's answer has its reasoning (default reasoning_content)");
  line.Add("--chat-template", chat_template, "FILE",
           "Jinja template to use in place of the checkpoint's");
  DeclareLimits(line);
  run.Declare(line);
}

void ServeFlags::DeclareLimits(CommandLine& line) {
  line.Add("--max-num-seqs", max_num_seqs, "N", "Most requests computed at once (default 64)");
  line.Add("--max-queue", server.serving.max_queue, "N",
           "Most requests that wait beside them; more get 429 (default 1024)");
  line.AddSwitch("--allow-priority", allow_priority,
                 "Heed `priority` of requests, for clients that are trusted: it goes before the "
                 "fairness between them (default: ignored)");
  line.Add("--kv-cache-memory", kv_cache_memory, "BYTES",
           "Memory of the KV cache: 8G (default: what is wanted, at most what is left)");
  line.Add("--swap-space", swap_space, "BYTES",
           "Memory beside it for requests that lose their cache to others (default 0)");
  line.AddSwitch("--no-enable-prefix-caching", no_prefix_caching,
                 "Compute prompts that begin alike each for itself");
  line.AddChoice("--schedule-policy", schedule_policy, {"chunked", "fcfs", "mindie"},
                 "How prompts and decoding share the steps (default chunked)");
  line.Add("--mindie-config", mindie_config, "FILE",
           "A MindIE config.json: schedule as its ScheduleConfig says");
  line.AddList("--schedule", schedule, "KEY=VALUE",
               "One of MindIE's scheduling parameters, as maxPrefillTokens=8192; may be repeated. "
               "KEY is one of " +
                   MindieKeys());
  line.Add("--explain-schedule", explain_schedule, "FILE",
           "Append a line of JSON for each step: what was computed, and why");
  line.Add(
      "--memory-limit", memory_limit, "BYTES",
      "Most memory for weights, cache and steps (default: what the machine has free); bodies and\n"
      "answers of requests have limits of their own");
  line.Add("--max-body-bytes", server.http.max_body_bytes, "N",
           "Largest body of a request (default 33554432)");
  line.Add("--max-total-body-bytes", server.http.max_total_body_bytes, "N",
           "Most bytes that the bodies of all requests may take while they are read; more get 503 "
           "(default 268435456, or one of --max-body-bytes if that is more)");
  line.Add("--max-answer-bytes", server.serving.max_answer_bytes, "N",
           "Most memory for answers that are not streamed and have log-probabilities or token ids, "
           "of all together (default 1073741824)");
  line.Add("--max-connections", server.http.max_connections, "N",
           "Most connections open at once; beyond them only health and metrics are answered "
           "(default 2048)");
  line.Add("--step-timeout", server.step_timeout_s, "SECONDS",
           "A step of the engine that takes longer is reported as stuck (default 120)");
  line.Add("--drain-timeout", drain_timeout, "SECONDS",
           "After SIGTERM, time for running requests to finish (default 60)");
  line.AddSwitch("--skip-self-test", skip_self_test, "Do not let the model answer before serving");
  line.AddSwitch("--log-text", log_text, "Have the text of prompts in the log");
  line.AddSwitch("--metrics-need-key", server.metrics_need_key, "Ask for a key at /metrics too");
}

Status ServeFlags::Check(const CommandLine& line) {
  if (line.Given("MODEL") && model.empty()) {
    return line.Usage("MODEL is empty", "name a folder, or leave it out for the demo model");
  }
  if (server.http.host.empty()) {
    return line.Usage("--host is empty", "name an address, or leave it out for 127.0.0.1");
  }
  FATHOM_OK(CheckFiles(line, *this));
  if (server.http.tls_cert_file.empty() != server.http.tls_key_file.empty()) {
    return line.Usage("TLS needs both --ssl-certfile and --ssl-keyfile, and only one is given");
  }
  const struct {
    const char* flag;
    int64_t value, low, high;
  } ranges[] = {{"--max-num-seqs", max_num_seqs, 1, 1 << 20},
                {"--max-queue", server.serving.max_queue, 0, 1 << 20},
                {"--max-answer-bytes", server.serving.max_answer_bytes, 1, int64_t{1} << 40}};
  for (const auto& range : ranges) {
    if (range.value >= range.low && range.value <= range.high) continue;
    return line.Usage(
        Format("{} must be {} to {}, found {}", range.flag, range.low, range.high, range.value));
  }
  FATHOM_OK(CheckHttp(line, server.http));
  for (const std::string& origin : server.cors.allowed_origins) {
    if (origin == "*" || origin.find("://") != std::string::npos) continue;
    return line.Usage(Format("--allowed-origins is '{}', which no browser sends", origin),
                      "give scheme and host, as https://chat.example, or *");
  }
  for (const auto& [flag, seconds] :
       {std::pair("--drain-timeout", drain_timeout), {"--step-timeout", server.step_timeout_s}}) {
    if (seconds < 0 || seconds > 86400) {
      return line.Usage(Format("{} must be 0 to 86400 seconds, found {}", flag, seconds));
    }
  }
  if (server.step_timeout_s == 0) {
    return line.Usage("--step-timeout is 0, and every step takes longer",
                      "give seconds, or leave it out");
  }
  FATHOM_OK(CheckNames(line, served_names));
  FATHOM_OK(ReadBytes(line, "--kv-cache-memory", kv_cache_memory, kv_cache_bytes));
  FATHOM_OK(ReadBytes(line, "--memory-limit", memory_limit, memory_bytes));
  FATHOM_OK(ReadBytes(line, "--swap-space", swap_space, swap_bytes));
  const bool has_mindie = !mindie_config.empty() || !schedule.empty();
  if (has_mindie && line.Given("--schedule-policy") && schedule_policy != "mindie") {
    return line.Usage(
        Format("--schedule-policy {} does not go with MindIE's parameters", schedule_policy),
        "leave it out, or leave out --mindie-config and --schedule");
  }
  if (!mindie_config.empty() && !schedule.empty()) {
    return line.Usage("--mindie-config and --schedule exclude each other",
                      "write the value into the file, or give all as --schedule");
  }
  if (has_mindie) schedule_policy = "mindie";
  if (schedule_policy == "mindie") FATHOM_OK(CheckMindieSizes(line));
  FATHOM_TRY([[maybe_unused]] const ReasoningField field, ParseReasoningField(reasoning_field));
  if (server.cors.allowed_origins.empty()) server.cors.allowed_origins = {"*"};
  return run.Check(line);
}

}  // namespace fathom
