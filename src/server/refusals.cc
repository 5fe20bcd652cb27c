#include "server/refusals.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/api_error.h"
#include "base/format.h"
#include "base/json.h"
#include "net/http_message.h"

namespace fathom {

namespace {

// A key that a client made up is its text; those of the protocol are made of these characters.
std::string WithoutOddKeys(const std::string& param) {
  constexpr std::string_view kOfFields =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.[]";
  const size_t odd = param.find_first_not_of(kOfFields);
  if (odd == std::string::npos) return param;
  const size_t end = param.find_last_of('.', odd);
  return end == std::string::npos ? "..." : param.substr(0, end) + "...";
}

}  // namespace

void Refusals::Note(const std::string& id, const HttpRequest& request, const ApiError& error) {
  metrics_.refused.Add(error.status);
  Json::Object fields = {{"id", id},
                         {"method", Shortened(request.method)},
                         {"path", Shortened(request.path)},
                         {"client", request.peer},
                         {"status", error.status},
                         {"code", error.name()}};
  if (!error.param.empty()) {
    fields.emplace_back("param", log_text_ ? error.param : WithoutOddKeys(error.param));
  }
  const bool whole = log_text_ || error.log_message.empty();
  fields.emplace_back("message", whole ? error.message : error.log_message);
  log_.Info("refused", std::move(fields));
}

}  // namespace fathom
