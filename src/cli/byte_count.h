#ifndef FATHOM_CLI_BYTE_COUNT_H_
#define FATHOM_CLI_BYTE_COUNT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom {

// "4096", "8G", "1.5GiB", "512m": a number, and one of K, M, G, T (binary units), which "iB" or "B"
// may follow; any case. None: it is nothing of the kind, is not above 0, or does not fit 63 bits.
std::optional<int64_t> ParseByteCount(std::string_view text);

}  // namespace fathom

#endif  // FATHOM_CLI_BYTE_COUNT_H_
