// docs/http-api.md says which limits hold where no flag sets others.
#include <gtest/gtest.h>

#include <string>

#include "base/format.h"
#include "net/http_options.h"
#include "text/golden_testing.h"

namespace fathom {
namespace {

TEST(HttpLimitsDocs, HaveTheDefaultsOfTheServer) {
  const HttpServerOptions options;
  const std::string document = ReadTestFile("docs/http-api.md");
  const std::string rows[] = {
      Format("| connections | {} (", options.max_connections),
      Format("| header | {} KiB,", options.max_header_bytes >> 10),
      Format("| time for a header | {} s |", options.header_timeout_ms / 1000),
      Format("| body | {} MiB (", options.max_body_bytes >> 20),
      Format("| time for a body | no {0} s without a byte, and after its first {0} s {1} bytes a "
             "second",
             options.body_timeout_ms / 1000, options.min_body_bytes_per_s),
      Format("| all bodies that are not read yet | {} MiB (", options.max_total_body_bytes >> 20),
      Format("| time between two requests | {} s |", options.idle_timeout_ms / 1000),
      Format("| an answer that the client does not take | {} s without a byte; of a stream {} MiB",
             options.write_timeout_ms / 1000, options.write_buffer_bytes >> 20),
  };
  for (const std::string& row : rows) EXPECT_NE(document.find(row), std::string::npos) << row;
}

}  // namespace
}  // namespace fathom
