// The screen of `top` at three sizes, against files in tests/golden/cli (render_golden_test.cc says
// how they are written anew). A '>' before a line marks the selected one, a '=' a heading.
#include "cli/top/view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/text.h"
#include "cli/display.h"
#include "cli/files.h"
#include "cli/top/gauges.h"
#include "cli/top/rows.h"

namespace gpusched::cli::top {
namespace {

const std::string kTopGoldens = GPUSCHED_GOLDEN_DIRECTORY "/cli/";
const Wall kNow = *parse_rfc3339("2026-01-01T10:00:00.000Z");

Page page() {
  return {.now = kNow, .offset_at = [](Wall) { return Seconds{3600}; }};
}

JobView running_job(std::uint64_t id, int card, std::uint64_t vram_gib) {
  JobView job;
  job.id = id;
  job.state = "running";
  job.gpus = {{card, "GPU-5c1e"}};
  job.needs.vram_bytes = vram_gib << 30U;
  job.submitted_at = job.started_at = kNow - Seconds{90 * static_cast<std::int64_t>(id)};
  job.user = id % 2 == 0 ? "ml1" : "équipe";
  job.command = fmt::format("python train.py --seed {} --config configs/large.yaml", id);
  return job;
}

JobView waiting_job(std::uint64_t id) {
  JobView job = running_job(id, 0, 16);
  job.state = id % 5 == 0 ? "held" : "queued";
  job.gpus.clear();
  job.started_at.reset();
  job.name = "sweep";
  job.reason = id % 5 == 0 ? "held by its user"
                           : "needs 1 card with 16.0 GiB; 21.0 GiB of card 0 are held by process "
                             "48811 of équipe, and card 1 does not answer";
  return job;
}

State busy_machine() {
  State state;
  auto gpus = parse_gpus(*read_input(kTopGoldens + "gpus-watched.json"));
  ProcessView& own = gpus->cards[2].processes.emplace_back();
  own.job = 12;
  own.vram_bytes = std::uint64_t{22} << 30U;
  own.busy_percent = 100;
  for (int i = 0; i < 30; ++i) {
    GpusView earlier = *gpus;
    // Card 2 was not known in between.
    if (i > 10 && i < 14) earlier.cards[2].sample.reset();
    earlier.cards[0].sample->busy_percent = i * 3.4;
    take_cards(state, earlier);
  }
  take_cards(state, *gpus);
  OverviewView jobs;
  jobs.running = {running_job(7, 0, 8), running_job(9, 0, 16), running_job(12, 2, 0)};
  jobs.running[0].name = "baseline";
  jobs.running[1].command = "python 学習.py --データ /data/画像 --エポック 90 --出力 /data/結果";
  jobs.running[2].command = "sh -c 'for i in 1 2 3; do\n./step $i; done'";
  for (std::uint64_t id = 20; id < 48; ++id) jobs.running.push_back(running_job(id, 0, 1));
  for (std::uint64_t id = 100; id < 160; ++id) jobs.waiting.push_back(waiting_job(id));
  jobs.counts = {.held = 12, .queued = 300, .starting = 1, .running = 30};
  take_jobs(state, jobs);
  keep_selection(state);
  return state;
}

std::string dump(const Screen& screen, const ScreenSize& size) {
  std::string out;
  EXPECT_EQ(screen.lines.size(), size.rows);
  for (const ScreenLine& line : screen.lines) {
    std::string text;
    for (const Cell& piece : line.pieces) text += piece.text;
    const std::size_t width = display_width(text);
    EXPECT_LE(width, size.columns) << text;
    const char* mark = line.look == ScreenLine::Look::kSelected  ? ">"
                       : line.look == ScreenLine::Look::kHeading ? "="
                                                                 : "|";
    out += fmt::format("{}{}{}|\n", mark, text,
                       std::string(size.columns - std::min(width, size.columns), ' '));
  }
  return out;
}

void compare(const std::string& name, const State& state, const ScreenSize& size = {}) {
  const std::string full = fmt::format("top-{}-{}x{}.txt", name, size.columns, size.rows);
  const std::string text = dump(top_view(state, size, page()), size);
  if (std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(kTopGoldens + full) << text;
    return;
  }
  const auto expected = read_input(kTopGoldens + full);
  ASSERT_TRUE(expected) << expected.error().message;
  EXPECT_EQ(*expected, text) << full;
}

TEST(TopView, ShowsABusyMachineAtFourSizes) {
  const State state = busy_machine();
  compare("busy", state, {24, 60});
  compare("busy", state, {24, 80});
  compare("busy", state, {40, 120});
  compare("busy", state, {50, 200});
}

TEST(TopView, KeepsTheSelectedLineOnTheScreen) {
  State state = busy_machine();
  move_selection(state, 50);
  compare("selected", state);
}

TEST(TopView, ShowsOneSectionOnTheWholeScreen) {
  State state = busy_machine();
  state.section = Section::kProcesses;
  keep_selection(state);
  compare("processes", state);
}

TEST(TopView, SaysThatTheDaemonIsAwayAndThatItIsPaused) {
  State state = busy_machine();
  state.away_since = kNow - Seconds{7};
  state.paused = true;
  state.sort = SortBy::kMemory;
  state.filter = "TRAIN";
  compare("away", state);
}

TEST(TopView, AsksBeforeItCancels) {
  State state = busy_machine();
  state.mode = Mode::kConfirm;
  state.asked = {Order::What::kCancel, 7};
  compare("confirm", state);
}

TEST(TopView, ShowsASweepAsOneLine) {
  State state = busy_machine();
  state.jobs.running.resize(3);
  state.jobs.waiting.resize(2);
  state.jobs.sweeps = {*parse_sweep(*read_input(kTopGoldens + "sweep.json"))};
  state.jobs.counts = {.held = 0, .queued = 21, .starting = 0, .running = 5};
  move_selection(state, 3);
  for (const std::size_t columns : {60U, 80U, 120U, 200U}) compare("sweep", state, {24, columns});
  state.mode = Mode::kConfirm;
  state.asked = {Order::What::kPause, 134, true};
  compare("confirm-pause", state);
  state.mode = Mode::kDetails;
  compare("sweep-details", state);
}

TEST(TopView, ShowsAllOfAJobOrAProcess) {
  State state = busy_machine();
  state.mode = Mode::kDetails;
  state.selected = {RowId::Kind::kJob, 117};
  compare("job", state);
  state.selected = {RowId::Kind::kProcess, 48811, 0};
  compare("process", state);
}

TEST(TopView, ShowsHelp) {
  State state = busy_machine();
  state.mode = Mode::kHelp;
  compare("help", state);
}

TEST(TopView, ShowsWhatIsTyped) {
  State state = busy_machine();
  state.mode = Mode::kFilter;
  state.filter = "学習";
  compare("filter", state);
  EXPECT_EQ(top_view(state, {}, page()).cursor_in_last, 12U);
}

TEST(TopView, ShowsADaemonThatDoesNotWatchAndAnEmptyQueue) {
  State state;
  compare("first", state);
  take_cards(state, *parse_gpus(*read_input(kTopGoldens + "gpus.json")));
  take_jobs(state, {});
  compare("idle", state);
}

TEST(TopView, ShowsWhoIsAsideAndWhoSitsIdle) {
  State state;
  take_cards(state, *parse_gpus(*read_input(kTopGoldens + "gpus-aside.json")));
  OverviewView jobs;
  jobs.running = {running_job(7, 0, 8), running_job(12, 0, 20)};
  jobs.running[0].state = "paused";
  take_jobs(state, jobs);
  keep_selection(state);
  compare("aside", state);
}

TEST(TopView, FitsAnySize) {
  const State state = busy_machine();
  for (std::size_t rows = 0; rows < 30; ++rows) {
    for (std::size_t columns = 0; columns < 130; columns += 7) {
      const Screen screen = top_view(state, {rows, columns}, page());
      EXPECT_LE(screen.lines.size(), rows);
      for (const ScreenLine& line : screen.lines) {
        std::size_t width = 0;
        for (const Cell& piece : line.pieces) width += display_width(piece.text);
        EXPECT_LE(width, columns);
      }
    }
  }
}

TEST(TopGauges, TellJobsFromOthersAndFromWhatIsPromised) {
  CardView card;
  card.vram_bytes = 100;
  card.held_vram_bytes = 50;
  card.foreign_bytes = 20;
  EXPECT_EQ(memory_bar(card, 10), "-");
  card.sample.emplace().used_bytes = 50;
  EXPECT_EQ(memory_bar(card, 10), "███▒▒░░···");
  card.sample->used_bytes = 0;
  card.held_vram_bytes = 0;
  EXPECT_EQ(memory_bar(card, 10), "··········");
  EXPECT_EQ(load_bar(std::nullopt, 4), "-");
  EXPECT_EQ(load_bar(1, 4), "█···");
}

TEST(TopGauges, LeaveOutWhatWasNotKnown) {
  EXPECT_EQ(load_curve({0, std::nullopt, 100}, 5), "  ▁ █");
  EXPECT_EQ(load_curve({0, 50, 100}, 2), "▅█");
  EXPECT_EQ(used_of_total(std::nullopt, std::uint64_t{1} << 30U), "-/1.0 GiB");
}

TEST(TopGauges, HaveAFormInAscii) { EXPECT_EQ(in_ascii("██▒░· ▁█ 学x …"), "##%-. _# ?x ~"); }

}  // namespace
}  // namespace gpusched::cli::top
