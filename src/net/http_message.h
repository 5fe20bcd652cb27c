#ifndef FATHOM_NET_HTTP_MESSAGE_H_
#define FATHOM_NET_HTTP_MESSAGE_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

struct HttpHeader {
  std::string name;
  std::string value;
};

// True for names that differ in the case of ASCII letters only; of other words of the protocol too.
bool SameHeaderName(std::string_view a, std::string_view b);

// Header lines in the order they were sent; names are compared without regard to case.
class HttpHeaders {
 public:
  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<HttpHeader> headers) : headers_(headers) {}

  void Add(std::string name, std::string value);
  // The value of the first header of that name; borrowed from this object.
  std::optional<std::string_view> Find(std::string_view name) const;

  size_t size() const { return headers_.size(); }
  auto begin() const { return headers_.begin(); }
  auto end() const { return headers_.end(); }

 private:
  std::vector<HttpHeader> headers_;
};

// A request as the server hands it over: whole, within its limits, its transfer coding undone.
struct HttpRequest {
  std::string method;   // as sent: "GET"
  std::string path;     // percent-decoded, without the query: "/v1/models/a b"
  std::string query;    // what stood after '?', as sent
  HttpHeaders headers;  // without those of a chunked body's trailer, which are dropped
  std::string body;
  std::shared_ptr<const void> body_share = nullptr;  // what the body takes of the server's budget
  std::string peer;                                  // "10.0.0.7:51234", "[2001:db8::7]:51234"

  std::optional<std::string_view> Header(std::string_view name) const { return headers.Find(name); }
  // Nobody needs the body any more: gives its memory back.
  void DropBody() {
    std::string().swap(body);
    body_share.reset();
  }
};

// A whole answer. Content-Length, Connection and Date are the server's own: none of them may be in
// `headers`. A line break or another control character in a header's value becomes a space.
struct HttpResponse {
  int status = 200;
  HttpHeaders headers = {};
  std::string body = {};
  std::string content_type = {};  // empty: no such header

  std::optional<std::string_view> Header(std::string_view name) const { return headers.Find(name); }
};

// 404 -> "Not Found"; what has no name of its own: "Unknown".
std::string_view StatusText(int status);

}  // namespace fathom

#endif  // FATHOM_NET_HTTP_MESSAGE_H_
