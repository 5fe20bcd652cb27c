#ifndef FATHOM_SERVER_REFUSALS_H_
#define FATHOM_SERVER_REFUSALS_H_

#include <string>

#include "api/api_error.h"
#include "net/http_message.h"
#include "server/metrics.h"
#include "server/request_log.h"

namespace fathom {

// Where every request that is refused is written down, whoever refuses it: a line of the log and a
// count. Both outlive it. The line quotes nothing of a body, unless `log_text`. Threads: any.
class Refusals {
 public:
  Refusals(ServerLog& log, Metrics& metrics, bool log_text = false)
      : log_(log), metrics_(metrics), log_text_(log_text) {}

  // `id` is what the client is told as X-Request-Id.
  void Note(const std::string& id, const HttpRequest& request, const ApiError& error);

 private:
  ServerLog& log_;
  Metrics& metrics_;
  const bool log_text_;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_REFUSALS_H_
