#include "text/added_tokens.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/marked_text.h"

namespace fathom {
namespace {

using Found = std::vector<std::pair<std::string, int32_t>>;

// All tokens found in a text of which `plain` says ('p') which bytes are out of a message.
Found FindAll(const std::vector<AddedToken>& tokens, std::string_view text,
              std::string_view plain = "") {
  const AddedTokenFinder finder(tokens);
  MarkedText input;
  for (size_t i = 0; i < text.size(); ++i) {
    input.Append(text.substr(i, 1), i < plain.size() && plain[i] == 'p');
  }
  Found found;
  size_t from = 0;
  while (const auto next = finder.Next(input, from)) {
    found.emplace_back(text.substr(next->begin, next->end - next->begin), next->id);
    from = next->end;
  }
  return found;
}

const std::vector<AddedToken> kTokens = {
    {1, "<a>"}, {2, "<a>b"}, {3, "a>"}, {4, "<"}, {5, "\u00e9"}};

TEST(AddedTokens, LeftmostThenLongest) {
  EXPECT_EQ(FindAll(kTokens, "x<a>by<a>c"), (Found{{"<a>b", 2}, {"<a>", 1}}));
  EXPECT_EQ(FindAll(kTokens, "<<a>a>"), (Found{{"<", 4}, {"<a>", 1}, {"a>", 3}}));
  EXPECT_EQ(FindAll(kTokens, "\u00e9<a"), (Found{{"\u00e9", 5}, {"<", 4}}));
  EXPECT_EQ(FindAll(kTokens, ""), Found());
}

TEST(AddedTokens, NoneHoldsAPlainByte) {
  EXPECT_EQ(FindAll(kTokens, "<a>b", "pppp"), Found());
  EXPECT_EQ(FindAll(kTokens, "<a>b", "...p"), (Found{{"<a>", 1}}));
  EXPECT_EQ(FindAll(kTokens, "<a>b", "..pp"), (Found{{"<", 4}}));
  EXPECT_EQ(FindAll(kTokens, "<a>b", "p..."), (Found{{"a>", 3}}));
}

TEST(AddedTokens, TakesWhiteSpaceAround) {
  const std::vector<AddedToken> tokens = {{1, "<l>", /*lstrip=*/true, false},
                                          {2, "<r>", false, /*rstrip=*/true}};
  EXPECT_EQ(FindAll(tokens, "a \u3000<l> b"), (Found{{" \u3000<l>", 1}}));
  EXPECT_EQ(FindAll(tokens, "a <r> \n\u00a0b"), (Found{{"<r> \n\u00a0", 2}}));
  EXPECT_EQ(FindAll(tokens, "<r> <l>"), (Found{{"<r> ", 2}, {"<l>", 1}}));
  EXPECT_EQ(FindAll(tokens, " <l>"), (Found{{" <l>", 1}}));
}

}  // namespace
}  // namespace fathom
