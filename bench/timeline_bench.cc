// What the timeline costs: the past of 8 cards, 10,000 jobs a day for ten days, read for one day
// and made into an answer. Prints one line per measure; docs/benchmarks.md has the figures.
// Usage: timeline_bench DIRECTORY   (new, on the disk to be measured)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/timeline_rows.h"
#include "store/sqlite_store.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kJobsPerDay = 10'000;
constexpr std::int64_t kDays = 10;
constexpr std::int64_t kDay = 86'400;
constexpr int kTimes = 30;

Wall at(std::int64_t second) { return Wall(Seconds(1'700'000'000 + second)); }

[[noreturn]] void give_up(const Error& error) {
  fmt::print(stderr, "timeline_bench: {}\n", error.message);
  std::exit(1);
}

PastSpan span_of(std::int64_t job) {
  const std::int64_t begin = job * kDay / kJobsPerDay;
  PastSpan span{.card = static_cast<CardNumber>(job % 8),
                .from = at(begin),
                .until = at(begin + 8 * kDay / kJobsPerDay),
                .state = "completed",
                .attempt = {JobId{static_cast<std::uint64_t>(job + 1)}, 1}};
  span.owner = {.uid = 1000U + static_cast<std::uint32_t>(job % 10), .gid = 0, .user = "ml1"};
  span.tenant = "ml1";
  span.submitted_at = at(begin - 60);
  span.vram_bytes = 8ULL << 30;
  span.name = "train-resnet";
  return span;
}

void fill(SqliteStore& store) {
  for (std::int64_t first = 0; first < kDays * kJobsPerDay; first += 100) {
    Commit commit;
    commit.boot_id = "boot";  // So that there is something to be written besides.
    commit.clock = at(0);
    commit.past_bounds = {.since = {}, .most = 1'000'000};
    for (std::int64_t job = first; job < first + 100; ++job) commit.past.push_back(span_of(job));
    if (const Committed done = store.commit(commit); !done) give_up(done.error());
  }
}

template <class Work>
void measure(const char* name, Work work) {
  std::vector<double> took;
  std::size_t bytes = 0;
  for (int i = 0; i < kTimes; ++i) {
    const auto start = Clock::now();
    bytes = work();
    took.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::ranges::sort(took);
  fmt::print("{:<40} p50 {:.1f} ms  max {:.1f} ms  {} bytes\n", name, took[kTimes / 2], took.back(),
             bytes);
}

int run(const std::string& directory) {
  std::filesystem::create_directories(directory);
  auto store = SqliteStore::open({.directory = directory});
  if (!store) give_up(store.error());
  if (const auto image = (*store)->load(); !image) give_up(image.error());
  const auto start = Clock::now();
  fill(**store);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  fmt::print("{:<40} {:.1f} µs each\n", "spans written, 100 a commit",
             seconds * 1e6 / static_cast<double>(kDays * kJobsPerDay));
  const PastPart day{
      .from = at((kDays - 1) * kDay), .until = at(kDays * kDay + 6 * 3600), .most = kSpansMost};
  const auto read = [&] {
    Result<Past> past = (*store)->past(day);
    if (!past) give_up(past.error());
    return std::move(*past);
  };
  measure("read 24 h of 10,000 jobs", [&] { return read().spans.size(); });
  const NameRights names{ourselves(), true};
  measure("the same, as an answer", [&] {
    wire::Timeline answer;
    fill_in_spans({}, read().spans, names, answer);
    return wire::to_json(answer).size();
  });
  return 0;
}

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: timeline_bench DIRECTORY\n", stderr);
    return 64;
  }
  return gpusched::run(argv[1]);
}
