#include "cli/top/keys.h"

#include <gtest/gtest.h>

#include "cli/top/rows.h"

namespace gpusched::cli::top {
namespace {

using What = Order::What;

Order type(State& state, const std::string& text) {
  return press(state, {Key::Kind::kText, text}, 10);
}
Order press(State& state, Key::Kind kind) { return press(state, {kind}, 10); }

JobView job(std::uint64_t id, const char* state, const char* user) {
  JobView made;
  made.id = id;
  made.state = state;
  made.user = user;
  return made;
}

State three_jobs() {
  State state;
  OverviewView jobs;
  jobs.running = {job(1, "running", "bee"), job(2, "running", "ant")};
  jobs.waiting = {job(3, "queued", "cat")};
  take_jobs(state, jobs);
  GpusView gpus;
  CardView& card = gpus.cards.emplace_back();
  card.sample.emplace();
  for (const auto& [id, used] : {std::pair(1U, 10U), std::pair(2U, 30U)}) {
    ProcessView& process = card.processes.emplace_back();
    process.job = id;
    process.vram_bytes = used;
  }
  take_cards(state, gpus);
  keep_selection(state);
  return state;
}

std::vector<std::uint64_t> running(const State& state) {
  std::vector<std::uint64_t> ids;
  for (const JobView* row : rows_of(state).running) ids.push_back(row->id);
  return ids;
}

TEST(TopKeys, CancelTheSelectedJobOnlyAfterAYes) {
  State state = three_jobs();
  press(state, Key::Kind::kDown);
  EXPECT_EQ(type(state, "c").what, What::kNothing);
  EXPECT_EQ(state.mode, Mode::kConfirm);
  EXPECT_EQ(type(state, "n").what, What::kNothing);
  EXPECT_EQ(state.message, "Job 2 stays.");
  type(state, "c");
  const Order order = type(state, "y");
  EXPECT_EQ(order.what, What::kCancel);
  EXPECT_EQ(order.job, 2U);
}

TEST(TopKeys, CancelTheJobThatWasAskedAboutThoughLinesHaveMoved) {
  State state = three_jobs();
  type(state, "c");
  OverviewView jobs;
  jobs.running = {job(2, "running", "ant")};
  take_jobs(state, jobs);
  keep_selection(state);
  EXPECT_EQ(type(state, "y").job, 1U);
}

TEST(TopKeys, HoldAndReleaseWhatIsSelected) {
  State state = three_jobs();
  press(state, Key::Kind::kEnd);
  EXPECT_EQ(type(state, "h").what, What::kHold);
  const Order order = type(state, "r");
  EXPECT_EQ(order.what, What::kRelease);
  EXPECT_EQ(order.job, 3U);
}

TEST(TopKeys, PauseAfterAYesAndResumeAtOnce) {
  State state = three_jobs();
  EXPECT_EQ(type(state, "p").what, What::kNothing);
  EXPECT_EQ(state.mode, Mode::kConfirm);
  EXPECT_EQ(type(state, "y").what, What::kPause);
  state.jobs.running[0].state = "paused";
  const Order order = type(state, "p");
  EXPECT_EQ(order.what, What::kResume);
  EXPECT_EQ(order.job, 1U);
  press(state, Key::Kind::kEnd);
  EXPECT_EQ(type(state, "p").what, What::kNothing);
  EXPECT_EQ(state.message, "It does not run: hold keeps it from starting (h).");
}

TEST(TopKeys, ChangeThePriorityAndAskWhereOthersMayHaveToMove) {
  State state = three_jobs();
  const Order more = type(state, "+");
  EXPECT_EQ(more.what, What::kPriority);
  EXPECT_EQ(more.priority, 55);
  EXPECT_EQ(type(state, "-").priority, 45);
  state.jobs.running[0].priority = 65;
  EXPECT_EQ(type(state, "+").what, What::kNothing);
  EXPECT_EQ(state.mode, Mode::kConfirm);
  EXPECT_EQ(type(state, "n").what, What::kNothing);
  EXPECT_EQ(state.message, "Job 1 stays as it is.");
  type(state, "+");
  EXPECT_EQ(type(state, "y").priority, 70);
  state.jobs.running[0].priority = 0;
  EXPECT_EQ(type(state, "-").what, What::kNothing);
  EXPECT_EQ(state.message, "Its priority is 0 already.");
}

TEST(TopKeys, MeanAllJobsOfASweepAndExpandIt) {
  State state = three_jobs();
  SweepView sweep;
  sweep.id = 134;
  sweep.counts = {.queued = 9, .running = 1};
  state.jobs.sweeps = {sweep};
  press(state, Key::Kind::kDown);
  press(state, Key::Kind::kDown);
  EXPECT_EQ(state.selected, (RowId{RowId::Kind::kSweep, 134}));
  type(state, "c");
  const Order order = type(state, "y");
  EXPECT_EQ(order.what, What::kCancel);
  EXPECT_EQ(order.job, 134U);
  EXPECT_TRUE(order.sweep);
  EXPECT_EQ(type(state, "e").what, What::kRefresh);
  EXPECT_TRUE(state.expanded);
}

TEST(TopKeys, RefuseToEndAProcessThatIsNoJob) {
  State state;
  GpusView gpus;
  gpus.cards.emplace_back().processes.emplace_back().pid = 4711;
  take_cards(state, gpus);
  EXPECT_EQ(type(state, "c").what, What::kNothing);
  EXPECT_EQ(state.mode, Mode::kLook);
  EXPECT_EQ(state.message, "Process 4711 is not a job: only its owner can end it.");
}

TEST(TopKeys, KeepTheSelectionOnItsJobAndMoveOnWhenItIsGone) {
  State state = three_jobs();
  press(state, Key::Kind::kDown);
  EXPECT_EQ(state.selected.number, 2U);
  OverviewView jobs;
  jobs.running = {job(2, "running", "ant")};
  jobs.waiting = {job(3, "queued", "cat")};
  take_jobs(state, jobs);
  keep_selection(state);
  EXPECT_EQ(state.selected.number, 2U);
  jobs.running.clear();
  take_jobs(state, jobs);
  keep_selection(state);
  EXPECT_EQ(state.selected.number, 3U);
  take_jobs(state, {});
  keep_selection(state);
  EXPECT_EQ(type(state, "c").what, What::kNothing);
  EXPECT_EQ(state.message, "There is no job to choose.");
}

TEST(TopKeys, StayWithTheJobThatIsReadAboutThoughItHasEnded) {
  State state = three_jobs();
  press(state, Key::Kind::kEnter);
  take_jobs(state, {});
  keep_selection(state);
  EXPECT_EQ(state.selected.number, 1U);
}

TEST(TopKeys, SortByEachColumnAndBack) {
  State state = three_jobs();
  EXPECT_EQ(running(state), (std::vector<std::uint64_t>{1, 2}));
  type(state, "s");
  EXPECT_EQ(running(state), (std::vector<std::uint64_t>{2, 1}));
  type(state, "S");
  EXPECT_EQ(running(state), (std::vector<std::uint64_t>{1, 2}));
  for (const char* expected : {"load", "time", "user"}) {
    type(state, "s");
    EXPECT_EQ(word_of(state.sort), expected);
  }
  EXPECT_EQ(running(state), (std::vector<std::uint64_t>{2, 1}));
  type(state, "s");
  EXPECT_EQ(state.sort, SortBy::kOrder);
}

TEST(TopKeys, FilterAsItIsTyped) {
  State state = three_jobs();
  type(state, "/");
  for (const char* letter : {"A", "é", "n"}) type(state, letter);
  EXPECT_TRUE(running(state).empty());
  press(state, Key::Kind::kBackspace);
  press(state, Key::Kind::kBackspace);
  type(state, "q");  // A letter here, not the end.
  press(state, Key::Kind::kBackspace);
  type(state, "n");
  press(state, Key::Kind::kEnter);
  EXPECT_EQ(state.filter, "An");
  EXPECT_EQ(running(state), (std::vector<std::uint64_t>{2}));
  press(state, Key::Kind::kEscape);
  EXPECT_EQ(running(state).size(), 2U);
}

TEST(TopKeys, PauseHelpAndQuit) {
  State state = three_jobs();
  EXPECT_EQ(type(state, " ").what, What::kNothing);
  EXPECT_TRUE(state.paused);
  EXPECT_EQ(type(state, " ").what, What::kRefresh);
  type(state, "?");
  EXPECT_EQ(state.mode, Mode::kHelp);
  EXPECT_EQ(type(state, "q").what, What::kNothing);
  press(state, Key::Kind::kEnter);
  EXPECT_EQ(state.mode, Mode::kDetails);
  EXPECT_EQ(type(state, "q").what, What::kNothing);
  EXPECT_EQ(type(state, "q").what, What::kQuit);
}

TEST(TopRows, AJobsUseIsTheSumOfItsProcesses) {
  State state;
  GpusView gpus;
  for (int card = 0; card < 2; ++card) {
    CardView& made = gpus.cards.emplace_back();
    made.sample.emplace();
    ProcessView& process = made.processes.emplace_back();
    process.job = 1;
    process.vram_bytes = 100;
    process.busy_percent = 40;
  }
  const JobView old = job(1, "running", "bee");
  EXPECT_FALSE(use_of(state, old).vram_bytes);
  EXPECT_FALSE(use_of(state, old).busy_percent);
  take_cards(state, gpus);
  EXPECT_EQ(use_of(state, old).vram_bytes, 200U);
  EXPECT_EQ(use_of(state, old).busy_percent, 80);
}

}  // namespace
}  // namespace gpusched::cli::top
