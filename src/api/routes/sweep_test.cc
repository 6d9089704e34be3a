// Sweeps as one line: in lists, in the overview, in the answer of wait, and alone.
#include "api/routes/routes.h"
#include "api/routes/test_routes.h"

namespace gpusched::testing {
namespace {

// Twenty jobs from 1 on; two run on the daemon's cards, the rest waits. Then a single one, 21.
class Sweeps : public Routes {
 protected:
  Sweeps() {
    submit(R"("name":"grid","array":{"indices":"0-19"})");
    submit(R"("name":"alone")");
    daemon.start_job(1);
    daemon.start_job(2);
    daemon.end_job(1, 0);
    daemon.end_job(2, 3);
  }
  JsonValue get(const std::string& target) {
    const TestResponse response = ask("GET", target);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.json();
  }
  static const JsonValue& first(const JsonValue& value, std::string_view list) {
    return value.find(list)->as<JsonArray>()->at(0);
  }
};

TEST_F(Sweeps, AListHasOneLineForAllJobsThatMatch) {
  const JsonValue all = get("/v1/jobs?sweeps=1");
  EXPECT_EQ(count(all, "jobs"), 1U);
  ASSERT_EQ(count(all, "sweeps"), 1U);
  const JsonValue& line = first(all, "sweeps");
  EXPECT_EQ(number(line, "id"), 1U);
  EXPECT_EQ(number(line, "last"), 20U);
  EXPECT_EQ(number(line, "count"), 20U);
  EXPECT_EQ(number(*line.find("counts"), "completed"), 1U);
  EXPECT_EQ(number(*line.find("counts"), "failed"), 1U);
  EXPECT_EQ(number(*line.find("counts"), "starting"), 2U);
  EXPECT_EQ(number(*line.find("counts"), "queued"), 16U);
  EXPECT_EQ(text(line, "name"), "grid");
  EXPECT_NE(text(line, "reason"), "(none)");
  EXPECT_EQ(number(first(line, "failures"), "exit_code"), 3U);
  // Without being asked to it is as ever.
  EXPECT_EQ(count(get("/v1/jobs"), "jobs"), 21U);
  EXPECT_EQ(get("/v1/jobs").find("sweeps"), nullptr);
}

TEST_F(Sweeps, CountOnlyWhatMatches) {
  const JsonValue waiting = get("/v1/jobs?state=waiting&sweeps=1");
  EXPECT_EQ(number(first(waiting, "sweeps"), "count"), 16U);
  EXPECT_EQ(number(first(waiting, "sweeps"), "of"), 20U);
  // A single one is a job like others.
  const JsonValue failed = get("/v1/jobs?state=failed&sweeps=1");
  EXPECT_EQ(count(failed, "sweeps"), 0U);
  EXPECT_EQ(number(first(failed, "jobs"), "id"), 2U);
}

TEST_F(Sweeps, OfWhichSomeAreNamedAreNotFoldedIfWholeOnesAreMeant) {
  EXPECT_EQ(count(get("/v1/jobs?ids=1-3&sweeps=whole"), "jobs"), 3U);
  EXPECT_EQ(count(get("/v1/jobs?ids=1-3&sweeps=1"), "sweeps"), 1U);
  const JsonValue whole = get("/v1/jobs?ids=1-21&sweeps=whole");
  EXPECT_EQ(count(whole, "jobs"), 1U);
  EXPECT_EQ(count(whole, "sweeps"), 1U);
  EXPECT_EQ(ask("GET", "/v1/jobs?sweeps=x").code(), "invalid");
}

TEST_F(Sweeps, CountAsOneOfTheNewest) {
  const JsonValue two = get("/v1/jobs?newest=2&sweeps=1");
  EXPECT_EQ(count(two, "jobs"), 1U);
  EXPECT_EQ(number(first(two, "sweeps"), "count"), 20U);
  EXPECT_EQ(count(get("/v1/jobs?newest=1&sweeps=1"), "sweeps"), 0U);
}

TEST_F(Sweeps, OneLineInTheOverviewAndOthersBehindThemAreSeen) {
  const JsonValue view = get("/v1/overview?waiting=2&sweeps=1");
  EXPECT_EQ(count(view, "running"), 0U);
  EXPECT_EQ(count(view, "recent"), 0U);
  ASSERT_EQ(count(view, "sweeps"), 1U);
  EXPECT_EQ(count(first(view, "sweeps"), "cards"), 2U);
  ASSERT_EQ(count(view, "waiting"), 1U);
  EXPECT_EQ(number(first(view, "waiting"), "id"), 21U);
  EXPECT_EQ(count(get("/v1/overview?waiting=2"), "waiting"), 2U);
}

TEST_F(Sweeps, OneLineInTheAnswerOfWait) {
  const JsonValue waited = get("/v1/jobs/1-21/wait?timeout_ms=0&sweeps=1");
  EXPECT_FALSE(*waited.find("done")->as<bool>());
  EXPECT_EQ(count(waited, "jobs"), 1U);
  EXPECT_EQ(count(waited, "sweeps"), 1U);
}

TEST_F(Sweeps, AreFoundByAnyOfTheirJobs) {
  EXPECT_EQ(number(*get("/v1/sweeps/7").find("sweep"), "id"), 1U);
  EXPECT_EQ(ask("GET", "/v1/sweeps/21").code(), "conflict");
  EXPECT_EQ(ask("GET", "/v1/sweeps/99").code(), "not_found");
}

TEST_F(Sweeps, RowsOfOneAreFoundWithoutLookingAtTheRest) {
  EXPECT_EQ(count(get("/v1/jobs?array=1"), "jobs"), 20U);
  EXPECT_EQ(count(get("/v1/jobs?array=1&state=failed"), "jobs"), 1U);
  EXPECT_EQ(count(get("/v1/jobs?array=21"), "jobs"), 0U);
}

}  // namespace
}  // namespace gpusched::testing
