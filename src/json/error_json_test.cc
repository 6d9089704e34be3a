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

TEST(ErrorJson, IsReadBackAsTheErrorThatItWas) {
  for (const ErrorCode code : {ErrorCode::kInvalid, ErrorCode::kBusy, ErrorCode::kIo}) {
    const Error read = read_error(error_json({code, "one sentence"}), http_status_of(code));
    EXPECT_EQ(read.code, code);
    EXPECT_EQ(read.message, "one sentence");
  }
}

TEST(ErrorJson, AnAnswerWithoutOneIsTheErrorOfItsStatus) {
  for (const char* body : {"", "gateway", "{}", "[]", R"({"error":7})"}) {
    EXPECT_EQ(read_error(body, 503).code, ErrorCode::kUnavailable) << body;
    EXPECT_EQ(read_error(body, 500).code, ErrorCode::kInternal) << body;
    EXPECT_EQ(read_error(body, 418).code, ErrorCode::kInternal) << body;
    EXPECT_EQ(read_error(body, 404).message, "the daemon answered with HTTP status 404");
  }
}

}  // namespace
}  // namespace gpusched
