// Pages of long lists: limit, sort, cursor, fields.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <functional>

#include "api/job_page.h"
#include "api/routes/test_routes.h"
#include "os/clock.h"

namespace gpusched::testing {
namespace {

class PagesRoute : public Routes {
 protected:
  using Ids = std::vector<std::uint64_t>;

  static Ids ids_of(const JsonValue& answer) {
    Ids ids;
    for (const JsonValue& job : *answer.find("jobs")->as<JsonArray>()) {
      ids.push_back(number(job, "id"));
    }
    return ids;
  }
  Ids ids(const std::string& query) {
    const TestResponse response = ask("GET", "/v1/jobs?" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    return ids_of(response.json());
  }
  // The target that the Link header names; empty: this is the last page.
  static std::string link_of(const TestResponse& response) {
    const auto link = response.headers.find("link");
    if (link == response.headers.end()) return {};
    EXPECT_TRUE(link->second.ends_with(">; rel=\"next\"")) << link->second;
    return link->second.substr(1, link->second.find('>') - 1);
  }
  // All pages, by what each says of the next.
  std::vector<Ids> pages(const std::string& target) {
    std::vector<Ids> all;
    for (std::string next = target; !next.empty() && all.size() < 100;) {
      const TestResponse response = ask("GET", next);
      EXPECT_EQ(response.status, 200) << next << ": " << response.body;
      const JsonValue answer = response.json();
      all.push_back(ids_of(answer));
      next = link_of(response);
      const std::string cursor = text(answer, "next");
      EXPECT_EQ(cursor != "(none)", !next.empty());
      EXPECT_NE(next.find(next.empty() ? "" : "cursor=" + cursor), std::string::npos) << next;
    }
    return all;
  }
  void submit_priorities(const std::vector<int>& priorities) {
    for (const int priority : priorities) {
      submit(fmt::format(R"("hold":true,"priority":{})", priority));
    }
  }
};

TEST_F(PagesRoute, FollowEachOtherById) {
  submit_priorities({50, 50, 50, 50, 50});
  EXPECT_EQ(pages("/v1/jobs?limit=2"), (std::vector<Ids>{{1, 2}, {3, 4}, {5}}));
  EXPECT_EQ(pages("/v1/jobs?limit=2&sort=-id"), (std::vector<Ids>{{5, 4}, {3, 2}, {1}}));
  EXPECT_EQ(pages("/v1/jobs?limit=5"), (std::vector<Ids>{{1, 2, 3, 4, 5}}));
  EXPECT_EQ(pages("/v1/jobs?limit=2&ids=2-4"), (std::vector<Ids>{{2, 3}, {4}}));
  EXPECT_EQ(pages("/v1/jobs/2-4?limit=2&sort=-id"), (std::vector<Ids>{{4, 3}, {2}}));
  EXPECT_EQ(pages("/v1/jobs?limit=0"), (std::vector<Ids>{{}}));
}

TEST_F(PagesRoute, FollowEachOtherInEveryOrder) {
  submit_priorities({30, 70, 50, 70, 50});
  EXPECT_EQ(ids("sort=priority"), (Ids{1, 3, 5, 2, 4}));
  EXPECT_EQ(pages("/v1/jobs?limit=2&sort=-priority"), (std::vector<Ids>{{4, 2}, {5, 3}, {1}}));
  for (const char* order :
       {"id", "priority", "submitted_at", "started_at", "ended_at", "state", "user", "name"}) {
    for (const char* turned : {"", "-"}) {
      const Ids whole = ids(fmt::format("sort={}{}", turned, order));
      Ids together;
      for (const Ids& page : pages(fmt::format("/v1/jobs?limit=2&sort={}{}", turned, order))) {
        together.insert(together.end(), page.begin(), page.end());
      }
      EXPECT_EQ(together, whole) << turned << order;
      std::ranges::sort(together);
      EXPECT_EQ(together, (Ids{1, 2, 3, 4, 5})) << turned << order;
    }
  }
}

TEST_F(PagesRoute, SortTimesAndNames) {
  submit(R"("name":"b")");
  submit(R"("name":"a")");
  submit(R"("hold":true)");
  daemon.start_job(2);
  daemon.start_job(1);
  daemon.end_job(1);
  EXPECT_EQ(ids("sort=name"), (Ids{2, 1, 3}));
  EXPECT_EQ(ids("sort=-name"), (Ids{1, 2, 3})) << "those without a name come last";
  EXPECT_EQ(ids("sort=ended_at").front(), 1U);
  EXPECT_EQ(ids("sort=-ended_at").front(), 1U);
  EXPECT_EQ(ids("sort=state"), (Ids{3, 2, 1}));
  EXPECT_EQ(ids("sort=started_at").back(), 3U);
}

// A job that comes, ends or changes between two pages moves none of the others.
TEST_F(PagesRoute, StandStillWhileJobsComeAndChange) {
  submit_priorities({30, 70, 50, 60, 40});
  const TestResponse first = ask("GET", "/v1/jobs?limit=2&sort=-priority");
  EXPECT_EQ(ids_of(first.json()), (Ids{2, 4}));
  submit_priorities({80, 45});
  ASSERT_EQ(ask("POST", "/v1/jobs/4/cancel").status, 200);
  ASSERT_EQ(ask("PATCH", "/v1/jobs/2", R"({"priority":1})").status, 200);
  const TestResponse second = ask("GET", link_of(first));
  EXPECT_EQ(ids_of(second.json()), (Ids{3, 7}));
}

TEST_F(PagesRoute, KeepTheFiltersOfTheFirst) {
  submit_priorities({50, 50, 50});
  submit();
  submit_priorities({50});
  EXPECT_EQ(pages("/v1/jobs?limit=2&state=held&fields=id,state"),
            (std::vector<Ids>{{1, 2}, {3, 5}}));
  EXPECT_EQ(ids("array=1&limit=1"), Ids{});
}

TEST_F(PagesRoute, OfAnArrayHaveItsJobsAlone) {
  submit_priorities({50});
  submit(R"("hold":true,"array":{"indices":"0-4"})");
  submit_priorities({50});
  EXPECT_EQ(pages("/v1/jobs?array=2&limit=3"), (std::vector<Ids>{{2, 3, 4}, {5, 6}}));
  EXPECT_EQ(ids("array=2&sort=-priority"), (Ids{6, 5, 4, 3, 2}));
  EXPECT_EQ(ids("array=2&sort=-id&limit=2"), (Ids{6, 5}));
}

TEST_F(PagesRoute, OfVeryManyJobsAreFoundWithoutTheirRows) {
  daemon.add_jobs(11'000);
  ASSERT_TRUE(wait_until([this] {
    return daemon.on_loop([this] {
      const StateView& state = daemon.engine().state();
      return state.jobs().size() == 11'000 && !state.in_open_submission(JobId{1});
    });
  }));
  const TestResponse first = ask("GET", "/v1/jobs?limit=100&sort=-submitted_at");
  ASSERT_EQ(first.status, 200);
  EXPECT_EQ(count(first.json(), "jobs"), 100U);
  const TestResponse second = ask("GET", link_of(first));
  EXPECT_EQ(count(second.json(), "jobs"), 100U);
  Ids both = ids_of(first.json());
  for (const std::uint64_t id : ids_of(second.json())) {
    EXPECT_EQ(std::ranges::find(both, id), both.end()) << id;
  }
  // As many as can be kept in order at a time, and then the rest.
  const TestResponse large = ask("GET", "/v1/jobs?fields=id&sort=user");
  EXPECT_EQ(count(large.json(), "jobs"), 10'000U);
  EXPECT_NE(link_of(large), "");
}

TEST_F(PagesRoute, ShowTheFieldsThatAreWanted) {
  submit(R"("hold":true,"name":"grid")");
  EXPECT_EQ(ask("GET", "/v1/jobs?fields=name,id,state").body,
            R"({"schema":1,"jobs":[{"id":1,"state":"held","name":"grid"}]})");
  EXPECT_EQ(ask("GET", "/v1/jobs/1?fields=id,retries,private_shown").body,
            R"({"schema":1,"jobs":[{"id":1,"retries":0,"private_shown":true}]})");
  const JsonValue why = ask("GET", "/v1/jobs?fields=reason").json();
  EXPECT_NE(text(why.find("jobs")->as<JsonArray>()->at(0), "reason"), "(none)");
}

TEST_F(PagesRoute, RefuseWhatTheyDoNotKnow) {
  const auto says = [this](const std::string& query) {
    const TestResponse response = ask("GET", "/v1/jobs" + query);
    EXPECT_EQ(response.status, 400) << query;
    return response.message();
  };
  EXPECT_EQ(says("?fields=id,staet"),
            "fields has \"staet\", which jobs here do not have; did you mean state?");
  EXPECT_EQ(says("?fields=retries"), "fields has \"retries\", which jobs here do not have");
  EXPECT_EQ(says("?fields="), "fields names none, such as id,state");
  EXPECT_NE(says("?sort=colour").find("\"colour\", only by id, priority"), std::string::npos);
  EXPECT_NE(says("?sort=").find("sorted by"), std::string::npos);
  EXPECT_NE(says("?cursor=00").find("sort=id"), std::string::npos);
  EXPECT_NE(says("?sort=id&sweeps=1").find("sweeps go with"), std::string::npos);
  EXPECT_NE(says("?sort=id&newest=3").find("sort=-id"), std::string::npos);
  submit_priorities({50, 50});
  const std::string cursor = text(ask("GET", "/v1/jobs?limit=1").json(), "next");
  EXPECT_NE(says("?sort=name&cursor=" + cursor).find("sort=name"), std::string::npos);
  EXPECT_EQ(ask("GET", "/v1/jobs/1/events?cursor=" + cursor).status, 400);
}

TEST_F(PagesRoute, OfTheTrailFollowEachOther) {
  submit_priorities({50, 50});
  ASSERT_EQ(ask("POST", "/v1/jobs/1-2/cancel").status, 200);
  const auto sequences = [](const JsonValue& answer) {
    Ids all;
    for (const JsonValue& line : *answer.find("events")->as<JsonArray>()) {
      all.push_back(number(line, "sequence"));
    }
    return all;
  };
  const Ids whole = sequences(ask("GET", "/v1/jobs/1-2/events").json());
  ASSERT_GE(whole.size(), 4U);
  Ids together;
  for (std::string next = "/v1/jobs/1-2/events?limit=1"; !next.empty();) {
    const TestResponse response = ask("GET", next);
    ASSERT_EQ(response.status, 200) << response.body;
    const Ids page = sequences(response.json());
    ASSERT_EQ(page.size(), 1U);
    together.push_back(page.front());
    ASSERT_LE(together.size(), whole.size());
    next = link_of(response);
  }
  EXPECT_EQ(together, whole);
  EXPECT_EQ(ask("GET", "/v1/jobs/1/events?limit=0").status, 400);
}

TEST_F(PagesRoute, AreInOrderAlsoWhereOrderTakesSeveralTurns) {
  constexpr std::size_t kJobs = 2600;
  daemon.add_jobs(kJobs);
  ASSERT_TRUE(wait_until([this] { return ids("limit=3000&fields=id").size() == kJobs; }));
  const Ids page = ids("sort=-priority&limit=2400&fields=id");
  ASSERT_EQ(page.size(), 2400U);
  EXPECT_TRUE(std::ranges::is_sorted(page, std::greater<>{}));
  EXPECT_EQ(page.front(), kJobs);
}

TEST_F(PagesRoute, OneThatNobodyWaitsForIsNotLookedFor) {
  constexpr std::size_t kJobs = 2600;
  daemon.add_jobs(kJobs);
  ASSERT_TRUE(wait_until([this] { return ids("limit=3000&fields=id").size() == kJobs; }));
  int sent = 0;
  const auto look = [&] {
    if (daemon.engine().committing()) return false;
    boost::asio::io_context loop;
    ApiPorts ports;
    ports.now = read_clock;
    Context context(loop, daemon.engine(), ports, {});
    // Its client has left; what is sent would still be seen here.
    Call call;
    call.actor = ourselves();
    call.responder = Responder().watched([&sent](const HttpResponse&) { ++sent; });
    send_page(context, call, {}, {.order = {.by = JobOrder::By::kPriority}, .limit = 10});
    loop.run();
    EXPECT_EQ(sent, 0);
    // To show that it is seen: rows need no search, and are sent to whoever it is.
    send_rows(context, call.actor, {.ids = std::vector<JobId>{JobId{1}}}, call.responder);
    EXPECT_EQ(sent, 1);
    return true;
  };
  EXPECT_TRUE(wait_until([&] { return daemon.on_loop(look); }));
}

}  // namespace
}  // namespace gpusched::testing
