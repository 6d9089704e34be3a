#include "notifier/http_verdict.h"

#include <gtest/gtest.h>

#include "notifier/sample_delivery.h"

namespace gpusched::notifier {
namespace {

std::string verdict(Channel channel, const AnswerSaid& answer) {
  const DeliveryOutcome outcome = verdict_on(sample_delivery(channel), answer);
  std::string text(result_word(outcome.result));
  if (outcome.retry_after) text += " after " + std::to_string(outcome.retry_after->count());
  return outcome.error.empty() ? text : text + ": " + outcome.error;
}

TEST(HttpVerdict, FollowsTheStatus) {
  EXPECT_EQ(verdict(Channel::kSlack, {200, "", "ok"}), "delivered");
  EXPECT_EQ(verdict(Channel::kTeams, {202, "", ""}), "delivered");
  EXPECT_EQ(verdict(Channel::kSlack, {301, "", ""}),
            "refused: it redirects elsewhere (301), which is not followed; give the address that "
            "it redirects to");
  EXPECT_EQ(verdict(Channel::kSlack, {404, "", "no_team\n"}),
            "refused: it answered with status 404: no_team");
  EXPECT_EQ(verdict(Channel::kSlack, {503, "", ""}), "again: it answered with status 503");
  EXPECT_EQ(verdict(Channel::kSlack, {429, "30", ""}),
            "again after 30: it wants fewer messages (429)");
}

TEST(HttpVerdict, ReadsTheErrorCodeInside) {
  const auto said = [](const char* body) { return AnswerSaid{200, "", body}; };
  EXPECT_EQ(verdict(Channel::kDingTalk, said(R"({"errcode":0,"errmsg":"ok"})")), "delivered");
  EXPECT_EQ(verdict(Channel::kWeCom, said(R"({"errcode":93000,"errmsg":"invalid webhook url"})")),
            "refused: it answered with error code 93000: invalid webhook url");
  EXPECT_EQ(verdict(Channel::kWeCom, said(R"({"errcode":45009,"errmsg":"freq"})")),
            "again: it answered with error code 45009: freq");
  EXPECT_EQ(verdict(Channel::kFeishu, said(R"({"StatusCode":0,"StatusMessage":"success"})")),
            "delivered");
  EXPECT_EQ(verdict(Channel::kFeishu, said(R"({"code":19021,"msg":"sign match fail"})")),
            "refused: it answered with error code 19021 (compare the secret, the key words and "
            "this machine's clock): sign match fail");
  EXPECT_EQ(verdict(Channel::kFeishu, said("<html>")),
            "again: it answered with 200, but did not say that it took the message");
}

TEST(HttpVerdict, QuotesNothingSecret) {
  EXPECT_EQ(verdict(Channel::kSlack, {403, "",
                                      "bad key SEC-hush at /services/T000/B000/hush-hush "
                                      "(hush-hush)"}),
            "refused: it answered with status 403: bad key *** at *** (***)");
}

TEST(HttpVerdict, ReadsWhenToTryAgain) {
  EXPECT_EQ(read_retry_after("120", kSampleTime), Seconds{120});
  EXPECT_EQ(read_retry_after("999999999", kSampleTime), Seconds{86'400});
  EXPECT_EQ(read_retry_after("Thu, 01 Jan 2026 08:01:00 GMT", kSampleTime), Seconds{60});
  EXPECT_EQ(read_retry_after("Thu, 01 Jan 1970 08:01:00 GMT", kSampleTime), Seconds{0});
  EXPECT_EQ(read_retry_after("soon", kSampleTime), std::nullopt);
}

}  // namespace
}  // namespace gpusched::notifier
