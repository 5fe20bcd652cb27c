#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "net/http_options.h"
#include "net/http_server.h"
#include "net/raw_client_testing.h"
#include "net/server_testing.h"

namespace fathom {
namespace {

using ::testing::MatchesRegex;

HttpServerOptions On(std::string host, int64_t port = 0) {
  HttpServerOptions options;
  options.host = std::move(host);
  options.port = port;
  return options;
}

std::string ListenError(HttpServerOptions options) {
  const auto server = HttpServer::Listen(std::move(options), {Echo});
  return server.ok() ? "listens" : server.error().ToString();
}

// This process as /proc names it: "process 1234 (net_test)".
std::string ThisProcess() {
  std::string pid;
  std::ifstream("/proc/self/stat") >> pid;
  std::string name;
  std::getline(std::ifstream("/proc/self/comm"), name);
  return Format("process {} ({})", pid, name);
}

TEST(Listen, APortThatIsTakenNamesWhoHasIt) {
  const auto server = Serve(Echo);
  const int64_t port = server->port();
  EXPECT_EQ(ListenError(On("127.0.0.1", port)),
            Format("error: cannot listen on 127.0.0.1:{}: {} has this port\n"
                   "  fix: stop it, or choose another port (--port {})\n",
                   port, ThisProcess(), port == 65535 ? 8000 : port + 1));
}

TEST(Listen, HostsThatCannotBeListenedOnAreNamed) {
  EXPECT_EQ(
      ListenError(On("192.0.2.1", 8000)),
      "error: cannot listen on 192.0.2.1:8000: Cannot assign requested address\n"
      "  fix: use an address that this host has (`ip addr` lists them), or 0.0.0.0 for all\n");
  EXPECT_THAT(
      ListenError(On("no-such-host.invalid")),
      MatchesRegex("error: cannot listen on 'no-such-host.invalid': no address is known for "
                   "this name \\(.*\\)\n"
                   "  fix: name an address of this host, 0.0.0.0 for all, or a name of "
                   "/etc/hosts\n"));
}

TEST(Listen, AddressesAndNamesOfBothKindsWork) {
  struct Row {
    std::string host;
    std::string address;  // before ":<port>"
    std::vector<std::string> clients;
  };
  const bool has_ipv6 = HttpServer::Listen(On("::1"), {Echo}).ok();
  std::vector<Row> rows = {
      {"127.0.0.1", "http://127.0.0.1", {"127.0.0.1"}},
      {"0.0.0.0", "http://0.0.0.0", {"127.0.0.1"}},
      {"", "http://0.0.0.0", {"127.0.0.1"}},
      {"localhost", "http://localhost", {"127.0.0.1"}},
  };
  if (has_ipv6) {
    rows.push_back({"::1", "http://[::1]", {"::1"}});
    rows.push_back({"[::1]", "http://[::1]", {"::1"}});
    rows.push_back({"::", "http://[::]", {"::1", "127.0.0.1"}});
  }
  for (const Row& row : rows) {
    SCOPED_TRACE(row.host);
    const auto server = Serve(Echo, On(row.host));
    EXPECT_EQ(server->address(), Format("{}:{}", row.address, server->port()));
    for (const std::string& host : row.clients) {
      RawClient client(server->port(), host);
      client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
      EXPECT_EQ(client.ReadAnswer().body, "GET / []");
    }
  }
}

TEST(Listen, OptionsOutOfRangeAreRefusedWithTheRange) {
  HttpServerOptions options = AnyPort();
  options.port = 65536;
  EXPECT_EQ(ListenError(options),
            "error: port is 65536, allowed are 0 to 65535\n"
            "  fix: choose a value of this range\n");
  options = AnyPort();
  options.network_threads = 0;
  EXPECT_EQ(ListenError(options),
            "error: network_threads is 0, allowed are 1 to 64\n"
            "  fix: choose a value of this range\n");
}

TEST(Listen, ThePortIsFreeAgainAfterStopAccepting) {
  const auto server = Serve(Echo);
  const int64_t port = server->port();
  server->StopAccepting();
  EXPECT_EQ(ListenError(On("127.0.0.1", port)), "listens");
}

}  // namespace
}  // namespace fathom
