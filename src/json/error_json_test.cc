#include "json/error_json.h"

#include <gtest/gtest.h>

#include "json/json_value.h"

namespace gpusched {
namespace {

TEST(ErrorJson, IsASentenceAlsoForAClientThatSentABook) {
  const std::string said =
      error_json({ErrorCode::kInvalid, std::string(599, 'n') + "\u00e9\u00e9"});
  EXPECT_LT(said.size(), 700u);
  ASSERT_TRUE(parse_json(said)) << said;
}

TEST(ErrorJson, HasOneShape) {
  EXPECT_EQ(error_json({ErrorCode::kNotFound, "there is no job 7"}),
            R"({"error":{"code":"not_found","message":"there is no job 7"}})");
}

}  // namespace
}  // namespace gpusched
