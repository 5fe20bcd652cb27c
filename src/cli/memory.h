#ifndef FATHOM_CLI_MEMORY_H_
#define FATHOM_CLI_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace fathom {

// Memory this process may still take without swapping, in bytes: what the kernel calls available,
// or less when a control group (container) allows less. None when the system does not say.
std::optional<int64_t> AvailableMemory();

// The value of "MemAvailable:" in the text of /proc/meminfo, in bytes.
std::optional<int64_t> ParseMemAvailable(std::string_view meminfo);

// kDoesNotFit, with the numbers, when `weights` + `cache` + 300 MB for everything else are more than
// `available`.
Status CheckFits(int64_t weights, int64_t cache, int64_t available);

}  // namespace fathom

#endif  // FATHOM_CLI_MEMORY_H_
