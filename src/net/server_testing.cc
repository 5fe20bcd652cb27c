#include "net/server_testing.h"

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "net/http_message.h"
#include "net/http_options.h"
#include "net/http_reply.h"
#include "net/http_server.h"

namespace fathom {

HttpServerOptions AnyPort() {
  HttpServerOptions options;
  options.port = 0;
  return options;
}

std::unique_ptr<HttpServer> Serve(HttpHandler handler, HttpServerOptions options,
                                  const Clock* clock, HttpScreen screen) {
  auto server = HttpServer::Listen(std::move(options),
                                   {.handle = std::move(handler),
                                    .refuse =
                                        [](const HttpRefusal& refusal) {
                                          return HttpResponse{
                                              refusal.status,
                                              {},
                                              Format("{}: {}", refusal.status, refusal.message),
                                              "text/plain"};
                                        },
                                    .screen = std::move(screen)},
                                   clock);
  FATHOM_CHECK(server.ok());
  return std::move(server).value();
}

HttpResponse Text(std::string body) {
  return {.body = std::move(body), .content_type = "text/plain"};
}

void Echo(const HttpRequest& request, const HttpReply& reply) {
  const std::string query = request.query.empty() ? "" : "?" + request.query;
  reply.Send(Text(request.method + " " + request.path + query + " [" + request.body + "]"));
}

}  // namespace fathom
