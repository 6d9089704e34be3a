#include "api/selector.h"

#include <gtest/gtest.h>

#include "core/state/state.h"
#include "http/target.h"

namespace gpusched {
namespace {

IdRange range(std::uint64_t first, std::uint64_t last) { return {JobId{first}, JobId{last}}; }

TEST(Selector, ReadsEveryForm) {
  EXPECT_EQ(*parse_selector("7"), (Selector{range(7, 7)}));
  EXPECT_EQ(*parse_selector("7-12"), (Selector{range(7, 12)}));
  EXPECT_EQ(*parse_selector("7,9,20-22"), (Selector{range(7, 7), range(9, 9), range(20, 22)}));
  EXPECT_EQ(*parse_selector("last"), (Selector{NewestOf{0}}));
  EXPECT_EQ(*parse_selector("@~2"), (Selector{NewestOf{2}}));
  EXPECT_EQ(*parse_selector("all"), (Selector{AllJobs{}}));
  EXPECT_EQ(*parse_selector("last,3"), (Selector{NewestOf{0}, range(3, 3)}));
  EXPECT_EQ(*parse_selector("3,last"), (Selector{NewestOf{0}, range(3, 3)}));
}

TEST(Selector, NamesNothingTwice) {
  std::string text = "all";
  for (int i = 0; i < 1000; ++i) text += ",all";
  EXPECT_EQ(*parse_selector(text), (Selector{AllJobs{}}));
  EXPECT_EQ(*parse_selector("1-9,2-8,9-12,13,20,last,last"),
            (Selector{NewestOf{0}, range(1, 13), range(20, 20)}));
}

TEST(Selector, RefusesWhatNamesNoJobs) {
  for (const char* text : {"",
                           ",",
                           "7,",
                           ",7",
                           "7-",
                           "-7",
                           "12-7",
                           "x",
                           "7x",
                           "7-x",
                           "@",
                           "@~",
                           "@~x",
                           "@~-1",
                           "+7",
                           " 7",
                           "7 ",
                           "ALL",
                           "99999999999999999999",
                           "7--9",
                           "7-9-11",
                           "0x7",
                           "1e3",
                           "@~99999999999"}) {
    const auto selector = parse_selector(text);
    ASSERT_FALSE(selector) << text;
    EXPECT_EQ(selector.error().code, ErrorCode::kInvalid);
  }
}

TEST(States, AreReadFromAList) {
  EXPECT_TRUE(parse_states("queued,running"));
  EXPECT_EQ(*parse_states("active"), *parse_states("starting,running,pausing,paused,resuming"));
  EXPECT_EQ(*parse_states("waiting,active,ended"),
            *parse_states(
                "held,queued,starting,running,pausing,paused,resuming,completed,failed,cancelled"));
  EXPECT_FALSE(parse_states(""));
  EXPECT_FALSE(parse_states("queued,"));
  EXPECT_FALSE(parse_states("sleeping"));
}

// Five jobs: 1 and 3 of user 1000, 2 and 4 of user 1001, 6 of 1000; 5 is gone.
State five_jobs() {
  State state(Rules{}, HostCapacity{4, 1ULL << 30});
  for (const std::uint64_t id : {1, 2, 3, 4, 6}) {
    auto spec = std::make_shared<JobSpec>();
    spec->argv = {"true"};
    spec->name = id == 6 ? "six" : "other";
    spec->extras.edit().tags = {"t" + std::to_string(id)};
    Job job;
    job.id = JobId{id};
    job.spec = spec;
    job.owner.uid = id % 2 == 0 && id != 6 ? 1001 : 1000;
    job.owner.user = job.owner.uid == 1000 ? "ml1" : "ml2";
    if (id == 1) job.state = Ended{};
    state.put(job, Now{});
  }
  state.set_next_job(JobId{7});
  return state;
}

std::string resolved(std::string_view text, const JobFilter& filter = {},
                     const Principal& actor = {.uid = 1000}) {
  const State state = five_jobs();
  const auto ids = resolve_selector(state, *parse_selector(text), filter, actor);
  if (!ids) return std::string(error_code_name(ids.error().code)) + ": " + ids.error().message;
  std::string list;
  for (const JobId id : *ids) list += (list.empty() ? "" : " ") + to_string(id);
  return list;
}

TEST(Selector, ResolvesAgainstAState) {
  EXPECT_EQ(resolved("3"), "3");
  EXPECT_EQ(resolved("4,1-3,2"), "1 2 3 4");
  EXPECT_EQ(resolved("last"), "6");
  EXPECT_EQ(resolved("@~1"), "3");
  EXPECT_EQ(resolved("all"), "1 3 6");
  EXPECT_EQ(resolved("all", {}, ourselves()), "1 2 3 4 6");
  EXPECT_EQ(resolved("last", {}, {.uid = 1001}), "4");
}

TEST(Selector, NamesTheFirstJobThatIsNotThere) {
  EXPECT_EQ(resolved("5"), "not_found: there is no job 5");
  EXPECT_EQ(resolved("3-6"), "not_found: there is no job 5");
  EXPECT_EQ(resolved("7"), "not_found: there is no job 7");
  EXPECT_EQ(resolved("0"), "not_found: there is no job 0");
  EXPECT_EQ(resolved("6-9000000000000000000"), "not_found: there is no job 7");
  EXPECT_EQ(resolved("@~3"), "not_found: you have only 3 jobs");
  EXPECT_EQ(resolved("last", {}, {.uid = 4}), "not_found: you have no jobs");
}

Result<JobFilter> filter_of(const std::map<std::string, std::string>& query,
                            const Principal& actor = {.uid = 1}) {
  return parse_filter(query, actor, Wall{Seconds{1000}});
}

TEST(Selector, FiltersNarrow) {
  EXPECT_EQ(resolved("all", *filter_of({{"state", "waiting"}})), "3 6");
  EXPECT_EQ(resolved("1-4", *filter_of({{"user", "ml2"}})), "2 4");
  EXPECT_EQ(resolved("all", *filter_of({{"name", "six"}})), "6");
  EXPECT_EQ(resolved("all", *filter_of({{"tag", "t3"}})), "3");
  EXPECT_EQ(resolved("all", *filter_of({{"array", "1"}})), "");
  EXPECT_FALSE(filter_of({{"state", "x"}}));
  EXPECT_FALSE(filter_of({{"array", "x"}}));
}

TEST(Selector, NamesAndTagsAreComparedAsTheAskerSeesThem) {
  Job job;
  JobSpec spec{.name = "run {lr}"};
  spec.extras.edit().tags = {"lr={lr}"};
  job.spec = std::make_shared<const JobSpec>(spec);
  job.task = std::make_shared<const ArrayTask>(ArrayTask{JobId{1}, 0, {{"lr", "0.1"}}});
  job.owner = {1000, 1000, "ml1"};
  const std::vector<std::map<std::string, std::string>> by_value = {{{"name", "run 0.1"}},
                                                                    {{"tag", "lr=0.1"}}};
  for (const auto& query : by_value) {
    EXPECT_TRUE(filter_of(query, {.uid = 1000})->matches(job));
    EXPECT_TRUE(filter_of(query, ourselves())->matches(job));
    EXPECT_FALSE(filter_of(query, {.uid = 1001})->matches(job)) << "or values could be guessed";
    EXPECT_TRUE(parse_filter(query, {.uid = 1001}, Wall{}, {.arguments = true})->matches(job));
  }
  EXPECT_TRUE(filter_of({{"name", "run {lr}"}}, {.uid = 1001})->matches(job));
}

TEST(Selector, MineIsWhoeverAsksAlsoIfTheyMayChangeAll) {
  const Principal ml2{.uid = 1001, .role = Role::kAdministrator, .proof = Proof::kPeer};
  EXPECT_EQ(resolved("all", *filter_of({{"mine", "0"}}, ml2), ml2), "1 2 3 4 6");
  EXPECT_EQ(resolved("all", *filter_of({{"mine", "1"}}, ml2), ml2), "2 4");
  EXPECT_FALSE(filter_of({{"mine", "yes"}}));
}

TEST(Selector, SinceLeavesOutWhatHadEndedBefore) {
  Job job;
  job.spec = std::make_shared<JobSpec>();
  const JobFilter filter = *filter_of({{"since", "100s"}});
  EXPECT_TRUE(filter.matches(job));
  job.state = Ended{.ended_at = Wall{Seconds{899}}};
  EXPECT_FALSE(filter.matches(job));
  job.state = Ended{.ended_at = Wall{Seconds{901}}};
  EXPECT_TRUE(filter.matches(job));
  EXPECT_EQ(filter_of({{"since", "yesterday"}}).error().code, ErrorCode::kInvalid);
}

TEST(Target, IsTakenApart) {
  const auto target = parse_target("/v1/jobs/7%2C9/log?follow=1&tail=100&name=a+b%26");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (std::vector<std::string>{"v1", "jobs", "7,9", "log"}));
  EXPECT_EQ(target->query.at("follow"), "1");
  EXPECT_EQ(target->query.at("name"), "a b&");
  EXPECT_EQ(parse_target("/v1/jobs/")->segments.size(), 2U);
  EXPECT_EQ(parse_target("http://gpusched/v1/jobs?x")->segments.size(), 2U);
  EXPECT_EQ(parse_target("/?")->segments, std::vector<std::string>{""});
}

TEST(Target, RefusesWhatIsBroken) {
  for (const char* text :
       {"", "v1/jobs", "*", "/v1/%", "/v1/%2", "/v1/%zz", "/v1?a=%z", "/v1?a=1&a=2"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
}

}  // namespace
}  // namespace gpusched
