#include "server/preparation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/format.h"
#include "net/http_reply.h"
#include "server/router.h"
#include "server/served_model.h"
#include "text/text_assets.h"
#include "text/tiny_tokenizer_testing.h"

namespace fathom {
namespace {

class PreparationTest : public testing::Test {
 protected:
  Preparation Prepare(int64_t priority) const {
    RoutedRequest routed{.request = {},
                         .reply = HttpReply(nullptr),
                         .headers = {},
                         .id = "1",
                         .trace = "",
                         .path_rest = ""};
    routed.request.body = Format(R"({{"prompt":"hello","priority":{}}})", priority);
    return std::get<Preparation>(PrepareCompletion(model_, routed, {}));
  }

  const TextAssets text_ = TinyTextAssets();
  ServedModel model_{.names = {"m"},
                     .root = "",
                     .text = text_,
                     .defaults = {},
                     .eos_ids = {},
                     .vocab = kTinyVocab,
                     .max_model_len = 100};
};

// Else whoever asks for the least number is served before everybody else.
TEST_F(PreparationTest, APriorityIsHeededOnlyWhereItIsAllowed) {
  EXPECT_EQ(Prepare(-3).requests[0].priority, 0);
  EXPECT_TRUE(Prepare(-3).ignored_priority);
  EXPECT_FALSE(Prepare(0).ignored_priority);
  model_.allow_priority = true;
  EXPECT_EQ(Prepare(-3).requests[0].priority, -3);
  EXPECT_EQ(Prepare(INT64_MAX).requests[0].priority, 1'000'000);
  EXPECT_FALSE(Prepare(-3).ignored_priority);
}

}  // namespace
}  // namespace fathom
