#include "engine/token_rules.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom {
namespace {

using Tokens = std::vector<int32_t>;

TEST(TokenRules, WhereNothingIsAskedThereAreNone) {
  EXPECT_EQ(TokenRules::Make(10, {}).value(), nullptr);
}

TEST(TokenRules, AllowWhatIsNamedLessBadWordsOfOneToken) {
  const auto rules = TokenRules::Make(10, Tokens{3, 4, 5}, {{4}}).value();
  std::string allowed;
  for (size_t id = 0; id < 10; ++id) allowed += rules->mask().Allows(id) ? 'y' : 'n';
  EXPECT_EQ(allowed, "nnnynynnnn");
  EXPECT_EQ(rules->BadAfter(Tokens{3, 5}), Tokens{});
}

TEST(TokenRules, ForbidTheLastTokenOfABadWordWhereTheOthersStand) {
  const auto rules = TokenRules::Make(10, {}, {{1, 2}, {7, 1, 3}, {9, 9, 9}}).value();
  for (size_t id = 0; id < 10; ++id) EXPECT_TRUE(rules->mask().Allows(id));
  EXPECT_EQ(rules->BadAfter(Tokens{}), Tokens{});
  EXPECT_EQ(rules->BadAfter(Tokens{1}), Tokens{2});
  EXPECT_EQ(rules->BadAfter(Tokens{7, 1}), (Tokens{2, 3}));
  EXPECT_EQ(rules->BadAfter(Tokens{1, 7}), Tokens{});
  EXPECT_EQ(rules->BadAfter(Tokens{0, 9, 9}), Tokens{9});
}

TEST(TokenRules, RefuseWithTheNumbers) {
  struct Row {
    Tokens allowed;
    std::vector<Tokens> bad_words;
    std::string what, fix;
  };
  const Row rows[] = {
      {{3, 50},
       {},
       "allowed_token_ids names token 50, the vocabulary has 50 tokens",
       "name ids from 0 to 49"},
      {{-1},
       {},
       "allowed_token_ids names token -1, the vocabulary has 50 tokens",
       "name ids from 0 to 49"},
      {{},
       {{1, 51}},
       "bad_words names token 51, the vocabulary has 50 tokens",
       "name ids from 0 to 49"},
      {{3, 4},
       {{3}, {4}},
       "bad_words forbids every token that is allowed",
       "name fewer bad words, or allow more tokens"},
  };
  for (const Row& row : rows) {
    const auto rules = TokenRules::Make(50, row.allowed, row.bad_words);
    ASSERT_FALSE(rules.ok()) << row.what;
    EXPECT_EQ(rules.error().what, row.what);
    EXPECT_EQ(rules.error().fix, row.fix);
  }
}

}  // namespace
}  // namespace fathom
