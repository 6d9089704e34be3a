#include "engine/reconcile.h"

#include <gtest/gtest.h>

namespace gpusched::testing {
namespace {

Job known(std::uint64_t id, int attempt, JobState state = Queued{}) {
  Job job;
  job.id = JobId{id};
  job.spec = std::make_shared<JobSpec>();
  job.attempt = attempt;
  job.state = std::move(state);
  return job;
}

FoundJob directory(std::uint64_t id, int claimed) {
  FoundJob found{.job = JobId{id}, .claimed = claimed};
  found.order = {
      .argv = {"train"}, .working_directory = "/w", .owner = Identity{1000, 1000, "user1"}};
  return found;
}

class Reconciling : public ::testing::Test {
 protected:
  Reconciled with(const std::vector<FoundJob>& found) {
    return reconcile(image_, found,
                     {.no_environment = std::make_shared<Environment>(),
                      .cards = {CardNumber{0}, CardNumber{3}},
                      .now = Wall{Seconds{5}}});
  }
  StoreImage image_;
};

TEST_F(Reconciling, EqualKnowledgeChangesNothing) {
  image_.jobs = {known(1, 1), known(2, 0)};
  image_.next_job = JobId{3};
  EXPECT_TRUE(with({}).nothing());
  EXPECT_EQ(image_.next_job, JobId{3});
}

TEST_F(Reconciling, AStartedJobThatTheStoreHasLostIsBroughtBack) {
  image_.jobs = {known(1, 1)};
  image_.next_job = JobId{2};
  const Reconciled done = with({directory(4, 2)});
  EXPECT_EQ(done.brought_back, std::vector<JobId>{JobId{4}});
  EXPECT_EQ(done.gone, (std::vector<std::pair<JobId, JobId>>{{JobId{2}, JobId{3}}}));
  EXPECT_EQ(image_.next_job, JobId{5}) << "No number is given again.";
  ASSERT_EQ(image_.jobs.size(), 2u);
  const Job& back = image_.jobs.back();
  EXPECT_EQ(back.attempt, 2);
  EXPECT_TRUE(back.active()) << "So that recovery asks for it.";
  EXPECT_EQ(aside_phase(back), AsidePhase::kResuming) << "Somebody may have paused it.";
  EXPECT_EQ(aside_of(back)->mechanism, Mechanism::kCheckpoint) << "It may have cards.";
  EXPECT_EQ(back.spec->argv, std::vector<std::string>{"train"});
  EXPECT_EQ(back.tenant, "user1");
  ASSERT_EQ(done.repair.jobs.put.size(), 1u);
  EXPECT_EQ(done.repair.trail.size(), 1u);
}

TEST_F(Reconciling, WhatTheDirectorySaysOfAJobIsKnownAgainAndItIsNeverStartedAnew) {
  image_.next_job = JobId{2};
  FoundJob found = directory(4, 2);
  JobSpec spec{.argv = {"train"}, .name = "night"};
  spec.needs.vram_bytes = 8ULL << 30;
  spec.retry.retries = 3;
  spec.restartable = true;
  Job noted = known(0, 0, Starting{.grant = {.cards = {{CardNumber{1}, 8ULL << 30, 30, false}}}});
  noted.spec = std::make_shared<const JobSpec>(spec);
  noted.tenant = "lab";
  noted.priority = 70;
  found.noted = noted;
  with({found});
  ASSERT_EQ(image_.jobs.size(), 1u);
  const Job& back = image_.jobs.front();
  EXPECT_EQ(back.id, JobId{4});
  EXPECT_EQ(back.spec->name, "night");
  EXPECT_EQ(back.tenant, "lab");
  EXPECT_EQ(back.owner.user, "user1") << "By the directory's owner, not by what is written.";
  EXPECT_EQ(back.priority, 70);
  ASSERT_EQ(grant_of(back)->cards.size(), 1u) << "It keeps its card.";
  EXPECT_EQ(grant_of(back)->cards.front().card, CardNumber{1});
  EXPECT_EQ(back.spec->retry.retries, 0) << "Its environment is lost.";
  EXPECT_FALSE(back.spec->restartable);
}

TEST_F(Reconciling, OfAVeryLongCommandTheClaimTellsWhatItHolds) {
  image_.next_job = JobId{2};
  FoundJob found = directory(4, 2);
  found.lives = true;
  Job held = known(4, 2, Starting{.grant = {.cards = {{CardNumber{1}, 8ULL << 30, 30, false}}}});
  held.spec = std::make_shared<const JobSpec>(JobSpec{.name = "night"});
  held.tenant = "lab";
  held.priority = 70;
  held.task = std::make_shared<const ArrayTask>(ArrayTask{JobId{3}, 1, {{"lr", "1"}}});
  found.holds = held_note_of(held);
  with({found});
  ASSERT_EQ(image_.jobs.size(), 1u);
  const Job& back = image_.jobs.front();
  ASSERT_EQ(grant_of(back)->cards.size(), 1u) << "It keeps its card.";
  EXPECT_EQ(grant_of(back)->cards.front(), (CardGrant{CardNumber{1}, 8ULL << 30, 30, false}));
  EXPECT_EQ(back.tenant, "lab");
  EXPECT_EQ(back.owner.user, "user1");
  EXPECT_EQ(back.priority, 70);
  EXPECT_EQ(back.spec->name, "night");
  EXPECT_EQ(back.spec->needs.vram_bytes, 8ULL << 30);
  EXPECT_EQ(back.spec->needs.gpus, (CardCount{1, 1}));
  ASSERT_NE(back.task, nullptr);
  EXPECT_EQ(back.task->array, JobId{3});
  EXPECT_EQ(back.spec->argv.front(), "unknown") << "a value may be in the program's name";
}

TEST_F(Reconciling, WhoLivesOnUnknownCardsKeepsAllOfThemFromOthers) {
  image_.jobs = {known(1, 0)};
  image_.next_job = JobId{2};
  FoundJob lost = directory(4, 2);
  FoundJob caught_up = directory(1, 1);
  lost.lives = caught_up.lives = true;
  const FoundJob over = directory(5, 1);
  const Reconciled done = with({caught_up, lost, over});
  ASSERT_EQ(image_.jobs.size(), 3u);
  for (const std::size_t i : {0U, 1U}) {
    const auto& cards = grant_of(image_.jobs[i])->cards;
    ASSERT_EQ(cards.size(), 2u) << "Every card that this machine has.";
    EXPECT_EQ(cards[1].card, CardNumber{3});
    EXPECT_GE(cards[1].vram_bytes, 1ULL << 40) << "There is room for nobody else.";
    EXPECT_EQ(cards[1].share_percent, 100);
    EXPECT_NE(done.repair.trail[i].text.find("counts on all of them"), std::string::npos);
  }
  EXPECT_TRUE(grant_of(image_.jobs[2])->cards.empty()) << "It is over.";
}

TEST_F(Reconciling, WhoBelongsToNobodyBecomesNoJobOfRoot) {
  image_.next_job = JobId{2};
  FoundJob found = directory(4, 2);
  found.lives = true;
  found.order.owner.reset();
  EXPECT_TRUE(with({found}).brought_back.empty());
  EXPECT_TRUE(image_.jobs.empty());
  EXPECT_EQ(image_.next_job, JobId{5}) << "Its number is in use.";
}

TEST_F(Reconciling, WhoLivesIsTakenOverAlsoUnderAnOldNumber) {
  image_.next_job = JobId{100};
  FoundJob lives = directory(7, 1);
  lives.lives = true;
  EXPECT_EQ(with({directory(6, 1), lives}).brought_back, std::vector<JobId>{JobId{7}});
  EXPECT_EQ(image_.next_job, JobId{100});
}

TEST_F(Reconciling, ANumberOfWhichOnlyAControlGroupIsLeftIsNotGivenAgain) {
  image_.next_job = JobId{3};
  EXPECT_TRUE(with({{.job = JobId{9}}}).nothing());
  EXPECT_EQ(image_.next_job, JobId{10});
}

TEST_F(Reconciling, AJobOfWhichTheStoreKnowsLessIsNotStartedAgain) {
  image_.jobs = {known(1, 0), known(2, 3), known(3, 1, Ended{})};
  image_.next_job = JobId{4};
  const Reconciled done = with({directory(1, 1), directory(2, 3), directory(3, 2)});
  EXPECT_EQ(done.caught_up, (std::vector<JobId>{JobId{1}, JobId{3}}));
  EXPECT_TRUE(image_.jobs[0].active());
  EXPECT_EQ(image_.jobs[0].attempt, 1);
  EXPECT_FALSE(image_.jobs[1].active());
  EXPECT_TRUE(image_.jobs[2].active());
}

TEST_F(Reconciling, AfterALossWhoRunsIsOnItsWayBackFromWhereverItIs) {
  const auto at = [](auto place) {
    return Running{.presence = std::make_shared<const Presence>(Presence{.place = place})};
  };
  image_.jobs = {known(1, 1, Running{}), known(2, 1, at(Aside{.phase = AsidePhase::kPaused})),
                 known(3, 1, at(OnCards{})), known(4, 1, Running{.stopping = StopReason::kCancel}),
                 known(5, 1, at(Aside{}))};
  image_.next_job = JobId{6};
  EXPECT_TRUE(with({}).repair.jobs.put.empty()) << "Without a loss everybody is where it says.";
  image_.loss = StoreLoss{.commits_known = 9, .commits_found = 4, .next_job_found = JobId{6}};
  const Reconciled done = with({});
  EXPECT_EQ(done.repair.jobs.put.size(), 2u);
  EXPECT_EQ(aside_phase(image_.jobs[0]), AsidePhase::kResuming);
  EXPECT_EQ(aside_phase(image_.jobs[1]), AsidePhase::kPaused) << "Others may have its place.";
  EXPECT_EQ(aside_phase(image_.jobs[2]), AsidePhase::kResuming);
  EXPECT_FALSE(is_aside(image_.jobs[3])) << "It ends.";
  EXPECT_EQ(aside_phase(image_.jobs[4]), AsidePhase::kPausing);
}

TEST_F(Reconciling, ACardThatTwoAreBelievedToHaveAloneIsLeftToOneOfThem) {
  const Grant alone{.cards = {{CardNumber{0}, 24ULL << 30, 100, true}}};
  const auto paused = Presence{.place = Aside{.phase = AsidePhase::kPaused}};
  image_.jobs = {
      known(1, 1, Running{.grant = alone, .presence = std::make_shared<const Presence>(paused)}),
      known(2, 1, Running{.grant = alone})};
  image_.next_job = JobId{3};
  FoundJob found = directory(4, 1);
  found.noted = known(0, 0, Starting{.grant = alone});
  const Reconciled done = with({found});
  ASSERT_EQ(image_.jobs.size(), 3u);
  const auto has_it_alone = [&](std::size_t i) {
    return grant_of(image_.jobs[i])->cards.front().whole;
  };
  EXPECT_TRUE(has_it_alone(0)) << "It is aside and holds nothing.";
  EXPECT_TRUE(has_it_alone(1));
  EXPECT_FALSE(has_it_alone(2));
  for (const Job& job : done.repair.jobs.put) {
    if (job.id != JobId{4}) continue;
    EXPECT_FALSE(grant_of(job)->cards.front().whole) << "Also on disk.";
  }
}

TEST_F(Reconciling, ADirectoryInWhichNothingWasStartedOnlyCostsItsNumber) {
  image_.next_job = JobId{2};
  EXPECT_TRUE(with({directory(6, 0)}).nothing());
  EXPECT_EQ(image_.next_job, JobId{7});
  EXPECT_TRUE(image_.jobs.empty());
}

TEST_F(Reconciling, WhatRetentionLeftBehindIsNoLoss) {
  image_.next_job = JobId{9};
  EXPECT_TRUE(with({directory(6, 1)}).nothing());
  EXPECT_TRUE(image_.jobs.empty());
}

TEST_F(Reconciling, AKnownLossNamesWhatLeftNoTrace) {
  image_.jobs = {known(1, 1)};
  image_.next_job = JobId{6};
  image_.loss = StoreLoss{.commits_known = 9, .commits_found = 4, .next_job_found = JobId{2}};
  const Reconciled done = with({directory(3, 1)});
  EXPECT_EQ(done.brought_back, std::vector<JobId>{JobId{3}});
  EXPECT_EQ(done.gone,
            (std::vector<std::pair<JobId, JobId>>{{JobId{2}, JobId{2}}, {JobId{4}, JobId{5}}}));
  EXPECT_EQ(describe(done, image_.loss),
            "the database is older than what was acknowledged (4 of 9 commits are there); lost: "
            "jobs 2, 4-5; found again by their directories: jobs 3");
}

}  // namespace
}  // namespace gpusched::testing
