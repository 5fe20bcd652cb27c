#include "net/port_holder.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/format.h"
#include "base/host_limits.h"

namespace fathom {
namespace {

namespace fs = std::filesystem;

// What /proc/<pid>/fd/<n> of the listening sockets leads to: "socket:[12345]". The columns are
// those of proc(5), net/tcp: local address in hexadecimal, state 0A for LISTEN, inode the tenth.
std::set<std::string> ListeningSockets(uint16_t port) {
  std::set<std::string> sockets;
  const std::string ending = Format(":{:04X}", port);
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::istringstream lines(ReadKernelFile(table));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> columns;
      for (std::string word; words >> word;) columns.push_back(word);
      if (columns.size() < 10 || columns[3] != "0A" || !columns[1].ends_with(ending)) continue;
      sockets.insert("socket:[" + columns[9] + "]");
    }
  }
  return sockets;
}

bool Holds(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code error;
  for (fs::directory_iterator fd(process / "fd", error), end; !error && fd != end;
       fd.increment(error)) {
    std::error_code unreadable;
    if (sockets.contains(fs::read_symlink(fd->path(), unreadable).string())) return true;
  }
  return false;
}

std::string Describe(const fs::path& process) {
  std::string name = ReadKernelFile((process / "comm").string());
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return Format("process {} ({})", process.filename().string(), name);
}

}  // namespace

std::string PortHolder(uint16_t port) {
  const std::set<std::string> sockets = ListeningSockets(port);
  std::string holders;
  if (sockets.empty()) return holders;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string pid = entry->path().filename().string();
    const bool process =
        std::all_of(pid.begin(), pid.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!process || !Holds(entry->path(), sockets)) continue;
    holders += (holders.empty() ? "" : ", ") + Describe(entry->path());
  }
  return holders;
}

}  // namespace fathom
