#include "api/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace fathom {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

std::string Number(double number) {
  std::string out;
  AppendJsonNumber(number, out);
  return out;
}

// RFC 8259, section 7.
TEST(JsonText, EscapesWhatAStringMayNotHold) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "\"\""},
      {"a", "\"a\""},
      {"say \"hi\"", R"("say \"hi\"")"},
      {"a\\b", R"("a\\b")"},
      {"line\nline\r\tend", R"("line\nline\r\tend")"},
      {std::string("\0\x01\x1f\x7f", 4), "\"\\u0000\\u0001\\u001f\x7f\""},
      {"</script>", "\"</script>\""},
      {"你好 \xf0\x9f\x98\x80", "\"你好 \xf0\x9f\x98\x80\""},
      {"\xe4\xbd", "\"\uFFFD\""},
      {"a\xff\"\xc0\x80z", "\"a\uFFFD\\\"\uFFFD\uFFFDz\""},
  };
  for (const auto& [text, json] : rows) EXPECT_EQ(Quoted(text), json);
}

TEST(JsonText, WritesWhatReadsBackAsTheSame) {
  for (int byte = 0; byte < 128; ++byte) {
    const std::string text = "<" + std::string(1, static_cast<char>(byte)) + ">";
    EXPECT_EQ(ParseJson(Quoted(text), "t").value().as_string(), text) << byte;
  }
  for (const double number : {0.0, -0.5, -1.25e-7, 1e300, -9999.0, 0.1, 1.0 / 3}) {
    EXPECT_EQ(ParseJson(Number(number), "t").value().as_double(), number);
  }
}

TEST(JsonText, HasNoNumbersThatJsonDoesNotHave) {
  EXPECT_EQ(Number(std::nan("")), "null");
  EXPECT_EQ(Number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(Number(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonText, WritesIntegers) {
  std::string out;
  AppendJsonInt(std::numeric_limits<int64_t>::min(), out);
  out += ' ';
  AppendJsonInts(std::vector<int32_t>{1, -2, 2147483647}, out);
  AppendJsonInts({}, out);
  EXPECT_EQ(out, "-9223372036854775808 [1,-2,2147483647][]");
}

}  // namespace
}  // namespace fathom
