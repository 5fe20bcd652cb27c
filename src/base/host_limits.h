#ifndef FATHOM_BASE_HOST_LIMITS_H_
#define FATHOM_BASE_HOST_LIMITS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace fathom {

// What this process may use of its host: what the machine has, or less where control groups
// (containers, systemd units, batch jobs) allow less. Both versions of them are asked, and every
// group from the process's own up to the root, since the tightest holds.

// The text of a file of /proc or /sys; empty when it is not there.
using KernelFiles = std::function<std::string(const std::string& path)>;
std::string ReadKernelFile(const std::string& path);

// Memory that may still be taken without swapping, in bytes: what the kernel calls available, or
// what the groups leave. Pages of files that a group holds (a model that was just downloaded) count
// as free: the kernel drops them when memory is asked for. A system that says nothing has no limit.
int64_t AvailableMemory(const KernelFiles& read = ReadKernelFile);

// CPUs that the groups' quotas grant, a part of one counted as one; none: no quota. The set of CPUs
// that may be run on is the affinity mask's matter.
std::optional<int> QuotaCpus(const KernelFiles& read = ReadKernelFile);

}  // namespace fathom

#endif  // FATHOM_BASE_HOST_LIMITS_H_
