#include "api/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "core/model/tenant.h"

namespace gpusched {
namespace {

constexpr std::array<std::pair<std::string_view, ReportBy>, 7> kReportWords = {{
    {"user", ReportBy::kUser},
    {"card", ReportBy::kCard},
    {"tenant", ReportBy::kTenant},
    {"project", ReportBy::kProject},
    {"name", ReportBy::kName},
    {"program", ReportBy::kProgram},
    {"hour", ReportBy::kHour},
}};
constexpr int kNoCard = std::numeric_limits<int>::max();  // Its row comes last.
constexpr double kReportHour = 3600;
constexpr int kHoursOfDay = 24;
constexpr double kJoulesInKwh = 3.6e6;
// Of the matrix of who waited for whom: the largest.
constexpr std::size_t kPairsMost = 100;

double report_seconds(Microseconds time) { return std::chrono::duration<double>(time).count(); }

// Sums of thirds are whole again.
double rounded(double value) { return std::max(0.0, std::round(value * 1e9) / 1e9); }

std::optional<wire::ReportWaits> waits_of(const WorkSums& work) {
  const double jobs = work.waits.total();
  if (!(jobs > 0)) return std::nullopt;
  return wire::ReportWaits{.jobs = {jobs},
                           .mean_s = work.waited_seconds / jobs,
                           .median_s = wait_quantile(work.waits, 0.5),
                           .p90_s = wait_quantile(work.waits, 0.9),
                           .p99_s = wait_quantile(work.waits, 0.99)};
}

std::optional<std::vector<wire::ReportFailures>> failures_of(const WorkSums& work) {
  if (work.failures.empty()) return std::nullopt;
  std::vector<wire::ReportFailures> list;
  for (const auto& [cause, attempts] : work.failures.entries()) {
    list.push_back({.cause = cause_name(static_cast<Cause>(cause)), .attempts = {attempts}});
  }
  std::ranges::stable_sort(
      list, [](const auto& a, const auto& b) { return a.attempts.is > b.attempts.is + 1e-6; });
  return list;
}

std::optional<double> cost_of(const WorkSums& work, const ReportPrices& prices) {
  if (prices.per_kwh <= 0 && prices.per_gpu_hour <= 0) return std::nullopt;
  return work.gpu_seconds / kReportHour * prices.per_gpu_hour +
         work.energy_joules / kJoulesInKwh * prices.per_kwh;
}

void fill_use(wire::ReportRow& row, const WorkSums& work) {
  if (work.seen_seconds > 0) {
    const auto mean = [&](double byte_seconds) {
      return static_cast<std::uint64_t>(byte_seconds / work.seen_seconds);
    };
    row.asked_vram_bytes = mean(work.asked_byte_seconds);
    row.peak_vram_bytes = mean(work.peak_byte_seconds);
    row.used_vram_bytes = mean(work.used_byte_seconds);
  }
  if (work.asked_byte_seconds > 0) {
    row.peak_of_asked_percent = 100 * work.peak_byte_seconds / work.asked_byte_seconds;
    row.used_of_asked_percent = 100 * work.used_byte_seconds / work.asked_byte_seconds;
  }
  if (work.busy_seconds > 0) {
    row.mean_busy_percent = work.busy_percent_seconds / work.busy_seconds;
    row.held_compute_percent = work.share_percent_seconds / work.busy_seconds;
    row.wasted_gpu_seconds = work.idle_seconds;
  }
  if (work.limit_seconds > 0) {
    row.time_limit_seconds = work.limit_seconds;
    row.time_used_seconds = work.limited_seconds;
  }
  if (work.energy_seconds > 0) row.energy_joules = work.energy_joules;
}

wire::ReportRow figures_of(const ReportSum& sum, const ReportPrices& prices) {
  const WorkSums& work = sum.work;
  wire::ReportRow row{.jobs = {rounded(work.jobs)},
                      .running = {rounded(sum.running)},
                      .moves = {rounded(work.moves)},
                      .attempts = wire::Amount{rounded(work.attempts)},
                      .aside_seconds = work.aside_seconds,
                      .gpu_seconds = work.gpu_seconds};
  fill_use(row, work);
  if (work.moved_bytes > 0) row.moved_bytes = static_cast<std::uint64_t>(work.moved_bytes);
  row.cost = cost_of(work, prices);
  row.waits = waits_of(work);
  row.failures = failures_of(work);
  return row;
}

std::string report_word(ReportBy by) {
  const auto found =
      std::ranges::find(kReportWords, by, &decltype(kReportWords)::value_type::second);
  return std::string(found->first);
}

std::string date_of(int day) { return format_time(begin_of_day(day)).substr(0, 10); }

}  // namespace

std::optional<ReportBy> report_by_named(std::string_view name) {
  const auto found =
      std::ranges::find(kReportWords, name, &decltype(kReportWords)::value_type::first);
  return found == kReportWords.end() ? std::nullopt : std::optional(found->second);
}

Report::Row Report::row_of(const WorkKey& key) const {
  switch (asked_.by) {
    case ReportBy::kUser:
      return {.word = key.user};
    case ReportBy::kCard:
      return {.number = key.card < 0 ? kNoCard : key.card};
    case ReportBy::kTenant:
      return {.word = key.tenant};
    case ReportBy::kProject:
      return {.word = key.project};
    case ReportBy::kName:
      return {.word = key.name};
    case ReportBy::kProgram:
      if (!arguments_of_ || *arguments_of_ == key.user) return {.word = key.program};
      return {.word = key.program.substr(0, key.program.find(' '))};
    case ReportBy::kHour:
      return {};
  }
  return {};
}

void Report::add_to_all(const WorkKey& key, const WorkSums& sums, double running) {
  total_.work.add(sums);
  total_.running += running;
  WorkSums& day = days_[{key.day, key.month}];
  day.jobs += sums.jobs;
  day.gpu_seconds += sums.gpu_seconds;
  day.waited_seconds += sums.waited_seconds;
  day.failures.add(sums.failures);
  for (const auto& [holder, seconds] : sums.waited_for) {
    waited_for_[{key.tenant, holder}] += seconds;
  }
}

// What is not counted by the hour is divided by how long cards were held in each.
void Report::add_hours(const WorkSums& sums) {
  for (const auto& [hour, seconds] : sums.hours.entries()) {
    WorkSums& work = rows_[{.number = hour}].work;
    work.gpu_seconds += seconds;
    if (!(sums.gpu_seconds > 0)) continue;
    const double part = seconds / sums.gpu_seconds;
    work.energy_joules += sums.energy_joules * part;
    work.energy_seconds += sums.energy_seconds * part;
  }
}

void Report::add(const WorkKey& key, const WorkSums& sums, double running) {
  add_to_all(key, sums, running);
  if (asked_.by == ReportBy::kHour) {
    return add_hours(sums);
  }
  ReportSum& row = rows_[row_of(key)];
  row.work.add(sums);
  row.running += running;
  if (!key.model.empty()) row.model = key.model;
}

void Report::add_hidden(const WorkKey& key, const WorkSums& sums, double running) {
  add_to_all(key, sums, running);
  others_.work.add(sums);
  others_.running += running;
  any_hidden_ = true;
}

void Report::add_ended(const Job& job) {
  const Ended& ended = std::get<Ended>(job.state);
  // What never began used nothing and is not work that was done.
  if (!ended.started_at) return;
  const auto& gpu = usage_of(ended).gpu;
  AttemptWork work{.job = job, .grant = ended.grant, .used = gpu ? &*gpu : nullptr};
  work.begin = ended.started_at;
  work.end = ended.ended_at;
  work.since = asked_.since;
  work.until = asked_.until;
  work.jobs = 1;
  if (gpu && gpu->gpu_seconds > 0 && !ended.grant.cards.empty() && job.moves > 0) {
    const double held = gpu->gpu_seconds / static_cast<double>(ended.grant.cards.size());
    work.aside_seconds = std::max(0.0, report_seconds(ended.ended_at - *ended.started_at) - held);
  }
  if (ended.outcome == Outcome::kFailed) work.failed = ended.cause;
  bool first = true;
  split_work(work, {}, [&](const WorkKey& key, WorkSums sums) {
    sums.moves = sums.attempts * std::max(job.moves, 0);
    // When a job first started is only known of its first attempt.
    if (std::exchange(first, false) && job.attempt == 1) {
      const Wall ready = std::max(job.submitted_at, job.spec->extras->begin.value_or(Wall{}));
      sums.waited_seconds = std::max(0.0, report_seconds(*ended.started_at - ready));
      sums.waits.add(wait_bucket(sums.waited_seconds), 1);
    }
    add(key, sums);
  });
}

void Report::add_running(const Job& job, const std::optional<GpuUsage>& so_far, bool hidden) {
  const Running* running = std::get_if<Running>(&job.state);
  if (running == nullptr || running->started_at >= asked_.until) return;
  AttemptWork work{.job = job, .grant = running->grant, .used = so_far ? &*so_far : nullptr};
  work.begin = running->started_at;
  work.end = asked_.until;
  work.since = asked_.since;
  work.aside_seconds = report_seconds(away_for(job, asked_.until));
  // Of what is kept by days, its moves and its earlier attempts are there already.
  work.jobs = !asked_.from_days || job.attempt == 1 ? 1 : 0;
  split_work(work, {}, [&](const WorkKey& key, WorkSums sums) {
    if (!asked_.from_days) sums.moves = sums.attempts * std::max(job.moves, 0);
    const double runs = sums.attempts;
    if (hidden) {
      add_hidden(key, sums, runs);
    } else {
      add(key, sums, runs);
    }
  });
}

wire::ReportRow Report::named(const Row& row, const ReportSum& sum, const StateView& state,
                              const ReportPrices& prices) const {
  wire::ReportRow out = figures_of(sum, prices);
  switch (asked_.by) {
    case ReportBy::kUser:
      out.user = row.word;
      return out;
    case ReportBy::kTenant:
      out.tenant = row.word;
      return out;
    case ReportBy::kProject:
      out.project = row.word;
      return out;
    case ReportBy::kName:
      out.name = row.word;
      return out;
    case ReportBy::kProgram:
      out.program = row.word;
      return out;
    case ReportBy::kHour:
      out.hour = row.number;
      out.attempts.reset();
      return out;
    case ReportBy::kCard:
      break;
  }
  if (row.number == kNoCard) {
    out.card.emplace(std::nullopt);
    return out;
  }
  out.card = row.number;
  if (!sum.model.empty()) out.model = sum.model;
  if (const auto index = state.index_of(CardNumber{static_cast<std::uint16_t>(row.number)})) {
    out.uuid = state.cards()[*index].uuid;
    out.model = state.cards()[*index].model;
  }
  return out;
}

void Report::fill_matrix(wire::Report& answer) const {
  std::vector<wire::ReportWaitedFor>& list = answer.waited_for.emplace();
  for (const auto& [pair, seconds] : waited_for_) {
    list.push_back({.tenant = pair.first, .holder = pair.second, .seconds = seconds});
  }
  std::ranges::stable_sort(list, std::greater<>{}, &wire::ReportWaitedFor::seconds);
  if (list.size() > kPairsMost) list.resize(kPairsMost);
}

wire::Report Report::answer(const StateView& state, const ReportPrices& prices) const {
  wire::Report answer{.since = asked_.since,
                      .until = asked_.until,
                      .by = report_word(asked_.by),
                      .source = asked_.from_days ? "days" : "jobs",
                      .total = figures_of(total_, prices)};
  if (prices.per_kwh > 0 || prices.per_gpu_hour > 0) answer.currency = prices.currency;
  auto rows = rows_;
  // A day has all of its hours, also those in which nobody worked.
  for (int hour = 0; asked_.by == ReportBy::kHour && !rows_.empty() && hour < kHoursOfDay; ++hour) {
    rows.try_emplace({.number = hour});
  }
  for (const auto& [row, sum] : rows) answer.rows.push_back(named(row, sum, state, prices));
  // Who used most comes first; cards and hours are in their order.
  if (asked_.by != ReportBy::kCard && asked_.by != ReportBy::kHour) {
    std::ranges::stable_sort(answer.rows, std::greater<>{}, &wire::ReportRow::gpu_seconds);
  }
  if (any_hidden_) answer.rows.emplace_back(figures_of(others_, prices)).others = true;
  if (asked_.from_days) fill_matrix(answer);
  std::vector<wire::ReportDay>& days = answer.days.emplace();
  for (const auto& [day, work] : days_) {
    days.push_back({.day = date_of(day.first),
                    .month = day.second,
                    .jobs = {rounded(work.jobs)},
                    .gpu_seconds = work.gpu_seconds,
                    .waited_seconds = work.waited_seconds,
                    .failures = {rounded(work.failures.total())}});
  }
  std::vector<double>& hours = answer.hours.emplace(24, 0.0);
  for (const auto& [hour, seconds] : total_.work.hours.entries()) hours.at(hour) = seconds;
  if (!notes_.empty()) answer.notes = notes_;
  return answer;
}

}  // namespace gpusched
