#include "net/open_files.h"

#include <sys/resource.h>

#include <cstdint>
#include <system_error>

#include "base/format.h"
#include "base/result.h"

namespace fathom {

Status AllowOpenFiles(int64_t connections, int64_t others) {
  rlimit limit{};
  const int64_t count = connections + others;
  const auto wanted = static_cast<rlim_t>(count);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return Ok();
  const rlim_t most = limit.rlim_max;
  limit.rlim_cur = wanted;
  if (wanted <= most && setrlimit(RLIMIT_NOFILE, &limit) == 0) return Ok();
  const int64_t fitting = static_cast<int64_t>(most) - others;
  return DoesNotFit(
      Format("{} open files are needed, for {} connections and {} beside them, and this process "
             "may have {}",
             count, connections, others, most),
      "",
      Format("allow more files (`ulimit -n {}`, LimitNOFILE= of systemd){}", count,
             fitting < 1 ? "" : Format(", or give --max-connections {}", fitting)));
}

Error NoEventQueue(const std::error_code& refused) {
  return DoesNotFit("the system gives no queue for the events of sockets: " + refused.message(), "",
                    "allow more open files (`ulimit -n`), or have fewer open");
}

}  // namespace fathom
