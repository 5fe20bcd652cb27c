#ifndef FATHOM_NET_HTTP_OPTIONS_H_
#define FATHOM_NET_HTTP_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

// Where to listen and what a client may take up.
struct HttpServerOptions {
  std::string host = "127.0.0.1";  // address or name; 0.0.0.0 or :: for all
  int64_t port = 8000;             // 0 takes any that is free
  int64_t network_threads = 2;
  int64_t max_connections = 2048;  // open at once
  int64_t max_header_bytes = 64 << 10;
  int64_t max_body_bytes = 32 << 20;  // of one request
  // Of all requests together, from their arrival until their handler drops the body; max_body_bytes
  // are allowed, if that is more. What has come counts, not what is reserved for what will: that
  // may be as much again of a body in chunks, whose length nobody knows. The first 64 KiB of each
  // body do not count: who holds the rest with large bodies does not keep out the small ones that
  // most requests have.
  int64_t max_total_body_bytes = 256 << 20;
  int64_t header_timeout_ms = 10'000;
  int64_t body_timeout_ms = 30'000;      // between two parts of a body
  int64_t min_body_bytes_per_s = 1024;   // of a body after its first body_timeout_ms
  int64_t idle_timeout_ms = 75'000;      // between two requests
  int64_t write_timeout_ms = 60'000;     // that a client may take nothing of an answer
  int64_t write_buffer_bytes = 1 << 20;  // that may wait for a stream's client: then it is dropped
  // PEM files of the certificate chain and of its private key; both empty: no TLS.
  std::string tls_cert_file = {};
  std::string tls_key_file = {};
};

// A number of the options that is out of its range.
struct HttpOptionFault {
  std::string_view name;  // as above: "max_connections"
  int64_t value, low, high;
};

// The first there is; none: all can be had.
std::optional<HttpOptionFault> FindOptionFault(const HttpServerOptions& options);

}  // namespace fathom

#endif  // FATHOM_NET_HTTP_OPTIONS_H_
