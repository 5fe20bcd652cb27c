#include "base/host_limits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fathom {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// The files of a kernel: path -> text. The formats are those of the kernel's documentation,
// admin-guide/cgroup-v2.rst and admin-guide/cgroup-v1/memory.rst.
using Files = std::map<std::string, std::string>;

KernelFiles Reading(const Files& files) {
  return [&files](const std::string& path) {
    const auto at = files.find(path);
    return at == files.end() ? std::string() : at->second;
  };
}

constexpr const char* kMeminfo =
    "MemTotal:       24000 kB\nMemFree:           10 kB\nMemAvailable:   20000 kB\nCached: 5 kB\n";
constexpr int64_t kHost = 20000 * 1024;

struct Row {
  const char* name;
  Files files;
  int64_t memory;
  std::optional<int> cpus;
};

// NOLINTNEXTLINE(readability-function-size): data
std::vector<Row> Rows() {
  const std::string v2 = "/sys/fs/cgroup";
  const std::string v1 = "/sys/fs/cgroup/memory";
  const std::string cpu = "/sys/fs/cgroup/cpu";
  return {
      {"NothingIsSaid", {}, kNoLimit, {}},
      {"OnlyTheHost", {{"/proc/meminfo", kMeminfo}}, kHost, {}},
      {"MeminfoOfOldKernels", {{"/proc/meminfo", "MemTotal: 24000 kB\n"}}, kNoLimit, {}},
      {"MeminfoIsNotANumber", {{"/proc/meminfo", "MemAvailable: many\n"}}, kNoLimit, {}},
      {"Version2",
       {{"/proc/meminfo", kMeminfo},
        {"/proc/self/cgroup", "0::/\n"},
        {v2 + "/memory.max", "1000000\n"},
        {v2 + "/memory.current", "300000\n"},
        {v2 + "/memory.stat", "anon 300000\nfile 0\n"},
        {v2 + "/cpu.max", "150000 100000\n"}},
       700'000,
       2},
      {"Version2WithoutLimits",
       {{"/proc/meminfo", kMeminfo},
        {"/proc/self/cgroup", "0::/\n"},
        {v2 + "/memory.max", "max\n"},
        {v2 + "/memory.high", "max\n"},
        {v2 + "/memory.current", "300000\n"},
        {v2 + "/cpu.max", "max 100000\n"}},
       kHost,
       {}},
      {"TheHostHasLessThanTheGroup",
       {{"/proc/meminfo", "MemAvailable: 100 kB\n"},
        {"/proc/self/cgroup", "0::/\n"},
        {v2 + "/memory.max", "1000000\n"},
        {v2 + "/memory.current", "0\n"}},
       102'400,
       {}},
      // A download leaves the group full of pages that are dropped when memory is wanted; shared
      // memory is part of `file` and is not.
      {"PagesOfFilesAreFree",
       {{"/proc/self/cgroup", "0::/\n"},
        {v2 + "/memory.max", "1000000\n"},
        {v2 + "/memory.current", "990000\n"},
        {v2 + "/memory.stat",
         "anon 90000\nfile 900000\nshmem 100000\ninactive_anon 50000\nactive_anon 40000\n"
         "inactive_file 500000\nactive_file 300000\nunevictable 0\n"}},
       810'000,
       {}},
      {"NeverMoreThanTheLimit",  // the files are not read at one moment
       {{"/proc/self/cgroup", "0::/\n"},
        {v2 + "/memory.max", "1000000\n"},
        {v2 + "/memory.current", "100\n"},
        {v2 + "/memory.stat", "inactive_file 500\n"}},
       1'000'000,
       {}},
      {"OverTheLimitIsNothing",
       {{"/proc/self/cgroup", "0::/\n"},
        {v2 + "/memory.max", "1000\n"},
        {v2 + "/memory.current", "5000\n"}},
       0,
       {}},
      {"HighIsALimitToo",
       {{"/proc/self/cgroup", "0::/\n"},
        {v2 + "/memory.max", "max\n"},
        {v2 + "/memory.high", "1000\n"},
        {v2 + "/memory.current", "400\n"}},
       600,
       {}},
      {"TheTightestOfNestedGroups",
       {{"/proc/self/cgroup", "0::/jobs/job7/task\n"},
        {v2 + "/jobs/memory.max", "9000\n"},
        {v2 + "/jobs/memory.current", "8000\n"},
        {v2 + "/jobs/cpu.max", "800000 100000\n"},
        {v2 + "/jobs/job7/memory.max", "5000\n"},
        {v2 + "/jobs/job7/memory.current", "2000\n"},
        {v2 + "/jobs/job7/cpu.max", "300000 100000\n"},
        {v2 + "/jobs/job7/task/memory.max", "max\n"},
        {v2 + "/jobs/job7/task/memory.current", "2000\n"},
        {v2 + "/jobs/job7/task/cpu.max", "max 100000\n"}},
       1000,
       3},
      {"Version1",
       {{"/proc/meminfo", kMeminfo},
        {"/proc/self/cgroup", "4:memory:/\n3:cpuset:/\n1:cpu,cpuacct:/\n0::/\n"},
        {v1 + "/memory.limit_in_bytes", "1000000\n"},
        {v1 + "/memory.usage_in_bytes", "900000\n"},
        {v1 + "/memory.stat",
         "inactive_file 1\nactive_file 2\ntotal_inactive_file 300000\ntotal_active_file 100000\n"},
        {cpu + "/cpu.cfs_quota_us", "400000\n"},
        {cpu + "/cpu.cfs_period_us", "100000\n"}},
       500'000,
       4},
      {"Version1WithoutLimits",
       {{"/proc/meminfo", kMeminfo},
        {"/proc/self/cgroup", "4:memory:/\n1:cpu:/\n"},
        {v1 + "/memory.limit_in_bytes", "9223372036854771712\n"},
        {v1 + "/memory.usage_in_bytes", "900000\n"},
        {cpu + "/cpu.cfs_quota_us", "-1\n"},
        {cpu + "/cpu.cfs_period_us", "100000\n"}},
       kHost,
       {}},
      // Docker on version 1: the process reads the host's path and sees its own group as the root.
      {"Version1InsideAContainer",
       {{"/proc/self/cgroup", "4:memory:/docker/0123abcd\n1:cpu,cpuacct:/docker/0123abcd\n"},
        {v1 + "/memory.limit_in_bytes", "1000000\n"},
        {v1 + "/memory.usage_in_bytes", "600000\n"},
        {cpu + "/cpu.cfs_quota_us", "50000\n"},
        {cpu + "/cpu.cfs_period_us", "100000\n"}},
       400'000,
       1},
      {"Version1Nested",
       {{"/proc/self/cgroup", "4:memory:/system.slice/fathom.service\n"},
        {v1 + "/memory.limit_in_bytes", "9223372036854771712\n"},
        {v1 + "/memory.usage_in_bytes", "5000000\n"},
        {v1 + "/system.slice/memory.limit_in_bytes", "2000000\n"},
        {v1 + "/system.slice/memory.usage_in_bytes", "1900000\n"},
        {v1 + "/system.slice/memory.stat", "total_inactive_file 50000\n"},
        {v1 + "/system.slice/fathom.service/memory.limit_in_bytes", "1000000\n"},
        {v1 + "/system.slice/fathom.service/memory.usage_in_bytes", "200000\n"}},
       150'000,
       {}},
  };
}

TEST(HostLimits, AreTheTightestThatHostAndGroupsSet) {
  for (const Row& row : Rows()) {
    EXPECT_EQ(AvailableMemory(Reading(row.files)), row.memory) << row.name;
    EXPECT_EQ(QuotaCpus(Reading(row.files)), row.cpus) << row.name;
  }
}

TEST(HostLimits, OfThisMachineAreThere) {
  EXPECT_GT(AvailableMemory(), 0);
  EXPECT_GE(QuotaCpus().value_or(1), 1);
}

}  // namespace
}  // namespace fathom
