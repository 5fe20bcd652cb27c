#include "base/host_limits.h"

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
#include <vector>

namespace fathom {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Takes the text up to `separator` off the front of `text`.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

// The number a text begins with, blanks before it skipped; none for "max".
std::optional<int64_t> LeadingNumber(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// The number after `key` in a text of lines "<key> <number>".
std::optional<int64_t> NumberOf(std::string_view key, std::string_view text) {
  while (!text.empty()) {
    std::string_view line = TakeUntil(text, '\n');
    if (TakeUntil(line, ' ') == key) return LeadingNumber(line);
  }
  return std::nullopt;
}

bool HasWord(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (TakeUntil(list, ',') == word) return true;
  }
  return false;
}

// The process's group in a hierarchy, from /proc/self/cgroup: lines "<id>:<controllers>:<path>".
// The one of version 2 has the id 0 and no controllers.
std::optional<std::string_view> GroupPath(std::string_view groups, std::string_view controller) {
  while (!groups.empty()) {
    std::string_view line = TakeUntil(groups, '\n');
    const std::string_view id = TakeUntil(line, ':');
    const std::string_view controllers = TakeUntil(line, ':');
    const bool found =
        controller.empty() ? id == "0" && controllers.empty() : HasWord(controllers, controller);
    if (found) return line;
  }
  return std::nullopt;
}

// The folders of a group and of those around it, innermost first. Inside a container the path may
// be the host's and not be there; the container's own group is then the root that it sees.
std::vector<std::string> FoldersUpwards(const std::string& root, std::string_view path) {
  std::vector<std::string> folders;
  while (path.size() > 1) {
    folders.push_back(root + std::string(path));
    path = path.substr(0, path.rfind('/'));
  }
  folders.push_back(root);
  return folders;
}

// The folders of version 1 (`controller` named) or 2 (empty).
std::vector<std::string> GroupFolders(const KernelFiles& read, const std::string& controller) {
  const std::string groups = read("/proc/self/cgroup");
  const auto path = GroupPath(groups, controller);
  if (!path) return {};
  const std::string root = "/sys/fs/cgroup";
  return FoldersUpwards(controller.empty() ? root : root + "/" + controller, *path);
}

int64_t Room(int64_t limit, int64_t used, int64_t files) {
  return std::clamp<int64_t>(limit - (used - files), 0, limit);
}

int64_t FilePages(const std::string& stat, const std::string& prefix) {
  return NumberOf(prefix + "inactive_file", stat).value_or(0) +
         NumberOf(prefix + "active_file", stat).value_or(0);
}

// Past memory.high a process is slowed to a crawl, past memory.max it is ended.
int64_t MemoryRoomV2(const KernelFiles& read, const std::string& folder) {
  const int64_t limit = std::min(LeadingNumber(read(folder + "/memory.max")).value_or(kNoLimit),
                                 LeadingNumber(read(folder + "/memory.high")).value_or(kNoLimit));
  const auto used = LeadingNumber(read(folder + "/memory.current"));
  if (limit == kNoLimit || !used) return kNoLimit;
  return Room(limit, *used, FilePages(read(folder + "/memory.stat"), ""));
}

// Use counts the groups inside, so the pages of files have to as well: "total_".
int64_t MemoryRoomV1(const KernelFiles& read, const std::string& folder) {
  const auto limit = LeadingNumber(read(folder + "/memory.limit_in_bytes"));
  const auto used = LeadingNumber(read(folder + "/memory.usage_in_bytes"));
  if (!limit || !used) return kNoLimit;
  return Room(*limit, *used, FilePages(read(folder + "/memory.stat"), "total_"));
}

int64_t HostMemory(const KernelFiles& read) {
  const auto kib = NumberOf("MemAvailable:", read("/proc/meminfo"));
  return kib ? *kib * 1024 : kNoLimit;
}

std::optional<int> Cpus(std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<int>((*quota - 1) / *period + 1);
}

// "<quota> <period>" or "max <period>", in microseconds.
std::optional<int> CpusV2(const KernelFiles& read, const std::string& folder) {
  const std::string text = read(folder + "/cpu.max");
  std::string_view rest = text;
  const std::string_view quota = TakeUntil(rest, ' ');
  return Cpus(LeadingNumber(quota), LeadingNumber(rest));
}

// A quota of -1 is none.
std::optional<int> CpusV1(const KernelFiles& read, const std::string& folder) {
  return Cpus(LeadingNumber(read(folder + "/cpu.cfs_quota_us")),
              LeadingNumber(read(folder + "/cpu.cfs_period_us")));
}

std::optional<int> Fewer(std::optional<int> a, std::optional<int> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

}  // namespace

std::string ReadKernelFile(const std::string& path) {
  std::ifstream file(path);  // to its end: these files report no size
  return {std::istreambuf_iterator<char>(file), {}};
}

int64_t AvailableMemory(const KernelFiles& read) {
  int64_t room = HostMemory(read);
  for (const auto& folder : GroupFolders(read, ""))
    room = std::min(room, MemoryRoomV2(read, folder));
  for (const auto& folder : GroupFolders(read, "memory")) {
    room = std::min(room, MemoryRoomV1(read, folder));
  }
  return room;
}

std::optional<int> QuotaCpus(const KernelFiles& read) {
  std::optional<int> cpus;
  for (const auto& folder : GroupFolders(read, "")) cpus = Fewer(cpus, CpusV2(read, folder));
  for (const auto& folder : GroupFolders(read, "cpu")) cpus = Fewer(cpus, CpusV1(read, folder));
  return cpus;
}

}  // namespace fathom
