#ifndef FATHOM_CLI_SERVE_KEYS_H_
#define FATHOM_CLI_SERVE_KEYS_H_

#include <string_view>

#include "base/result.h"
#include "cli/command.h"
#include "cli/serve_flags.h"
#include "server/api_keys.h"

namespace fathom {

// The keys that flags, file and environment name, and notes to the console: how many of each
// source, and what leaves the server open to more people than its owner may think. Errors: those of
// ApiKeys::Load.
Result<ApiKeys> LoadServeKeys(CommandContext& context, const ServeFlags& flags);

// True for a host whose address no other machine can reach.
bool IsLoopback(std::string_view host);

}  // namespace fathom

#endif  // FATHOM_CLI_SERVE_KEYS_H_
