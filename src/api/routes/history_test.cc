// The routes of the history, with a history that answers what the test says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/test_daemon.h"
#include "base/text.h"
#include "http/test_client.h"

namespace gpusched::testing {
namespace {

history::Answer an_answer(const history::Question& question) {
  history::Answer answer{*parse_rfc3339("2026-01-01T08:00:00.000Z"),
                         *parse_rfc3339("2026-01-01T08:01:00.000Z"),
                         Seconds{30},
                         {}};
  history::Line line;
  if (question.job) {
    line.attempt = {*question.job, 2};
    line.series = {{"vram_bytes", true, {1024.0, std::nullopt}}};
  } else {
    line.number = question.card.value_or(CardNumber{0});
    line.uuid = "GPU-5f";
    line.series = {{"busy_percent", false, {12.5, std::nullopt}},
                   {"used_bytes", true, {150754820096.0, 0.0}}};
  }
  answer.lines.push_back(line);
  return answer;
}

class HistoryRoutes : public ::testing::Test {
 protected:
  TestResponse ask(const std::string& target) {
    return testing::ask(daemon.socket(), "GET", target);
  }
  history::Question asked;
  std::optional<Error> fails;
  TestDaemon daemon{{.read_history = [this](const history::Question& question, const auto& done) {
    asked = question;
    if (fails) return done(failure(*fails));
    done(an_answer(question));
  }}};
};

TEST_F(HistoryRoutes, AnswersSeriesOfCards) {
  const TestResponse response = ask("/v1/gpus/history");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"schema":1,"from":"2026-01-01T08:00:00.000Z","to":"2026-01-01T08:01:00.000Z",)"
            R"("step_s":30,"cards":[{"number":0,"uuid":"GPU-5f","series":{)"
            R"("busy_percent":[12.5,null],"used_bytes":[150754820096,0]}}]})");
  EXPECT_EQ(asked.to - asked.from, Seconds{3600});
  EXPECT_EQ(asked.points, 120U);
  EXPECT_FALSE(asked.card);
  EXPECT_FALSE(asked.step);
}

TEST_F(HistoryRoutes, TakeWhatIsAskedFor) {
  EXPECT_EQ(ask("/v1/gpus/history?range=30d&points=60&card=1").status, 200);
  EXPECT_EQ(asked.to - asked.from, Seconds{30 * 86400});
  EXPECT_EQ(asked.points, 60U);
  EXPECT_EQ(asked.card, CardNumber{1});
  EXPECT_EQ(ask("/v1/gpus/history?step=90s").status, 200);
  EXPECT_EQ(asked.step, Seconds{90});
}

TEST_F(HistoryRoutes, AnswersSeriesOfAttempts) {
  testing::ask(daemon.socket(), "POST", "/v1/jobs",
               R"({"command":["true"],"working_directory":"/tmp"})");
  const TestResponse response = ask("/v1/jobs/1/history");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"schema":1,"id":1,"from":"2026-01-01T08:00:00.000Z",)"
            R"("to":"2026-01-01T08:01:00.000Z","step_s":30,"attempts":[{"attempt":2,)"
            R"("series":{"vram_bytes":[1024,null]}}]})");
  EXPECT_EQ(asked.job, JobId{1});
  EXPECT_LE(asked.to - asked.from, Seconds{60});
  EXPECT_EQ(ask("/v1/jobs/1/history?range=2h").status, 200);
  EXPECT_EQ(asked.to - asked.from, Seconds{7200});
}

TEST_F(HistoryRoutes, RefuseMalformedInput) {
  for (const char* query :
       {"range=soon", "range=0", "range=-1h", "range=99999d", "points=0", "points=4001",
        "points=many", "step=x", "card=-1", "card=70000", "x=1"}) {
    const TestResponse response = ask(fmt::format("/v1/gpus/history?{}", query));
    EXPECT_EQ(response.code(), "invalid") << query;
    EXPECT_FALSE(response.message().empty()) << query;
  }
  EXPECT_EQ(ask("/v1/gpus/history?card=2").message(), "there is no card 2");
  EXPECT_EQ(ask("/v1/jobs/9/history").code(), "not_found");
  EXPECT_EQ(ask("/v1/jobs/9/history?card=1").code(), "invalid");
  EXPECT_EQ(testing::ask(daemon.socket(), "POST", "/v1/gpus/history").status, 405);
}

TEST_F(HistoryRoutes, SayWhyThereIsNone) {
  fails = Error{ErrorCode::kUnavailable, "no history is kept: the disk is full"};
  EXPECT_EQ(ask("/v1/gpus/history").status, 503);
  EXPECT_EQ(ask("/v1/gpus/history").message(), fails->message);
  TestDaemon without;
  EXPECT_EQ(testing::ask(without.socket(), "GET", "/v1/gpus/history").code(), "unavailable");
}

}  // namespace
}  // namespace gpusched::testing
