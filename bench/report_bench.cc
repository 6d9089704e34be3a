// What a report costs: 100,000 jobs of 30 days are played through the state, which counts them, and
// the sums are added up and written in every form, as the daemon does it.
// Usage: report_bench [JOBS [DAYS]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "api/report.h"
#include "core/model/tenant.h"
#include "core/state/state.h"
#include "report/report_text.h"
#include "store/work_sum_row.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr Wall kBegin{Seconds{1'767'225'600}};
constexpr int kTenants = 20;
constexpr int kCards = 8;
constexpr std::size_t kPiece = 500;  // As in the route.

double now_ms() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

Now at(Wall wall) { return {wall, Boot{wall.time_since_epoch()}}; }

State machine(Seconds keep) {
  Rules rules;
  rules.work_keep_for = keep;
  State state(rules, {64, 512 * kGiB});
  std::vector<Card> cards;
  for (int i = 0; i < kCards; ++i) {
    cards.push_back({.number = CardNumber{static_cast<std::uint16_t>(i)},
                     .uuid = fmt::format("GPU-{}", i),
                     .model = "Bench 80G",
                     .vram_bytes = 80 * kGiB});
  }
  state.set_cards(std::move(cards));
  return state;
}

// 60 programs and 2,000 names: more than a day may name.
std::vector<std::shared_ptr<const JobSpec>> specs() {
  std::vector<std::shared_ptr<const JobSpec>> all;
  for (int i = 0; i < 2000; ++i) {
    auto spec = std::make_shared<JobSpec>();
    spec->argv = {"python", fmt::format("train{}.py", i % 60), "--seed", "1"};
    spec->working_directory = "/home/ml1";
    spec->environment = std::make_shared<Environment>();
    spec->name = fmt::format("run-{}", i);
    spec->project = fmt::format("p{}", i % 7);
    all.push_back(std::move(spec));
  }
  return all;
}

void play(State& state, int jobs, int days) {
  std::mt19937 random(1);
  const auto all = specs();
  const Microseconds step = Microseconds{std::chrono::days{days}} / jobs;
  for (int i = 0; i < jobs; ++i) {
    const Wall submitted = kBegin + step * i;
    const Wall started = submitted + Seconds{random() % 7200};
    const Wall ended = started + Seconds{60 + random() % 3600};
    Job job;
    job.id = JobId{static_cast<std::uint64_t>(i) + 1};
    job.spec = all[random() % all.size()];
    job.tenant = job.owner.user = fmt::format("ml{}", random() % kTenants);
    job.submitted_at = submitted;
    state.put(job, at(submitted));
    Grant grant;
    grant.cards.push_back({.card = CardNumber{static_cast<std::uint16_t>(random() % kCards)},
                           .vram_bytes = 20 * kGiB,
                           .share_percent = 25});
    job.attempt = 1;
    job.state = Starting{.grant = grant, .decided_at = started};
    state.put(job, at(started));
    job.state = Running{.grant = grant, .started_at = started};
    state.put(job, at(started));
    Ended over{.started_at = started, .ended_at = ended, .grant = grant};
    over.usage = std::make_shared<Usage>(Usage{
        .gpu = GpuUsage{.peak_vram_bytes = 6 * kGiB, .mean_busy_percent = 20, .energy_joules = 1}});
    job.state = over;
    state.put(job, at(ended));
    state.keep_changes();
    // As retention does.
    if (state.ended().size() > 5000) state.remove(state.ended().begin()->second);
    state.keep_changes();
  }
}

double report_ms(const State& state, ReportBy by, int days, double& longest_piece) {
  const double begin = now_ms();
  const Wall until = kBegin + std::chrono::days{days + 1};
  Report report({.by = by, .since = kBegin, .until = until, .from_days = true});
  std::size_t left = kPiece;
  double piece = now_ms();
  for (const auto& [key, row] : state.work()) {
    report.add(key, row.sums);
    if (--left > 0) continue;
    longest_piece = std::max(longest_piece, now_ms() - piece);
    left = kPiece;
    piece = now_ms();
  }
  const wire::Report answer = report.answer(state, {.per_kwh = 0.3, .per_gpu_hour = 2});
  const std::size_t bytes =
      wire::to_json(answer).size() + report_text(answer).size() + report_csv(answer).size();
  longest_piece = std::max(longest_piece, now_ms() - piece);
  return bytes > 0 ? now_ms() - begin : 0;
}

int run(int jobs, int days) {
  State uncounted = machine(Seconds{0});
  double begin = now_ms();
  play(uncounted, jobs, days);
  const double without = now_ms() - begin;
  State state = machine(Seconds{730 * 86'400});
  begin = now_ms();
  play(state, jobs, days);
  const double with = now_ms() - begin;
  std::size_t disk = 0;
  for (const auto& [key, row] : state.work()) {
    disk += work_sums_to_text(row.sums).size() + key.tenant.size() + key.user.size() +
            key.project.size() + key.model.size() + key.name.size() + key.program.size() + 24;
  }
  fmt::print("{} jobs of {} days: {} sums, {:.1f} MB as text, counting costs {:.1f} us a job\n",
             jobs, days, state.work().size(), static_cast<double>(disk) / 1e6,
             (with - without) * 1000 / jobs);
  for (const auto& name : {"user", "tenant", "name", "program", "card", "hour"}) {
    double longest = 0;
    const double took = report_ms(state, *report_by_named(name), days, longest);
    fmt::print("report by {}: {:.1f} ms, longest piece {:.1f} ms\n", name, took, longest);
  }
  return 0;
}

}  // namespace
}  // namespace gpusched

int main(int count, char** words) {
  const int jobs = count > 1 ? std::atoi(words[1]) : 100'000;
  const int days = count > 2 ? std::atoi(words[2]) : 30;
  if (jobs < 1 || days < 1) {
    fmt::print(stderr, "report_bench: JOBS and DAYS must be at least 1\n");
    return 64;
  }
  return gpusched::run(jobs, days);
}
