#include "cli/memory.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace fathom {
namespace {

// The number a text begins with, spaces before it skipped.
std::optional<int64_t> LeadingNumber(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// Files of /proc and /sys report no size, so they are read to their end.
std::string ReadKernelFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<int64_t> ControlGroupRoom() {
  const auto limit = LeadingNumber(ReadKernelFile("/sys/fs/cgroup/memory.max"));
  const auto used = LeadingNumber(ReadKernelFile("/sys/fs/cgroup/memory.current"));
  if (!limit || !used) return std::nullopt;
  return std::max<int64_t>(0, *limit - *used);
}

}  // namespace

std::optional<int64_t> ParseMemAvailable(std::string_view meminfo) {
  constexpr std::string_view kKey = "MemAvailable:";
  const size_t at = meminfo.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  const auto kib = LeadingNumber(meminfo.substr(at + kKey.size()));
  if (!kib) return std::nullopt;
  return *kib * 1024;
}

int64_t AvailableMemory() {
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  const auto available = ParseMemAvailable(ReadKernelFile("/proc/meminfo"));
  return std::min(available.value_or(kNoLimit), ControlGroupRoom().value_or(kNoLimit));
}

}  // namespace fathom
