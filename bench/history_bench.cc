// What 30 days of 8 cards cost: size of the database, time to write them at one point a second and
// card (time is compressed, everything else is real), and the questions that a page asks.
// Usage: history_bench DIRECTORY [DAYS [CARDS]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "history/history_place.h"
#include "history/recorder.h"

namespace gpusched::history {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr Wall kBegin{Seconds{1'767'225'600}};

double now_ms() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

// A card that trains for a few hours, then rests: figures tremble as those of a real one do.
class SyntheticCard {
 public:
  explicit SyntheticCard(int number) : random_(static_cast<unsigned>(number)) {
    point_.number = static_cast<CardNumber>(number);
    point_.uuid = fmt::format("GPU-{:08x}", number);
    point_.foreign_processes = 0;
  }

  const CardPoint& at(Wall when) {
    if (when >= until_) next_phase(when);
    const double load = working_ ? 90 + 8 * noise() : 0;
    point_.at = when;
    point_.busy_percent = std::clamp(std::round(load), 0.0, 100.0);
    point_.sm_active_percent = std::clamp(load * 0.8 + noise(), 0.0, 100.0);
    point_.dram_active_percent = std::clamp(load * 0.4 + noise(), 0.0, 100.0);
    point_.power_watts = 75 + 5.5 * load + 10 * noise();
    heat_ += (30 + load * 0.4 - heat_) / 60;
    point_.temperature_c = std::round(heat_);
    return point_;
  }

 private:
  double noise() { return static_cast<double>(random_()) / 2147483648.0 - 1; }
  void next_phase(Wall when) {
    working_ = !working_;
    until_ = when + Seconds{1'800 + static_cast<std::int64_t>(random_() % 14'400)};
    const std::uint64_t held = working_ ? (8 + random_() % 64) * kGiB : 0;
    point_.held_vram_bytes = held;
    point_.used_bytes = held == 0 ? 0 : held - (random_() % 4096) * 65536;
    point_.jobs = working_ ? 1 + static_cast<int>(random_() % 2) : 0;
  }

  std::mt19937 random_;
  CardPoint point_;
  bool working_ = false;
  Wall until_{};
  double heat_ = 30;
};

void expect(const Result<void>& done) {
  if (done) return;
  fmt::print(stderr, "{}\n", done.error().message);
  std::exit(1);
}

std::unique_ptr<Recorder> open(const std::string& path) {
  bool damaged = false;
  auto recorder = Recorder::open(path, {}, damaged);
  if (recorder) return std::move(*recorder);
  fmt::print(stderr, "{}\n", recorder.error().message);
  std::exit(1);
}

void write(Recorder& recorder, int cards, std::int64_t seconds) {
  std::vector<SyntheticCard> all;
  for (int i = 0; i < cards; ++i) all.emplace_back(i);
  Points points;
  for (std::int64_t second = 0; second < seconds; ++second) {
    points.cards.clear();
    for (SyntheticCard& card : all) points.cards.push_back(card.at(kBegin + Seconds{second}));
    expect(recorder.add(points));
  }
  expect(recorder.save_all());
}

// First and median of many, in milliseconds.
void measure(Recorder& recorder, const char* name, Question question) {
  std::vector<double> times;
  std::size_t values = 0;
  for (int i = 0; i < 101; ++i) {
    const double before = now_ms();
    const Result<Answer> answer = recorder.answer(question);
    times.push_back(now_ms() - before);
    if (!answer) expect(failure(answer.error()));
    values = 0;
    for (const Line& line : answer->lines) {
      for (const auto& value : line.series.at(0).values) values += value.has_value() ? 1U : 0U;
    }
  }
  const double first = times.front();
  std::sort(times.begin(), times.end());
  fmt::print("{:<28} first {:6.2f} ms  median {:6.2f} ms  worst {:6.2f} ms  ({} values)\n", name,
             first, times[times.size() / 2], times.back(), values);
}

void run(const std::string& directory, int days, int cards) {
  std::filesystem::create_directories(directory);
  const auto path = prepare_file(directory);
  if (!path) expect(failure(path.error()));
  const std::int64_t seconds = std::int64_t{days} * 86'400;
  auto recorder = open(*path);
  double before = now_ms();
  write(*recorder, cards, seconds);
  const double took = now_ms() - before;
  recorder.reset();
  fmt::print("{} cards, {} days: {:.1f} MiB, written in {:.1f} s: {:.2f} us a point\n", cards, days,
             static_cast<double>(std::filesystem::file_size(*path)) / (1 << 20), took / 1e3,
             took * 1e3 / static_cast<double>(seconds * cards));
  before = now_ms();
  recorder = open(*path);
  fmt::print("opened and checked in {:.1f} ms\n", now_ms() - before);
  const Wall now = kBegin + Seconds{seconds};
  measure(*recorder, "1 hour, 120 points", {.from = now - Seconds{3600}, .to = now});
  measure(*recorder, "1 hour, each second",
          {.from = now - Seconds{3600}, .to = now, .points = 3600});
  measure(*recorder, "1 day, 120 points", {.from = now - Seconds{86400}, .to = now});
  measure(*recorder, "30 days, 120 points", {.from = now - Seconds{30 * 86400}, .to = now});
  measure(*recorder, "30 days, 720 points",
          {.from = now - Seconds{30 * 86400}, .to = now, .points = 720});
}

}  // namespace
}  // namespace gpusched::history

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: history_bench DIRECTORY [DAYS [CARDS]]\n");
    return 64;
  }
  gpusched::history::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 30,
                         argc > 3 ? std::atoi(argv[3]) : 8);
}
