#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "io/temp_folder_testing.h"
#include "net/certificate_testing.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/http_options.h"
#include "net/http_reply.h"
#include "net/http_server.h"
#include "net/raw_client_testing.h"
#include "net/server_testing.h"

namespace fathom {
namespace {

using std::chrono::hours;
using ::testing::StartsWith;

// A folder with cert.pem and key.pem that belong together, and others that do not.
class TlsTest : public ::testing::Test {
 protected:
  TlsTest() {
    Write("cert.pem", own_.certificate);
    Write("key.pem", own_.key);
    Write("locked.pem", own_.locked_key);
    Write("text.pem", "no PEM\n");
    Write("empty.pem", "");
    Write("der.key", "\x30\x82\x04\xbe");
    const TestCertificate other = MakeTestCertificate();
    Write("other_cert.pem", other.certificate);
    Write("other_key.pem", other.key);
  }

  void Write(std::string_view name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }

  HttpServerOptions Options() const {
    HttpServerOptions options = AnyPort();
    options.tls_cert_file = folder_ / "cert.pem";
    options.tls_key_file = folder_ / "key.pem";
    return options;
  }

  std::unique_ptr<HttpClient> Client(const HttpServer& server, std::string_view ca_file) const {
    auto client = HttpClient::Create({.url = server.address(), .ca_file = folder_ / ca_file});
    EXPECT_TRUE(client.ok());
    return std::move(client).value();
  }

  TempFolder folder_;
  const TestCertificate own_ = MakeTestCertificate();
};

TEST_F(TlsTest, ServesAClientThatTrustsTheCertificate) {
  const auto server = Serve(Echo, Options());
  EXPECT_THAT(server->address(), StartsWith("https://127.0.0.1:"));
  const auto client = Client(*server, "cert.pem");
  for (const std::string path : {"/1", "/2"}) {
    const auto answer = client->Send({.method = "POST", .target = path, .body = "b"}, hours(1));
    ASSERT_TRUE(answer.ok()) << answer.error().ToString();
    EXPECT_EQ(answer->body, "POST " + path + " [b]");
  }
  EXPECT_EQ(server->stats().accepted_connections, 1);
}

TEST_F(TlsTest, CarriesLargeBodiesBothWays) {
  const auto server = Serve(
      [](const HttpRequest& request, const HttpReply& reply) { reply.Send(Text(request.body)); },
      Options());
  const std::string body(3 << 20, 'b');
  const auto answer = Client(*server, "cert.pem")->Send({.method = "POST", .body = body}, hours(1));
  ASSERT_TRUE(answer.ok()) << answer.error().ToString();
  EXPECT_EQ(answer->body, body);
}

TEST_F(TlsTest, SaysGoodbyeBehindTheLastAnswer) {
  const auto server = Serve(
      [](const HttpRequest&, const HttpReply& reply) {
        reply.StartStream(Text("one "));
        reply.Write("two");
        reply.Finish();
      },
      Options());
  const auto answer =
      Client(*server, "cert.pem")->Send({.headers = {{"Connection", "close"}}}, hours(1));
  ASSERT_TRUE(answer.ok()) << answer.error().ToString();
  EXPECT_EQ(answer->body, "one two");
  server->StopAccepting();
  EXPECT_TRUE(server->AwaitClosed(hours(1)));
}

TEST_F(TlsTest, RefusesABodyThatIsTooLargeWhileItIsSent) {
  HttpServerOptions options = Options();
  options.max_body_bytes = 100;
  const auto server = Serve(Echo, options);
  const auto answer = Client(*server, "cert.pem")
                          ->Send({.method = "POST", .body = std::string(4 << 20, 'b')}, hours(1));
  ASSERT_TRUE(answer.ok()) << answer.error().ToString();
  EXPECT_EQ(answer->status, 413);
}

TEST_F(TlsTest, TellsThatAClientIsGone) {
  std::promise<void> gone;
  const auto server = Serve(
      [&gone](const HttpRequest&, const HttpReply& reply) {
        reply.StartStream(Text("first"));
        reply.OnGone([&gone, reply] { gone.set_value(); });
      },
      Options());
  const auto answer =
      Client(*server, "cert.pem")->Stream({}, hours(1), [](const HttpResponse&, std::string_view) {
        return false;
      });
  EXPECT_TRUE(answer.ok());
  gone.get_future().get();
}

TEST_F(TlsTest, AClientThatDoesNotTrustTheCertificateSaysSo) {
  const auto server = Serve(Echo, Options());
  const auto answer = Client(*server, "other_cert.pem")->Send({}, hours(1));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().ToString(),
            Format("error: no TLS connection: certificate verify failed (SSL routines)\n"
                   "  where: GET https://127.0.0.1:{}/\n"
                   "  fix: check that the server speaks TLS, and whom its certificate is from and "
                   "for\n",
                   server->port()));
}

TEST_F(TlsTest, AClientWithoutTlsIsToldToSpeakIt) {
  const auto server = Serve(Echo, Options());
  for (const std::string_view request :
       {"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\nabc"}) {
    RawClient client(server->port());
    client.Send(request);
    const auto answer = client.ReadAnswer();
    EXPECT_EQ(answer.status(), 400);
    EXPECT_EQ(answer.body, "400: this port speaks TLS, and the request came without; use https://");
    EXPECT_EQ(client.ReadAll(), "");
  }
  EXPECT_EQ(server->stats().requests, 0);
}

TEST_F(TlsTest, AClientThatSpeaksNeitherIsDisconnected) {
  const auto server = Serve(Echo, Options());
  for (const std::string_view bytes : {"\x16 nonsense", "nonsense"}) {
    RawClient client(server->port());
    client.Send(bytes);
    client.ReadAll();
  }
  EXPECT_EQ(server->stats().requests, 0);
}

TEST_F(TlsTest, FilesThatCannotBeUsedAreNamedWithTheReason) {
  struct Row {
    std::string_view cert;
    std::string_view key;
    std::string_view text;  // {} is the folder
  };
  const std::vector<Row> rows = {
      {"none.pem", "key.pem",
       "error: cannot open the file: No such file or directory\n"
       "  where: TLS certificate: {}/none.pem\n"
       "  fix: check the name: there is nothing at this place\n"},
      {"text.pem", "key.pem",
       "error: expected a PEM file with a line -----BEGIN CERTIFICATE-----, found text or data "
       "without any line of PEM\n"
       "  where: TLS certificate: {}/text.pem\n"
       "  fix: name the right file; one in DER becomes PEM by openssl x509 -inform der -in FILE "
       "-out FILE.pem, one in PKCS#12 by openssl pkcs12 -nokeys -in FILE -out FILE.pem\n"},
      {"empty.pem", "key.pem",
       "error: expected a PEM file with a line -----BEGIN CERTIFICATE-----, found nothing\n"
       "  where: TLS certificate: {}/empty.pem\n"
       "  fix: name the right file; one in DER becomes PEM by openssl x509 -inform der -in FILE "
       "-out FILE.pem, one in PKCS#12 by openssl pkcs12 -nokeys -in FILE -out FILE.pem\n"},
      {"cert.pem", "der.key",
       "error: expected a PEM file with a line PRIVATE KEY-----, found binary DER\n"
       "  where: TLS private key: {}/der.key\n"
       "  fix: name the right file; one in DER becomes PEM by openssl pkey -inform der -in FILE "
       "-out FILE.pem, one in PKCS#12 by openssl pkcs12 -nocerts -nodes -in FILE -out FILE.pem\n"},
      {"cert.pem", "cert.pem",
       "error: expected a PEM file with a line PRIVATE KEY-----, found a PEM file of another kind "
       "(-----BEGIN CERTIFICATE-----)\n"
       "  where: TLS private key: {}/cert.pem\n"
       "  fix: name the right file; one in DER becomes PEM by openssl pkey -inform der -in FILE "
       "-out FILE.pem, one in PKCS#12 by openssl pkcs12 -nocerts -nodes -in FILE -out FILE.pem\n"},
      {"cert.pem", "other_key.pem",
       "error: does not belong to the certificate\n"
       "  where: TLS private key: {}/other_key.pem\n"
       "  fix: name the key that the certificate was made for\n"},
      {"cert.pem", "locked.pem",
       "error: is locked by a passphrase\n"
       "  where: TLS private key: {}/locked.pem\n"
       "  fix: unlock it into another file: openssl pkey -in KEY -out UNLOCKED\n"},
  };
  for (const Row& row : rows) {
    const auto tls = ServerTls(folder_ / row.cert, folder_ / row.key);
    ASSERT_FALSE(tls.ok()) << row.text;
    EXPECT_EQ(tls.error().ToString(), Format(row.text, folder_.path()));
  }
  const auto no_authorities = ClientTls(folder_ / "text.pem");
  ASSERT_FALSE(no_authorities.ok());
  EXPECT_EQ(no_authorities.error().where, "TLS authorities: " + (folder_ / "text.pem"));
}

TEST_F(TlsTest, FilesThatAreDamagedAreNamedWithTheReason) {
  Write("cert.pem", own_.certificate.substr(0, 100) + own_.certificate.substr(104));
  Write("bad_key.pem", own_.key.substr(0, 60) + own_.key.substr(64));
  const auto bad_certificate = ServerTls(folder_ / "cert.pem", folder_ / "key.pem");
  ASSERT_FALSE(bad_certificate.ok());
  EXPECT_THAT(bad_certificate.error().what, StartsWith("its certificate cannot be read: "));
  Write("cert.pem", own_.certificate);
  const auto bad_key = ServerTls(folder_ / "cert.pem", folder_ / "bad_key.pem");
  ASSERT_FALSE(bad_key.ok());
  EXPECT_THAT(bad_key.error().what, StartsWith("its key cannot be read: "));
}

TEST_F(TlsTest, OneFileWithoutTheOtherIsRefused) {
  HttpServerOptions options = Options();
  options.tls_key_file.clear();
  const auto server = HttpServer::Listen(options, {Echo});
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.error().ToString(),
            "error: TLS needs a certificate and its key, and one of the two files is not named\n"
            "  fix: name both tls_cert_file and tls_key_file, or neither\n");
}

}  // namespace
}  // namespace fathom
