#ifndef FATHOM_NET_SERVER_TESTING_H_
#define FATHOM_NET_SERVER_TESTING_H_

#include <memory>
#include <string>

#include "base/clock.h"
#include "net/http_message.h"
#include "net/http_options.h"
#include "net/http_reply.h"
#include "net/http_server.h"

namespace fathom {

// Options for 127.0.0.1 on any free port.
HttpServerOptions AnyPort();

// A server that listens (CHECK). Its own errors have the body "<status>: <message>".
std::unique_ptr<HttpServer> Serve(HttpHandler handler, HttpServerOptions options = AnyPort(),
                                  const Clock* clock = nullptr, HttpScreen screen = {});

// An answer of status 200 and type text/plain.
HttpResponse Text(std::string body);

// A handler that says what it was asked: "GET /a b?x=1 [body]".
void Echo(const HttpRequest& request, const HttpReply& reply);

}  // namespace fathom

#endif  // FATHOM_NET_SERVER_TESTING_H_
