#include "cli/memory.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/format.h"

namespace fathom {
namespace {

constexpr int64_t kWorkingBytes = 300'000'000;

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

std::optional<int64_t> AvailableMemory() {
  auto available = ParseMemAvailable(ReadKernelFile("/proc/meminfo"));
  const auto group = ControlGroupRoom();
  if (available && group) available = std::min(*available, *group);
  return available ? available : group;
}

Status CheckFits(int64_t weights, int64_t cache, int64_t available) {
  const int64_t needed = weights + cache + kWorkingBytes;
  if (needed <= available) return Ok();
  Error error{Format("{} of memory are needed, {} are available: weights {}, KV cache {}, the rest {}",
                     HumanBytes(needed), HumanBytes(available), HumanBytes(weights),
                     HumanBytes(cache), HumanBytes(kWorkingBytes)),
              "", "use a machine with more memory, a smaller --max-model-len or a smaller model",
              ErrorKind::kDoesNotFit};
  return error;
}

}  // namespace fathom
