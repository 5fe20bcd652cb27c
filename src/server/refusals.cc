#include "server/refusals.h"

#include <string>
#include <utility>

#include "api/api_error.h"
#include "base/format.h"
#include "base/json.h"
#include "net/http_message.h"

namespace fathom {

void Refusals::Note(const std::string& id, const HttpRequest& request, const ApiError& error) {
  metrics_.refused.Add(error.status);
  Json::Object fields = {{"id", id},
                         {"method", Shortened(request.method)},
                         {"path", Shortened(request.path)},
                         {"client", request.peer},
                         {"status", error.status},
                         {"code", error.name()}};
  if (!error.param.empty()) fields.emplace_back("param", error.param);
  fields.emplace_back("message", error.message);
  log_.Info("refused", std::move(fields));
}

}  // namespace fathom
