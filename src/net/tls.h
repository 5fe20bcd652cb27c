#ifndef FATHOM_NET_TLS_H_
#define FATHOM_NET_TLS_H_

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "base/result.h"

namespace fathom {

// What a server needs to speak TLS 1.2 and 1.3. Errors (kBadInput) name the file and why it cannot
// be used: it cannot be read, holds no PEM, is locked by a passphrase, or the two do not belong
// together.
Result<std::unique_ptr<boost::asio::ssl::context>> ServerTls(const std::string& cert_file,
                                                             const std::string& key_file);

// What a client needs. An empty `ca_file` takes the system's certificate authorities. Errors
// (kBadInput) as above.
Result<std::unique_ptr<boost::asio::ssl::context>> ClientTls(const std::string& ca_file);

}  // namespace fathom

#endif  // FATHOM_NET_TLS_H_
