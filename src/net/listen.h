#ifndef FATHOM_NET_LISTEN_H_
#define FATHOM_NET_LISTEN_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace fathom {

// Listening sockets on each address that `host` stands for, all with the same port: an address
// ("10.0.0.7", "::", "[::1]"), a name ("localhost": both 127.0.0.1 and ::1), or "" for 0.0.0.0.
// "::" takes IPv4 too. Of a name's addresses those that this host does not have are left out if
// there are others. Port 0 takes any that is free.
//
// Errors (kBadInput) name address and port, and the process that has it where that may be seen.
Result<std::vector<boost::asio::ip::tcp::acceptor>> ListenOn(boost::asio::io_context& io,
                                                             const std::string& host,
                                                             uint16_t port);

}  // namespace fathom

#endif  // FATHOM_NET_LISTEN_H_
