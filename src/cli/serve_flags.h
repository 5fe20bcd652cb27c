#ifndef FATHOM_CLI_SERVE_FLAGS_H_
#define FATHOM_CLI_SERVE_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/model_flags.h"
#include "server/server.h"

namespace fathom {

// The command line of `fathom serve`.
struct ServeFlags {
  std::string model;  // empty: the demo
  std::string chat_template;
  std::vector<std::string> served_names;
  std::vector<std::string> api_keys;
  std::string api_key_file;
  std::string reasoning_field = "reasoning_content";
  std::string schedule_policy = "chunked";
  std::vector<std::string> schedule;
  std::string mindie_config, explain_schedule;
  bool no_prefix_caching = false;
  std::string kv_cache_memory, memory_limit, swap_space;
  int64_t max_num_seqs = 64;
  double drain_timeout = 60;
  bool skip_self_test = false;
  bool log_text = false;
  bool allow_priority = false;
  ServerOptions server;
  ModelFlags run;

  ServeFlags();

  void Declare(CommandLine& line);
  // Errors (kBadInput): values that no server could have.
  Status Check(const CommandLine& line);

  int64_t kv_cache_bytes = 0;  // of --kv-cache-memory; 0: not given
  int64_t memory_bytes = 0;    // of --memory-limit; 0: not given
  int64_t swap_bytes = 0;

 private:
  void DeclareLimits(CommandLine& line);
};

}  // namespace fathom

#endif  // FATHOM_CLI_SERVE_FLAGS_H_
