#include "net/url.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {
namespace {

TEST(Url, HasSchemeHostPortAndPath) {
  struct Row {
    std::string_view url;
    std::string_view parts;  // origin, then path
  };
  const std::vector<Row> rows = {
      {"http://127.0.0.1:8000", "http://127.0.0.1:8000 "},
      {"http://host/v1", "http://host:80 /v1"},
      {"https://host.example/", "https://host.example:443 /"},
      {"https://[::1]:8443/v1/x", "https://[::1]:8443 /v1/x"},
      {"http://[::1]", "http://[::1]:80 "},
  };
  for (const Row& row : rows) {
    const auto url = ParseUrl(row.url);
    ASSERT_TRUE(url.ok()) << row.url;
    EXPECT_EQ(url->origin() + " " + url->path, row.parts);
  }
}

TEST(Url, WhatIsNoneIsRefusedWithTheReason) {
  struct Row {
    std::string_view url;
    std::string_view why;
  };
  const std::vector<Row> rows = {
      {"127.0.0.1:8000", "it does not begin with http:// or https://"},
      {"ftp://host", "it does not begin with http:// or https://"},
      {"http://", "it names no host"},
      {"http://:80", "it names no host"},
      {"http://[::1", "it names no host"},
      {"http://host:", "after the host comes no port from 1 to 65535"},
      {"http://host:0", "after the host comes no port from 1 to 65535"},
      {"http://host:65536", "after the host comes no port from 1 to 65535"},
      {"http://host:80x", "after the host comes no port from 1 to 65535"},
      {"http://[::1]80", "after the host comes no port from 1 to 65535"},
  };
  for (const Row& row : rows) {
    const auto url = ParseUrl(row.url);
    ASSERT_FALSE(url.ok()) << row.url;
    EXPECT_EQ(url.error().ToString(),
              "error: cannot use the URL '" + std::string(row.url) + "': " + std::string(row.why) +
                  "\n  fix: write it like http://127.0.0.1:8000 or https://host.example\n");
  }
}

TEST(PercentDecoded, TakesEscapesApart) {
  EXPECT_EQ(PercentDecoded("a%20b%2Fc%e4%BD%a0"), "a b/c\xE4\xBD\xA0");
  EXPECT_EQ(PercentDecoded(""), "");
  for (const std::string_view bad : {"%", "%2", "%2g", "a%", "%00"}) {
    EXPECT_EQ(PercentDecoded(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace fathom
