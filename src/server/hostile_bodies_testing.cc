#include "server/hostile_bodies_testing.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "net/raw_client_testing.h"
#include "server/server.h"
#include "server/test_server_testing.h"

namespace fathom {
namespace {

// A JSON list of the same item.
std::string Repeated(const std::string& item, int count) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) list += ',';
    list += item;
  }
  return list + "]";
}

std::string BiasOfAll(int ids) {
  std::string object = "{";
  for (int i = 0; i < ids; ++i) object += Format("{}\"{}\":1", i > 0 ? "," : "", i);
  return object + "}";
}

}  // namespace

std::vector<HostileBody> HostileBodies() {
  return {
      {"deep", R"({"prompt":)" + std::string(100000, '[') + std::string(100000, ']') + "}", 400},
      {"many lists", R"({"prompt":)" + Repeated("[]", 4000000) + "}", 400},
      {"many members", R"({"prompt":"a","metadata":)" + BiasOfAll(1 << 20) + "}", 400},
      {"many digits", R"({"prompt":"a","n":)" + std::string(8 << 20, '7') + "}", 400},
      {"long key", "{\"" + std::string(8 << 20, 'k') + "\":1e999}", 400},
      {"cut", R"({"prompt":"hel)", 400},
      {"not UTF-8", "{\"prompt\":\"a\xff\"}", 400},
      {"lone surrogate", R"({"prompt":"\ud800"})", 400},
      {"NaN", R"({"prompt":"a","temperature":NaN})", 400},
      {"infinite", R"({"prompt":"a","temperature":1e999})", 400},
      {"negative", R"({"prompt":"a","max_tokens":-5})", 400},
      {"huge", R"({"prompt":"a","max_tokens":99999999999999999999})", 400},
      {"many", R"({"prompt":"a","n":1000000})", 400},
      {"many answers to many prompts",
       "{\"n\":128,\"prompt\":" + Repeated("\"" + std::string(1000, 'a') + "\"", 1024) + "}", 400},
      {"biases for many answers",
       "{\"n\":128,\"prompt\":\"a\",\"logit_bias\":" + BiasOfAll(2000) + "}", 400},
      {"stop ids for many answers",
       "{\"n\":128,\"prompt\":\"a\",\"stop_token_ids\":" + Repeated("7", 100000) + "}", 400},
      {"stop text for many answers",
       "{\"n\":128,\"prompt\":\"a\",\"stop\":\"" + std::string(8 << 20, 'b') + "\"}", 400},
      {"id too large", R"({"prompt":[0,280]})", 400},
      {"id negative", R"({"prompt":[-1]})", 400},
      {"id huge", R"({"prompt":[4294967296]})", 400},
      {"bias", R"({"prompt":"a","logit_bias":{"999":1}})", 400},
      {"schema of unknown type",
       R"({"prompt":"a","response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"wat"}}}})",
       400},
      {"long prompt", R"({"prompt":")" + std::string(10 << 20, 'a') + "\"}", 400},
      {"body over the limit", std::string(13 << 20, ' '), 413},
      {"twice", R"({"prompt":"a","prompt":"b"})", 400},
      {"array", "[]", 400},
  };
}

std::unique_ptr<RawClient> PostCompletion(TestServer& server, std::string_view body) {
  auto client = std::make_unique<RawClient>(server.server().port());
  client->Send(Format("POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n",
                      body.size()));
  client->Send(body);
  return client;
}

}  // namespace fathom
