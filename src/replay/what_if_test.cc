#include "replay/what_if.h"

#include <gtest/gtest.h>

#include "replay/history.h"

namespace gpusched::replay {
namespace {

constexpr std::uint64_t kGibi = 1ULL << 30;

// An hour each, all submitted at once, one after the other on one card.
std::vector<PastJob> hours_of_queue(int count, const std::string& tenant = "ml1") {
  std::vector<PastJob> jobs;
  for (int i = 0; i < count; ++i) {
    PastJob one;
    one.job.line = static_cast<std::size_t>(i) + 1;
    one.job.tenant = tenant;
    one.job.duration = Seconds{3600};
    one.submitted = Wall{Seconds{1000}};
    one.started = one.submitted + Seconds{3600} * i;
    one.ended = one.started + Seconds{3600};
    one.cards = {0};
    jobs.push_back(one);
  }
  return jobs;
}

WhatIf asked_of_one_card() {
  WhatIf asked;
  asked.machine = *describe_machine("1x24G", "8", "64G");
  return asked;
}

double mean_wait(const Simulated& done) { return done.measures.wait_s.average; }

TEST(WhatIf, NothingChangedIsTheSameAsConfigured) {
  const auto done = replay_what_if(asked_of_one_card(), hours_of_queue(3));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_DOUBLE_EQ(mean_wait(done->as_configured), 3600);
  EXPECT_DOUBLE_EQ(mean_wait(done->would), 3600);
  EXPECT_DOUBLE_EQ(measure(done->past.trace, done->past.as_it_was).wait_s.average, 3600);
  EXPECT_DOUBLE_EQ(wait_of(done->past.trace, done->past.as_it_was, 2), 7200);
}

TEST(WhatIf, JobsOfOneMomentGoInTheOrderOfTheirNumbers) {
  std::vector<PastJob> jobs = hours_of_queue(3);
  std::swap(jobs[0], jobs[2]);  // As the daemon finds them: what ended last comes first.
  const auto done = replay_what_if(asked_of_one_card(), jobs);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->past.trace[0].line, 1U);
  EXPECT_DOUBLE_EQ(wait_of(done->would.trace, done->would.outcome, 2), 7200);
}

TEST(WhatIf, AnotherCardSparesWaiting) {
  WhatIf asked = asked_of_one_card();
  asked.add_cards = {"24G", "H100:80G"};
  const auto done = replay_what_if(asked, hours_of_queue(3));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_DOUBLE_EQ(mean_wait(done->as_configured), 3600);
  EXPECT_DOUBLE_EQ(mean_wait(done->would), 0);
}

TEST(WhatIf, WithoutATenantOnlyTheOthersAreLeft) {
  WhatIf asked = asked_of_one_card();
  asked.without_tenant = "ml2";
  std::vector<PastJob> jobs = hours_of_queue(2, "ml2");
  for (PastJob& one : hours_of_queue(1)) jobs.push_back(one);
  const auto done = replay_what_if(asked, jobs);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->as_configured.trace.size(), 3U);
  ASSERT_EQ(done->would.trace.size(), 1U);
  EXPECT_EQ(done->would.trace[0].tenant, "ml1");
  EXPECT_EQ(done->past.trace[done->in_past[0]].tenant, "ml1");
  EXPECT_DOUBLE_EQ(mean_wait(done->would), 0);
}

TEST(WhatIf, APriorityPutsATenantFirst) {
  WhatIf asked = asked_of_one_card();
  asked.priority_of = {{"ml2", 90}};
  std::vector<PastJob> jobs = hours_of_queue(1);
  jobs[0].job.duration = Seconds{60};
  jobs[0].ended = jobs[0].started + Seconds{60};
  for (PastJob& one : hours_of_queue(3)) jobs.push_back(one);
  jobs[3].job.tenant = "ml2";
  const auto done = replay_what_if(asked, jobs);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_LT(wait_of(done->would.trace, done->would.outcome, 3),
            wait_of(done->as_configured.trace, done->as_configured.outcome, 3));
}

TEST(WhatIf, ACapKeepsShareesApart) {
  WhatIf asked = asked_of_one_card();
  asked.cap_percent = 50;
  std::vector<PastJob> jobs = hours_of_queue(2);
  for (PastJob& one : jobs) {
    one.job.needs.vram_bytes = 4 * kGibi;
    one.job.needs.share_percent = 40;
  }
  const auto done = replay_what_if(asked, jobs);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_DOUBLE_EQ(mean_wait(done->as_configured), 0);
  EXPECT_DOUBLE_EQ(mean_wait(done->would), 1800);
}

TEST(WhatIf, WhoAsksForMoreThanTheCapRunsAlone) {
  WhatIf asked = asked_of_one_card();
  asked.cap_percent = 50;
  std::vector<PastJob> jobs = hours_of_queue(3);
  for (PastJob& one : jobs) one.job.needs.share_percent = 80;
  const auto done = replay_what_if(asked, jobs);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_DOUBLE_EQ(mean_wait(done->would), 3600);
}

TEST(WhatIf, LeavesOutWhatCouldNeverRun) {
  WhatIf asked = asked_of_one_card();
  ASSERT_TRUE(add_card(asked.machine, "80G"));
  asked.remove_cards.numbers = {CardNumber{1}};
  std::vector<PastJob> jobs = hours_of_queue(3);
  jobs[1].job.needs.vram_bytes = 60 * kGibi;   // Only there.
  jobs[2].job.needs.vram_bytes = 100 * kGibi;  // Nowhere.
  const auto done = replay_what_if(asked, jobs);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->too_large, 2U);
  EXPECT_EQ(done->would.trace.size(), 1U);
  const auto none = replay_what_if(asked, {jobs[2]});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kConflict);
}

TEST(WhatIf, EveryPolicyReplaysThePast) {
  std::vector<PastJob> jobs = hours_of_queue(4);
  jobs[2].job.needs.gpus = {0, 0};  // On CPUs.
  jobs[2].cards.clear();
  for (const char* policy : {"default", "timeshare", "fifo-strict", "fifo-greedy", "sjf", "srtf",
                             "srsf", "las", "easy"}) {
    WhatIf asked = asked_of_one_card();
    asked.policy = policy;
    const auto done = replay_what_if(asked, jobs);
    ASSERT_TRUE(done) << policy << ": " << done.error().message;
    EXPECT_GE(done->would.measures.makespan_s, 3 * 3600) << policy;
  }
}

TEST(WhatIf, SaysWhatIsWrong) {
  const auto refusal = [](auto change) {
    WhatIf asked = asked_of_one_card();
    change(asked);
    const auto done = replay_what_if(asked, hours_of_queue(1));
    return done ? std::string("(taken)") : done.error().message;
  };
  EXPECT_EQ(refusal([](WhatIf& asked) { asked.policy = "fastest"; }),
            "policy: there is no 'fastest'; there are default, timeshare, fifo-strict, "
            "fifo-greedy, sjf, srtf, srsf, las, easy");
  EXPECT_EQ(refusal([](WhatIf& asked) {
              asked.machine.cards.clear();
              asked.policy = "sjf";
            }),
            "policy: sjf gives cards, and this machine has none");
  EXPECT_EQ(refusal([](WhatIf& asked) { asked.add_cards = {"large"}; }),
            "add_cards: 'large' is not like 24G or H100:80G");
  EXPECT_EQ(refusal([](WhatIf& asked) { asked.remove_cards.numbers = {CardNumber{7}}; }),
            "remove_cards: there is no card '7'");
  EXPECT_EQ(refusal([](WhatIf& asked) { asked.remove_cards.numbers = {CardNumber{0}}; }),
            "remove_cards: that is the only card there is");
  EXPECT_EQ(refusal([](WhatIf& asked) { asked.without_tenant = "lab"; }),
            "without_tenant: no job of tenant 'lab' has run and ended in that time");
  EXPECT_EQ(refusal([](WhatIf& asked) { asked.without_tenant = "ml1"; }),
            "without_tenant: all jobs of that time are of tenant 'ml1'");
  EXPECT_EQ(refusal([](WhatIf& asked) {
              asked.priority_of = {{"lab", 5}};
            }),
            "priority_of: no job of tenant 'lab' has run and ended in that time");
}

TEST(WhatIf, EndsWhenItIsTold) {
  for (const char* policy : {"default", "sjf"}) {
    WhatIf asked = asked_of_one_card();
    asked.policy = policy;
    int asks = 0;
    asked.give_up = [&asks] { return ++asks > 2; };
    const auto done = replay_what_if(asked, hours_of_queue(500));
    ASSERT_FALSE(done) << policy;
    EXPECT_EQ(done.error().code, ErrorCode::kTooLarge);
  }
}

TEST(WhatIf, TakesJobsOfAStateLikeThoseOfTheApi) {
  Job job;
  auto spec = std::make_shared<JobSpec>();
  spec->needs.cards.edit().only.names = {"left"};
  spec->time.limit = Seconds{60};
  job.spec = spec;
  job.id = JobId{7};
  job.tenant = "lab";
  job.moves = 2;
  job.submitted_at = Wall{Seconds{100}};
  EXPECT_FALSE(past_job_of(job)) << "it waits";
  Ended ended;
  ended.ended_at = Wall{Seconds{200}};
  job.state = ended;
  EXPECT_FALSE(past_job_of(job)) << "it never ran";
  ended.started_at = Wall{Seconds{150}};
  ended.grant.cards = {
      {.card = CardNumber{1}, .vram_bytes = 5 * kGibi, .share_percent = 30, .whole = false}};
  job.state = ended;
  const auto past = past_job_of(job);
  ASSERT_TRUE(past);
  EXPECT_EQ(past->job.line, 7U);
  EXPECT_EQ(past->job.tenant, "lab");
  EXPECT_EQ(past->job.duration, Seconds{50});
  EXPECT_EQ(past->job.needs.vram_bytes, 5 * kGibi);
  EXPECT_EQ(past->job.needs.share_percent, 30);
  EXPECT_TRUE(past->job.needs.cards->only.empty());
  EXPECT_EQ(past->cards, std::vector<int>{1});
  EXPECT_EQ(past_of({*past}, Machine{}).as_it_was.jobs[0].preemptions, 2);
}

}  // namespace
}  // namespace gpusched::replay
