#include "net/certificate_testing.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <functional>
#include <memory>
#include <string>

#include "base/check.h"

namespace fathom {
namespace {

std::string Written(const std::function<int(BIO*)>& write) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
  FATHOM_CHECK(write(bio.get()) == 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::string::size_type>(size)};
}

void AddExtension(X509* certificate, int nid, const char* value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
  FATHOM_CHECK(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

}  // namespace

TestCertificate MakeTestCertificate() {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), X509_free);
  X509* certificate = made.get();
  FATHOM_CHECK(key != nullptr && certificate != nullptr);
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
  X509_set_pubkey(certificate, key.get());
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* common_name = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  AddExtension(certificate, NID_basic_constraints, "CA:TRUE");
  AddExtension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
  FATHOM_CHECK(X509_sign(certificate, key.get(), EVP_sha256()) > 0);

  const auto write_key = [&key](const EVP_CIPHER* cipher, const char* passphrase) {
    return Written([&](BIO* bio) {
      return PEM_write_bio_PKCS8PrivateKey(bio, key.get(), cipher, nullptr, 0, nullptr,
                                           const_cast<char*>(passphrase));
    });
  };
  return {Written([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); }),
          write_key(nullptr, nullptr), write_key(EVP_aes_256_cbc(), "secret")};
}

}  // namespace fathom
