#ifndef FATHOM_NET_PORT_HOLDER_H_
#define FATHOM_NET_PORT_HOLDER_H_

#include <cstdint>
#include <string>

namespace fathom {

// Who listens on a TCP port of this host, for a person: "process 1234 (python3)", several joined by
// ", ". Read from /proc/net/tcp, tcp6 and /proc/*/fd. Empty when nobody can be named: it belongs to
// another user, or to a container.
std::string PortHolder(uint16_t port);

}  // namespace fathom

#endif  // FATHOM_NET_PORT_HOLDER_H_
