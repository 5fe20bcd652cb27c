#include "net/open_files.h"

#include <sys/resource.h>

#include <cstdint>
#include <system_error>

#include "base/format.h"
#include "base/result.h"

namespace fathom {

Status AllowOpenFiles(int64_t count) {
  rlimit limit{};
  const auto wanted = static_cast<rlim_t>(count);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return Ok();
  const rlim_t most = limit.rlim_max;
  limit.rlim_cur = wanted;
  if (wanted <= most && setrlimit(RLIMIT_NOFILE, &limit) == 0) return Ok();
  return DoesNotFit(
      Format("{} open files are needed, and this process may have {}", count, most), "",
      Format("allow more files (`ulimit -n {}`, LimitNOFILE= of systemd), or fewer connections "
             "(--max-connections)",
             count));
}

Error NoEventQueue(const std::error_code& refused) {
  return DoesNotFit("the system gives no queue for the events of sockets: " + refused.message(), "",
                    "allow more open files (`ulimit -n`), or have fewer open");
}

}  // namespace fathom
