#include "cli/byte_count.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom {
namespace {

TEST(ParseByteCount, TakesNumbersWithBinaryUnits) {
  struct Row {
    std::string_view text;
    std::optional<int64_t> bytes;
  };
  constexpr Row kRows[] = {
      {"1", 1},
      {"4096", 4096},
      {"8G", 8589934592},
      {"8g", 8589934592},
      {"1.5GiB", 1610612736},
      {"512MB", 536870912},
      {"1T", 1099511627776},
      {"100b", 100},
      {"", std::nullopt},
      {"G", std::nullopt},
      {"-1", std::nullopt},
      {"0", std::nullopt},
      {"8 G", std::nullopt},
      {"8GG", std::nullopt},
      {"8P", std::nullopt},
      {"8iB", std::nullopt},
      {"nan", std::nullopt},
      {"inf", std::nullopt},
      {"1e9", std::nullopt},
      {"9999999T", std::nullopt},
  };
  for (const Row& row : kRows) EXPECT_EQ(ParseByteCount(row.text), row.bytes) << row.text;
}

}  // namespace
}  // namespace fathom
