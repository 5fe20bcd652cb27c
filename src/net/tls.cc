#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/context_base.hpp>
#include <boost/asio/ssl/verify_mode.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/result.h"
#include "io/file_system.h"

namespace fathom {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

std::unique_ptr<ssl::context> MakeContext(ssl::context::method method) {
  auto context = std::make_unique<ssl::context>(method);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  return context;
}

// What a file is for.
constexpr std::string_view kCertificate = "TLS certificate";
constexpr std::string_view kKey = "TLS private key";
constexpr std::string_view kAuthorities = "TLS authorities";

constexpr std::string_view kCertificateMark = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kKeyMark = "PRIVATE KEY-----";

Error NotUsable(std::string what, std::string_view role, const std::string& path, std::string fix) {
  return BadInput(std::move(what), std::string(role) + ": " + path, std::move(fix));
}

// What a file holds that is not what was looked for; not a word of it, as it may be secret.
std::string Described(std::string_view text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  if (text.empty()) return "nothing";
  const size_t mark = text.find(kBegin);
  if (mark != std::string_view::npos) {
    const std::string_view line = text.substr(mark, text.find_first_of("\r\n", mark) - mark);
    return Format("a PEM file of another kind ({})", line.substr(0, 60));
  }
  // SEQUENCE, whose length takes more bytes: what certificates and keys begin with in DER.
  if (text.size() > 1 && text[0] == '\x30' && (text[1] & '\x80') != 0) return "binary DER";
  return "text or data without any line of PEM";
}

std::string Conversion(std::string_view role) {
  const bool key = role == kKey;
  return Format(
      "name the right file; one in DER becomes PEM by openssl {} -inform der -in FILE "
      "-out FILE.pem, one in PKCS#12 by openssl pkcs12 {} -in FILE -out FILE.pem",
      key ? "pkey" : "x509", key ? "-nocerts -nodes" : "-nokeys");
}

// The text of a PEM file that has `mark`. `role` is what the file is for.
Result<std::string> ReadPem(const std::string& path, std::string_view role, std::string_view mark) {
  constexpr int64_t kLimit = 1 << 20;
  auto text = MakePosixFileSystem()->ReadText(path, kLimit);
  if (!text.ok()) return Within(std::string(role), std::move(text).error());
  if (text->find(mark) != std::string::npos) return text;
  return NotUsable(Format("expected a PEM file with a line {}, found {}", mark, Described(*text)),
                   role, path, Conversion(role));
}

Error BadCertificate(std::string_view role, const std::string& path, error_code error) {
  return NotUsable("its certificate cannot be read: " + error.message(), role, path,
                   "copy the file again, or have it made again");
}

Error BadKey(const std::string& path, error_code error, bool locked) {
  if (locked) {
    return NotUsable("is locked by a passphrase", kKey, path,
                     "unlock it into another file: openssl pkey -in KEY -out UNLOCKED");
  }
  if (ERR_GET_REASON(static_cast<unsigned long>(error.value())) == X509_R_KEY_VALUES_MISMATCH) {
    return NotUsable("does not belong to the certificate", kKey, path,
                     "name the key that the certificate was made for");
  }
  return NotUsable("its key cannot be read: " + error.message(), kKey, path,
                   "copy the file again, or have it made again");
}

}  // namespace

Result<std::unique_ptr<ssl::context>> ServerTls(const std::string& cert_file,
                                                const std::string& key_file) {
  FATHOM_TRY(const std::string chain, ReadPem(cert_file, kCertificate, kCertificateMark));
  FATHOM_TRY(const std::string key, ReadPem(key_file, kKey, kKeyMark));
  auto context = MakeContext(ssl::context::tls_server);
  error_code error;
  context->use_certificate_chain(boost::asio::buffer(chain), error);
  if (error) return BadCertificate(kCertificate, cert_file, error);
  // Without this OpenSSL would ask the terminal.
  bool locked = false;
  context->set_password_callback(
      [&locked](size_t /*most*/, ssl::context::password_purpose /*purpose*/) {
        locked = true;
        return std::string();
      },
      error);
  context->use_private_key(boost::asio::buffer(key), ssl::context::pem, error);
  const bool failed = static_cast<bool>(error);
  error_code ignored;
  context->set_password_callback(
      [](size_t, ssl::context::password_purpose) { return std::string(); }, ignored);
  if (failed) return BadKey(key_file, error, locked);
  return context;
}

Result<std::unique_ptr<ssl::context>> ClientTls(const std::string& ca_file) {
  auto context = MakeContext(ssl::context::tls_client);
  context->set_verify_mode(ssl::verify_peer);
  error_code error;
  if (ca_file.empty()) {
    context->set_default_verify_paths(error);
    if (!error) return context;
    return BadInput("the system's certificate authorities cannot be read: " + error.message(), "",
                    "install ca-certificates, or name a CA file");
  }
  FATHOM_TRY(const std::string authorities, ReadPem(ca_file, kAuthorities, kCertificateMark));
  context->add_certificate_authority(boost::asio::buffer(authorities), error);
  if (error) return BadCertificate(kAuthorities, ca_file, error);
  return context;
}

}  // namespace fathom
