#include "cli/serve_keys.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/format.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/serve_flags.h"
#include "server/api_keys.h"

namespace fathom {
namespace {

// Ours goes before vLLM's; each holds all keys that the environment gives.
KeyVariable ReadEnvironment(Console& console) {
  const KeyVariable own{"FATHOM_API_KEY", std::getenv("FATHOM_API_KEY")};
  const KeyVariable other{"VLLM_API_KEY", std::getenv("VLLM_API_KEY")};
  if (own.value == nullptr) return other;
  if (other.value != nullptr) {
    console.Note("note: VLLM_API_KEY is not used, because FATHOM_API_KEY is set too\n");
  }
  return own;
}

bool OthersMayRead(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  return !error && fs::is_regular_file(status) &&
         (status.permissions() & fs::perms::others_read) != fs::perms::none;
}

}  // namespace

Result<ApiKeys> LoadServeKeys(CommandContext& context, const ServeFlags& flags) {
  Console& console = context.console;
  FATHOM_TRY(ApiKeys keys, ApiKeys::Load(flags.api_keys, flags.api_key_file, context.files,
                                         ReadEnvironment(console)));
  if (keys.required()) console.Note("requests need " + keys.Describe() + "\n");
  if (OthersMayRead(flags.api_key_file)) {
    console.Note(
        Format("warning: every user of this machine may read the keys in {}; chmod 600 "
               "keeps them out\n",
               flags.api_key_file));
  }
  if (!keys.required() && !IsLoopback(flags.server.http.host)) {
    console.Note(
        Format("warning: requests from other machines come in by {} and need no key; give "
               "--api-key-file, or leave --host out\n",
               flags.server.http.host));
  }
  return keys;
}

bool IsLoopback(std::string_view host) {
  const bool number = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "::1" || host == "[::1]" ||
         (number && host.starts_with("127."));
}

}  // namespace fathom
