#ifndef FATHOM_SERVER_HOSTILE_BODIES_TESTING_H_
#define FATHOM_SERVER_HOSTILE_BODIES_TESTING_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/raw_client_testing.h"
#include "server/test_server_testing.h"

namespace fathom {

// A body of POST /v1/completions that would harm a server that believes it.
struct HostileBody {
  std::string name, body;
  int status;  // of the answer
};

// For a server of kSmallBodies.
inline const TestServer::Options kSmallBodies = {.server = {.http = {.max_body_bytes = 12 << 20}}};
std::vector<HostileBody> HostileBodies();

// Sends it on a connection of its own.
std::unique_ptr<RawClient> PostCompletion(TestServer& server, std::string_view body);

}  // namespace fathom

#endif  // FATHOM_SERVER_HOSTILE_BODIES_TESTING_H_
