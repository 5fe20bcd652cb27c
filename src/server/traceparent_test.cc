#include "server/traceparent.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace fathom {
namespace {

// The recommendation's own example, section 3.2.
const std::string kExample = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string With(size_t at, const std::string& text) {
  return std::string(kExample).replace(at, text.size(), text);
}

TEST(Traceparent, TheRecommendationsExampleIsOne) {
  EXPECT_TRUE(IsTraceparent(kExample));
  EXPECT_TRUE(IsTraceparent(With(0, "cc") + "-what-the-future-will-be-like"));
}

TEST(Traceparent, WhatTheRecommendationCallsInvalidIsNone) {
  for (const std::string& header :
       {std::string(), With(0, "ff"), With(3, "A"), With(3, std::string(32, '0')),
        With(36, std::string(16, '0')), With(35, "_"), kExample + "-more", kExample.substr(1),
        With(0, "cc") + "more", With(0, "cc") + "-" + std::string(300, 'x')}) {
    EXPECT_FALSE(IsTraceparent(header)) << header;
  }
}

}  // namespace
}  // namespace fathom
