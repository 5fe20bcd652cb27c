#ifndef FATHOM_NET_CERTIFICATE_TESTING_H_
#define FATHOM_NET_CERTIFICATE_TESTING_H_

#include <string>

namespace fathom {

// A certificate that signs itself, for localhost, 127.0.0.1 and ::1, and its private key; both PEM,
// valid for a day. Each call makes new ones.
struct TestCertificate {
  std::string certificate;
  std::string key;
  std::string locked_key;  // the same behind the passphrase "secret"
};
TestCertificate MakeTestCertificate();

}  // namespace fathom

#endif  // FATHOM_NET_CERTIFICATE_TESTING_H_
