#include "replay/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "replay/report.h"

namespace gpusched::replay {
namespace {

SimulateAsked asked(const std::string& policy, const std::string& machine) {
  SimulateAsked asked;
  asked.policy = policy;
  asked.machine = *describe_machine(machine, "64", "512G");
  return asked;
}
Simulated simulated(const SimulateAsked& asked, const std::string& text) {
  auto result = simulate(asked, {.trace = text, .restart_costs = {}, .nodes = {}});
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return std::get<Simulated>(std::move(*result));
}

// A job of 2 cards, one of 4 that must wait for it, and two small ones behind.
constexpr const char* kQueue =
    "submit_s,gpus,duration_s\n"
    "0,2,100\n"
    "1,4,50\n"
    "2,1,40\n"
    "2,1,300\n";

TEST(Simulate, PoliciesOnASmallQueue) {
  const auto ends = [](const std::string& policy) {
    std::vector<std::int64_t> seconds;
    for (const JobOutcome& job : simulated(asked(policy, "1x4"), kQueue).outcome.jobs) {
      seconds.push_back(std::chrono::duration_cast<Seconds>(job.end).count());
    }
    return seconds;
  };
  using Ends = std::vector<std::int64_t>;
  EXPECT_EQ(ends("fifo-strict"), (Ends{100, 150, 190, 450}));
  EXPECT_EQ(ends("fifo-greedy"), (Ends{100, 352, 42, 302}));
  EXPECT_EQ(ends("easy"), (Ends{100, 150, 42, 450}));
  // The second pushes the first out, the third the second, beside which the first goes on.
  EXPECT_EQ(ends("srtf"), (Ends{150, 91, 42, 351}));
}

TEST(Simulate, AnHonestCostIsChargedWhenAJobIsStopped) {
  SimulateAsked srtf = asked("srtf", "1x4");
  srtf.cost = CostKind::kHonest;
  const Simulated done = simulated(srtf, "submit_s,gpus,duration_s\n0,4,100\n10,4,20\n");
  EXPECT_EQ(done.measures.preemptions, 1u);
  EXPECT_EQ(done.outcome.jobs[0].end, Seconds{100 + 20 + 30});
  EXPECT_DOUBLE_EQ(done.measures.lost_card_seconds, 4 * 30);
  EXPECT_DOUBLE_EQ(done.measures.wait_s.longest, 20);
}

TEST(Simulate, DefaultIsTheCoreOfTheDaemon) {
  const Simulated done = simulated(asked("default", "2x24G"),
                                   "submit_s,gpus,duration_s\n"
                                   "0,2,100\n"
                                   "10,1,50\n"
                                   "# a remark\n"
                                   "10,1,50\n"
                                   "10,1,50\n");
  EXPECT_EQ(done.measures.jobs, 4u);
  EXPECT_DOUBLE_EQ(done.measures.makespan_s, 200);
  EXPECT_DOUBLE_EQ(done.measures.completion_s.average, (100 + 140 + 140 + 190) / 4.0);
  EXPECT_DOUBLE_EQ(done.measures.wait_s.longest, 140);
  EXPECT_DOUBLE_EQ(done.measures.utilisation_percent, 100);
}

TEST(Simulate, DefaultSharesCardsByDeclaredMemory) {
  const Simulated done =
      simulated(asked("default", "2x24G"), "submit_s,vram,duration_s\n0,8G,60\n0,8G,60\n0,8G,60\n");
  EXPECT_DOUBLE_EQ(done.measures.makespan_s, 60);
}

TEST(Simulate, ATimeLimitEndsAJobAndLimitsCanBeMadeUp) {
  constexpr const char* kCut = "submit_s,duration_s,time_limit_s\n0,100,30\n";
  const Simulated cut = simulated(asked("default", "2x24G"), kCut);
  EXPECT_EQ(cut.measures.timed_out, 1u);
  EXPECT_DOUBLE_EQ(cut.measures.makespan_s, 30);
  SimulateAsked twice = asked("default", "2x24G");
  twice.limit_factor = 2;
  EXPECT_EQ(simulated(twice, kCut).measures.timed_out, 0u);
  SimulateAsked none = asked("default", "2x24G");
  none.no_limits = true;
  EXPECT_DOUBLE_EQ(simulated(none, kCut).measures.makespan_s, 100);
}

TEST(Simulate, AJobThatCanNeverRunIsSaidByItsLine) {
  const TraceText text{
      .trace = "submit_s,gpus,duration_s\n0,3,1\n", .restart_costs = {}, .nodes = {}};
  EXPECT_EQ(simulate(asked("default", "2x24G"), text).error().message.substr(0, 8), "line 2: ");
  EXPECT_EQ(simulate(asked("easy", "1x2"), text).error().message,
            "line 2: the job asks for 3 cards and the machine has 2; --max-gpus 2 leaves such "
            "jobs out");
}

TEST(Simulate, FormatsImplyTheirCosts) {
  SimulateAsked muri = asked("srtf", "8x8");
  muri.format = Format::kMuri;
  EXPECT_EQ(cost_of(muri), CostKind::kMuri);
  muri.policy = "timeshare";
  EXPECT_EQ(cost_of(muri), CostKind::kHonest);
  muri.cost = CostKind::kNone;
  EXPECT_EQ(cost_of(muri), CostKind::kNone);
  SimulateAsked philly = asked("srtf", "1x8");
  philly.format = Format::kPhilly;
  EXPECT_EQ(cost_of(philly), CostKind::kHelios);
}

TEST(Simulate, ATenantThatIsKeptOutIsSeenInItsWindows) {
  // One tenant fills the machine for two weeks; the other waits all the time.
  const Simulated done = simulated(asked("fifo-strict", "1x2"),
                                   "submit_s,gpus,duration_s,user\n"
                                   "0,2,1209600,large\n"
                                   "1,1,604800,small\n");
  EXPECT_EQ(done.measures.shares.windows, 5u);
  EXPECT_EQ(done.measures.shares.below, 2u);
  EXPECT_DOUBLE_EQ(done.measures.shares.worst, 0);
  EXPECT_LT(done.measures.shares.jain, 1);
  ASSERT_EQ(done.measures.tenants.size(), 2u);
  EXPECT_EQ(done.measures.tenants.front().tenant, "large");
}

TEST(Simulate, EveryPolicyEndsEveryJobOnceAndNeverTwiceOnACard) {
  std::string text = "submit_s,gpus,duration_s,user\n";
  for (int i = 0; i < 300; ++i) {
    text += std::to_string(i * 7) + "," + std::to_string(1 + (i * 5) % 9) + "," +
            std::to_string(20 + (i * i) % 900) + ",u" + std::to_string(i % 3) + "\n";
  }
  for (const char* policy : {"default", "timeshare", "fifo-strict", "fifo-greedy", "sjf", "srtf",
                             "srsf", "las", "easy"}) {
    SCOPED_TRACE(policy);
    SimulateAsked request = asked(policy, "3x4");
    request.cost = CostKind::kHonest;
    request.queues = {Seconds{300}, Seconds{2000}};
    const Simulated done = simulated(request, text);
    std::vector<std::vector<std::pair<Microseconds, Microseconds>>> on_card(12);
    for (const Stretch& run : done.outcome.stretches) {
      EXPECT_EQ(run.cards.size(), static_cast<std::size_t>(done.trace[run.job].cards()));
      for (const int card : run.cards) {
        on_card[static_cast<std::size_t>(card)].emplace_back(run.start, run.end);
      }
    }
    for (auto& runs : on_card) {
      std::ranges::sort(runs);
      for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_LE(runs[i - 1].second, runs[i].first);
    }
    for (std::size_t i = 0; i < done.trace.size(); ++i) {
      EXPECT_GE(done.outcome.jobs[i].on_cards, done.trace[i].duration);
      EXPECT_GE(done.outcome.jobs[i].end, done.trace[i].submit + done.trace[i].duration);
    }
  }
}

TEST(Simulate, PackingIsTheSameForTheSameSeed) {
  std::string tasks = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n";
  for (int i = 0; i < 60; ++i) {
    tasks +=
        "t" + std::to_string(i) + ",1000,10,1," + std::to_string(100 + (i * 170) % 900) + ",\n";
  }
  std::string nodes = "sn,cpu_milli,memory_mib,gpu,model\n";
  for (int i = 0; i < 8; ++i) nodes += "n" + std::to_string(i) + ",96000,1000,4,T4\n";
  double best = 0;
  for (const char* policy : {"random", "best-fit", "fgd"}) {
    SimulateAsked request = asked(policy, "1x8");
    request.format = Format::kOpenb;
    request.seeds = 3;
    const TraceText text{.trace = tasks, .restart_costs = {}, .nodes = nodes};
    const auto once = std::get<PackingResult>(*simulate(request, text));
    const auto again = std::get<PackingResult>(*simulate(request, text));
    EXPECT_EQ(once.allocated_percent, again.allocated_percent);
    EXPECT_EQ(once.cards, 32);
    EXPECT_LE(once.mean(), 100);
    EXPECT_GE(once.mean(), best - 1) << policy;
    best = once.mean();
  }
}

}  // namespace
}  // namespace gpusched::replay
