#include <thread>

#include "api/routes/test_routes.h"

namespace gpusched {
namespace {

using testing::a_job;
using testing::TestResponse;

constexpr const char* kOpen = "Accept: application/openmetrics-text;version=1.0.0\r\n";

class MetricsRoute : public testing::Routes {
 protected:
  // Of the line with this name and labels.
  std::string value(const std::string& series) {
    const std::string all = "\n" + ask("GET", "/metrics").body;
    const std::size_t at = all.find("\n" + series + " ");
    if (at == std::string::npos) return "(none)";
    const std::size_t begin = at + series.size() + 2;
    return all.substr(begin, all.find('\n', begin) - begin);
  }
};

TEST_F(MetricsRoute, SpeaksBothFormats) {
  const TestResponse text = ask("GET", "/metrics");
  EXPECT_EQ(text.status, 200);
  EXPECT_EQ(text.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(text.body.find("# EOF"), std::string::npos);
  EXPECT_NE(text.body.find("# TYPE gpusched_api_requests_total counter\n"), std::string::npos);
  const TestResponse open = ask("GET", "/metrics", {}, kOpen);
  EXPECT_EQ(open.headers.at("content-type"),
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_TRUE(open.body.ends_with("\n# EOF\n"));
  EXPECT_NE(open.body.find("# TYPE gpusched_api_requests counter\n"), std::string::npos);
}

TEST_F(MetricsRoute, CountsJobsAsTheOverviewDoes) {
  submit();
  submit();
  submit(R"("hold":true)");
  submit();
  const TestResponse overview = ask("GET", "/v1/overview");
  const JsonValue answer = overview.json();
  for (const char* state : {"held", "queued", "starting", "running", "paused", "completed"}) {
    EXPECT_EQ(value(fmt::format("gpusched_jobs{{state=\"{}\"}}", state)),
              std::to_string(testing::number(*answer.find("counts"), state)))
        << state;
  }
  EXPECT_EQ(value("gpusched_jobs_waiting{reason=\"held\"}"), "1");
  EXPECT_EQ(value("gpusched_jobs_waiting{reason=\"room\"}"), "1");
  EXPECT_EQ(value("gpusched_tenant_jobs{tenant=\"ml1\",state=\"running\"}"), "2");
  EXPECT_EQ(value("gpusched_tenant_jobs{tenant=\"ml1\",state=\"waiting\"}"), "2");
}

TEST_F(MetricsRoute, CountsRequestsByRouteAndNotByWhatIsInThem) {
  ask("GET", "/v1/jobs/1");
  ask("GET", "/v1/jobs/2");
  ask("GET", "/v1/nothing/here");
  ask("DELETE", "/v1/version");
  ask("BREW", "/v1/version");
  EXPECT_EQ(
      value(R"(gpusched_api_requests_total{route="/v1/jobs/{selector}",method="GET",code="4xx"})"),
      "2");
  EXPECT_EQ(value(R"(gpusched_api_requests_total{route="none",method="none",code="4xx"})"), "3");
  const std::string text = ask("GET", "/metrics").body;
  for (const char* word : {"BREW", "nothing", "DELETE"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
}

TEST_F(MetricsRoute, SaysNothingOfACardThatNobodyHasSeen) {
  EXPECT_EQ(value("gpusched_card_memory_held_bytes{card=\"0\"}"), "0");
  EXPECT_EQ(value("gpusched_card_busy_ratio{card=\"0\"}"), "(none)");
  EXPECT_EQ(value("gpusched_oldest_wait_seconds"), "(none)");
  EXPECT_EQ(ask("GET", "/metrics").body.find("NaN"), std::string::npos);
}

TEST_F(MetricsRoute, RefusesParameters) {
  EXPECT_EQ(ask("GET", "/metrics?name=x").status, 400);
  EXPECT_EQ(ask("POST", "/metrics").status, 405);
}

// The 50 largest are named, and nobody is lost.
TEST_F(MetricsRoute, NamesSoManyTenantsAndSumsTheRest) {
  daemon.on_loop([&] {
    for (std::uint32_t i = 0; i < 60; ++i) {
      SubmitAsked asked;
      asked.actor = ourselves();
      asked.submission = 100'000 + i;
      asked.owner.uid = 5000 + i;
      asked.owner.user = asked.tenant = fmt::format("t{:02}", i);
      auto spec = std::make_shared<JobSpec>();
      spec->argv = {"true"};
      spec->working_directory = "/";
      spec->environment = std::make_shared<Environment>();
      asked.spec = std::move(spec);
      asked.hold = true;
      asked.tasks.resize(i == 59 ? 5 : 1);
      asked.array = true;
      asked.total = asked.tasks.size();
      daemon.engine().submit(std::move(asked), {});
    }
  });
  const auto all_there = [&] { return daemon.engine().state().counts().held == 64; };
  while (!daemon.on_loop(all_there)) std::this_thread::yield();
  EXPECT_EQ(value(R"(gpusched_tenant_jobs{tenant="other",state="waiting"})"), "10");
  EXPECT_EQ(value(R"(gpusched_tenant_jobs{tenant="t59",state="waiting"})"), "5");
  EXPECT_EQ(value(R"(gpusched_tenant_jobs{tenant="t00",state="waiting"})"), "1");
}

}  // namespace
}  // namespace gpusched
