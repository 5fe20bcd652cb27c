#include "api/model_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom {
namespace {

TEST(ModelList, IsOpenAis) {
  const ModelEntry model = {"r1", "/models/r1", 1700000000, 4096};
  const std::string text =
      R"({"id":"r1","object":"model","created":1700000000,"owned_by":"fathom",)"
      R"("root":"/models/r1","parent":null,"max_model_len":4096,"permission":[]})";
  EXPECT_EQ(ModelBody(model), text);
  EXPECT_EQ(ModelListBody(std::vector{model, model}),
            R"({"object":"list","data":[)" + text + "," + text + "]}");
  EXPECT_EQ(ModelListBody({}), R"({"object":"list","data":[]})");
}

}  // namespace
}  // namespace fathom
