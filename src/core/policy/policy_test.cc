#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "core/policy/attained_queues.h"
#include "core/policy/choose.h"
#include "core/policy/timeshare.h"

namespace gpusched::policy {
namespace {

Contender contender(std::size_t job, int cards, int seconds) {
  return {.job = job, .cards = cards, .total = Seconds{seconds}, .remaining = Seconds{seconds}};
}

std::vector<const Contender*> pointers(const std::vector<Contender>& jobs) {
  std::vector<const Contender*> order;
  for (const Contender& job : jobs) order.push_back(&job);
  return order;
}

std::vector<std::size_t> jobs_of(const std::vector<Chosen>& chosen) {
  std::vector<std::size_t> jobs;
  for (const Chosen& one : chosen) jobs.push_back(one.job);
  return jobs;
}

using Jobs = std::vector<std::size_t>;

TEST(NodeLayout, KeepsAJobInOneNodeAndLargeOnesOnWholeNodes) {
  NodeLayout layout(3, 4);
  layout.take({{0, 3}});
  EXPECT_EQ(layout.find(1, Fit::kFirst), (Places{{0, 1}}));
  EXPECT_EQ(layout.find(2, Fit::kFirst), (Places{{1, 2}}));
  EXPECT_EQ(layout.find(8, Fit::kFirst), (Places{{1, 4}, {2, 4}}));
  EXPECT_EQ(layout.find(5, Fit::kFirst), (Places{{1, 4}, {0, 1}}));
  EXPECT_EQ(layout.find(6, Fit::kFirst), (Places{{1, 4}, {2, 2}}));
  EXPECT_EQ(layout.find(10, Fit::kFirst), std::nullopt);
}

TEST(NodeLayout, BestFitLeavesWholeNodesWhole) {
  NodeLayout layout(3, 4);
  layout.take({{1, 2}});
  layout.take({{2, 1}});
  EXPECT_EQ(layout.find(2, Fit::kFirst), (Places{{0, 2}}));
  EXPECT_EQ(layout.find(2, Fit::kBest), (Places{{1, 2}}));
  EXPECT_EQ(layout.find(3, Fit::kBest), (Places{{2, 3}}));
}

TEST(ChooseStarts, StrictStopsAndGreedySkips) {
  const std::vector<Contender> jobs = {contender(0, 3, 9), contender(1, 4, 9), contender(2, 1, 9)};
  const NodeLayout empty(1, 4);
  EXPECT_EQ(jobs_of(choose_starts(pointers(jobs), empty, OnMisfit::kStop, Fit::kFirst)), Jobs{0});
  EXPECT_EQ(jobs_of(choose_starts(pointers(jobs), empty, OnMisfit::kSkip, Fit::kFirst)),
            (Jobs{0, 2}));
}

TEST(ChooseEasy, OnlyWhatDoesNotDelayTheFirstPassesIt) {
  Contender running = contender(9, 3, 100);
  running.places = {{0, 3}};
  running.running = true;
  NodeLayout layout(1, 4);
  layout.take(running.places);
  const std::vector<const Contender*> runs = {&running};
  // The head needs 4 at second 100. One that is over by then may pass, a longer one may not.
  std::vector<Contender> jobs = {contender(0, 4, 10), contender(1, 1, 101), contender(2, 1, 100)};
  EXPECT_EQ(jobs_of(choose_easy(pointers(jobs), runs, layout, Fit::kFirst)), Jobs{2});
  // A head of 3 leaves one card over: even an endless job may have it.
  jobs[0].cards = 3;
  EXPECT_EQ(jobs_of(choose_easy(pointers(jobs), runs, layout, Fit::kFirst)), Jobs{1});
}

TEST(ChooseAll, MovesOnlyWhereMovesAreFree) {
  Contender old = contender(0, 2, 50);
  old.running = true;
  old.places = {{1, 2}};
  const Contender fresh = contender(1, 2, 10);
  const std::vector<const Contender*> order = {&fresh, &old};
  const NodeLayout empty(2, 2);
  const auto freely = choose_all(order, empty, {.fit = Fit::kFirst, .moves_are_free = true});
  ASSERT_EQ(freely.size(), 2u);
  EXPECT_EQ(freely[1].places, (Places{{1, 2}}));
  old.places = {{0, 2}};
  const auto moved = choose_all(order, empty, {.fit = Fit::kFirst, .moves_are_free = true});
  EXPECT_EQ(moved[0].places, (Places{{0, 2}}));
  const auto kept = choose_all(order, empty, {.fit = Fit::kFirst, .moves_are_free = false});
  EXPECT_EQ(kept[0].places, (Places{{1, 2}}));
  EXPECT_EQ(kept[1].places, (Places{{0, 2}}));
}

TEST(AttainedQueues, JobsSinkWithWhatTheyHaveHad) {
  AttainedQueues queues({Seconds{10}, Seconds{100}});
  for (const std::size_t job : {0, 1, 2}) queues.admit(job);
  EXPECT_EQ(queues.until_limit(0, Seconds{0}, 4), Seconds{3});
  queues.account(0, Seconds{3}, 4);
  EXPECT_EQ(queues.in_order(), (Jobs{1, 2, 0}));
  EXPECT_EQ(queues.until_limit(0, Seconds{3}, 4), Seconds{22});
  queues.account(0, Seconds{25}, 4);
  EXPECT_EQ(queues.until_limit(0, Seconds{25}, 4), Microseconds::max());
  queues.put_running_first([](std::size_t job) { return job == 2; });
  EXPECT_EQ(queues.in_order(), (Jobs{2, 1, 0}));
  queues.remove(1);
  EXPECT_EQ(queues.in_order(), (Jobs{2, 0}));
}

TEST(Timeshare, ThoseWhoHadLittleGoFirstInsideTheirBand) {
  std::vector<Contender> jobs = {contender(0, 1, 1), contender(1, 1, 1), contender(2, 8, 1),
                                 contender(3, 1, 1)};
  jobs[0].attained = std::chrono::hours{3};
  jobs[2].attained = std::chrono::minutes{14};
  jobs[3].band = 1;
  std::vector<Contender*> order;
  for (Contender& job : jobs) order.push_back(&job);
  timeshare_sort(order);
  EXPECT_EQ(order, (std::vector<Contender*>{&jobs[1], &jobs[2], &jobs[0], &jobs[3]}));
  const std::vector<const Contender*> running = {&jobs[2]};
  EXPECT_EQ(timeshare_next(running), std::chrono::minutes{1});
  jobs[2].attained = std::chrono::hours{6400};
  EXPECT_EQ(timeshare_next(running), Microseconds::max());
}

// No plan hands out more than there is, and no gang is split or halved.
TEST(ChooseAll, NeverHandsOutMoreThanThereIs) {
  rc::check([] {
    const int nodes = *rc::gen::inRange(1, 5);
    const int each = *rc::gen::inRange(1, 9);
    const auto sizes = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, nodes * each + 1));
    const bool moves_are_free = *rc::gen::arbitrary<bool>();
    NodeLayout layout(nodes, each);
    std::vector<Contender> jobs;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      jobs.push_back(contender(i, sizes[i], 1));
      if (auto places = layout.find(sizes[i], Fit::kBest); places && *rc::gen::arbitrary<bool>()) {
        jobs.back().running = true;
        jobs.back().places = *places;
        layout.take(*places);
      }
    }
    std::ranges::reverse(jobs);
    NodeLayout left(nodes, each);
    for (const Chosen& one : choose_all(pointers(jobs), NodeLayout(nodes, each),
                                        {.fit = Fit::kFirst, .moves_are_free = moves_are_free})) {
      RC_ASSERT(left.has(one.places));
      left.take(one.places);
      int cards = 0;
      int parts = 0;
      for (const NodeShare& on : one.places) {
        cards += on.cards;
        parts += on.cards < each ? 1 : 0;
      }
      RC_ASSERT(cards == sizes[one.job]);
      RC_ASSERT(parts <= 1);
    }
  });
}

}  // namespace
}  // namespace gpusched::policy
