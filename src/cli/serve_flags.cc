#include "cli/serve_flags.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/reasoning_field.h"
#include "base/format.h"
#include "base/result.h"
#include "cli/byte_count.h"
#include "cli/command_line.h"

namespace fathom {
namespace {

Status ReadBytes(const CommandLine& line, const std::string& flag, const std::string& text,
                 int64_t& bytes) {
  if (!line.Given(flag)) return Ok();
  const std::optional<int64_t> read = ParseByteCount(text);
  if (!read) {
    return line.Usage(Format("{} is '{}'", flag, text),
                      "give bytes, or a number with K, M, G or T: 8G");
  }
  bytes = *read;
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
  line.AddList("--served-model-name", served_names, "NAME",
               "Name of the model in requests and answers; may be repeated (default: its folder)");
  line.AddList("--api-key", api_keys, "KEY",
               "Key that requests must have (Authorization: Bearer KEY); may be repeated");
  line.Add("--api-key-file", api_key_file, "FILE", "Keys, one a line; others cannot see them");
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
  line.Add("--max-num-seqs", max_num_seqs, "N", "Most requests computed at once (default 64)");
  line.Add("--max-queue", server.serving.max_queue, "N",
           "Most requests that wait beside them; more get 429 (default 1024)");
  line.Add("--kv-cache-memory", kv_cache_memory, "BYTES",
           "Memory of the KV cache: 8G (default: what is wanted, at most what is left)");
  line.Add("--memory-limit", memory_limit, "BYTES",
           "Most memory the program may take (default: what the machine has free)");
  line.Add("--max-body-bytes", server.http.max_body_bytes, "N",
           "Largest body of a request (default 33554432)");
  line.Add("--max-connections", server.http.max_connections, "N",
           "Most connections open at once (default 4096)");
  line.Add("--step-timeout", server.step_timeout_s, "SECONDS",
           "A step of the engine that takes longer is reported as stuck (default 120)");
  line.Add("--drain-timeout", drain_timeout, "SECONDS",
           "After SIGTERM, time for running requests to finish (default 60)");
  line.AddSwitch("--skip-self-test", skip_self_test, "Do not let the model answer before serving");
  line.AddSwitch("--log-text", log_text, "Have the text of prompts in the log");
  line.AddSwitch("--metrics-need-key", server.metrics_need_key, "Ask for a key at /metrics too");
  run.Declare(line);
}

Status ServeFlags::Check(const CommandLine& line) {
  if (line.Given("MODEL") && model.empty()) {
    return line.Usage("MODEL is empty", "name a folder, or leave it out for the demo model");
  }
  if (max_num_seqs < 1) {
    return line.Usage(Format("--max-num-seqs must be at least 1, found {}", max_num_seqs));
  }
  if (server.serving.max_queue < 0) {
    return line.Usage(Format("--max-queue must be at least 0, found {}", server.serving.max_queue));
  }
  for (const auto& [flag, seconds] :
       {std::pair("--drain-timeout", drain_timeout), {"--step-timeout", server.step_timeout_s}}) {
    if (seconds < 0 || seconds > 86400) {
      return line.Usage(Format("{} must be 0 to 86400 seconds, found {}", flag, seconds));
    }
  }
  for (const std::string& name : served_names) {
    if (name.empty()) return line.Usage("--served-model-name is empty");
  }
  FATHOM_OK(ReadBytes(line, "--kv-cache-memory", kv_cache_memory, kv_cache_bytes));
  FATHOM_OK(ReadBytes(line, "--memory-limit", memory_limit, memory_bytes));
  FATHOM_TRY([[maybe_unused]] const ReasoningField field, ParseReasoningField(reasoning_field));
  if (server.cors.allowed_origins.empty()) server.cors.allowed_origins = {"*"};
  return run.Check(line);
}

}  // namespace fathom
