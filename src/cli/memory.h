#ifndef FATHOM_CLI_MEMORY_H_
#define FATHOM_CLI_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom {

// Memory this process may still take without swapping, in bytes: what the kernel calls available,
// or less when a control group (container) allows less. A system that does not say has no limit.
int64_t AvailableMemory();

// The value of "MemAvailable:" in the text of /proc/meminfo, in bytes.
std::optional<int64_t> ParseMemAvailable(std::string_view meminfo);

}  // namespace fathom

#endif  // FATHOM_CLI_MEMORY_H_
