#include "net/listen.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "net/port_holder.h"
#include "net/url.h"

namespace fathom {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string InUse(uint16_t port) {
  const std::string holder = PortHolder(port);
  return holder.empty() ? "another process has this port (which one may not be seen from here)"
                        : holder + " has this port";
}

std::string FixFor(error_code error, uint16_t port) {
  if (error == asio::error::address_in_use) {
    return Format("stop it, or choose another port (--port {})", port < 65535 ? port + 1 : 8000);
  }
  if (error == asio::error::access_denied) {
    return "choose a port above 1023, or give the program the right to lower ones (setcap "
           "cap_net_bind_service=+ep)";
  }
  return "use an address that this host has (`ip addr` lists them), or 0.0.0.0 for all";
}

Error CannotListen(const std::string& host, uint16_t port, error_code error) {
  const std::string why = error == asio::error::address_in_use ? InUse(port) : error.message();
  return BadInput(Format("cannot listen on {}: {}", HostAndPort(host, port), why), "",
                  FixFor(error, port));
}

bool NotOfThisHost(error_code error) {
  return error == error_code(EADDRNOTAVAIL, boost::system::system_category()) ||
         error == asio::error::address_family_not_supported;
}

error_code Open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return error;
  acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (endpoint.address().is_v6()) {
    const bool every = endpoint.address().is_unspecified();
    acceptor.set_option(asio::ip::v6_only(!every), error);
  }
  acceptor.bind(endpoint, error);
  if (error) return error;
  acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

Result<std::vector<asio::ip::address>> Resolve(asio::io_context& io, const std::string& host) {
  error_code error;
  const asio::ip::address literal = asio::ip::make_address(host, error);
  if (!error) return std::vector<asio::ip::address>{literal};
  tcp::resolver resolver(io);
  std::vector<asio::ip::address> addresses;
  for (const auto& entry : resolver.resolve(host, "", tcp::resolver::passive, error)) {
    const asio::ip::address address = entry.endpoint().address();
    if (std::find(addresses.begin(), addresses.end(), address) == addresses.end()) {
      addresses.push_back(address);
    }
  }
  if (!error && !addresses.empty()) return addresses;
  return BadInput(Format("cannot listen on '{}': no address is known for this name ({})", host,
                         error.message()),
                  "", "name an address of this host, 0.0.0.0 for all, or a name of /etc/hosts");
}

std::string WithoutBrackets(const std::string& host) {
  if (host.empty()) return "0.0.0.0";
  return host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

Result<std::vector<tcp::acceptor>> ListenOn(asio::io_context& io, const std::string& host,
                                            uint16_t port) {
  FATHOM_TRY(const std::vector<asio::ip::address> addresses, Resolve(io, WithoutBrackets(host)));
  std::vector<tcp::acceptor> acceptors;
  std::optional<Error> left_out;
  for (const asio::ip::address& address : addresses) {
    tcp::acceptor acceptor(io);
    const error_code error = Open(acceptor, {address, port});
    if (error) {
      Error refused = CannotListen(address.to_string(), port, error);
      if (!NotOfThisHost(error)) return refused;
      left_out = std::move(refused);
      continue;
    }
    port = acceptor.local_endpoint().port();
    acceptors.push_back(std::move(acceptor));
  }
  if (acceptors.empty()) return *std::move(left_out);
  return acceptors;
}

}  // namespace fathom
