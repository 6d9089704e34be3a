#include "api/report.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gpusched {

struct Report::Part {
  const Grant& grant;
  const GpuUsage* used = nullptr;  // Null: nothing was seen.
  Wall begin{}, end{};
  bool running = false;
  double aside = 0;  // Seconds of it that it was away from its cards.
};

namespace {

double seconds_of(Microseconds time) { return std::chrono::duration<double>(time).count(); }

// `cards` of the `of` cards that an attempt held, for `seconds` each. What was used is only known
// of all its cards together, so each has an equal part.
struct Slice {
  std::size_t cards = 0;
  std::size_t of = 1;
  double seconds = 0;       // On its cards.
  double aside = 0;         // Beside that.
  double share_of_run = 1;  // The part of the attempt that counts.
  double asked_bytes = 0;   // On these cards.
};

void add_slice(ReportSum& sum, const Slice& slice, const GpuUsage* used) {
  const double held = static_cast<double>(slice.cards) * slice.seconds;
  const double part = static_cast<double>(slice.cards) / static_cast<double>(slice.of);
  sum.gpu_seconds += held;
  sum.aside_seconds += static_cast<double>(slice.cards) * slice.aside;
  if (used == nullptr) return;
  if (used->peak_vram_bytes > 0) {
    sum.seen_seconds += held;
    sum.asked_byte_seconds += slice.asked_bytes * slice.seconds;
    sum.peak_byte_seconds += static_cast<double>(used->peak_vram_bytes) * part * slice.seconds;
  }
  if (used->mean_busy_percent) {
    sum.busy_seconds += held;
    sum.busy_percent_seconds += *used->mean_busy_percent * held;
  }
  if (used->energy_joules) {
    sum.energy_joules =
        sum.energy_joules.value_or(0) + *used->energy_joules * part * slice.share_of_run;
  }
}

// `part`: of the job.
void count_job(ReportSum& sum, const Job& job, bool running, double part = 1) {
  sum.jobs += part;
  sum.moves += part * std::max(job.moves, 0);
  if (running) sum.running += part;
}

wire::ReportRow row_of(const ReportSum& sum) {
  wire::ReportRow row{.jobs = {sum.jobs},
                      .running = {sum.running},
                      .moves = {sum.moves},
                      .aside_seconds = sum.aside_seconds,
                      .gpu_seconds = sum.gpu_seconds,
                      .energy_joules = sum.energy_joules};
  if (sum.seen_seconds > 0) {
    row.asked_vram_bytes = static_cast<std::uint64_t>(sum.asked_byte_seconds / sum.seen_seconds);
    row.peak_vram_bytes = static_cast<std::uint64_t>(sum.peak_byte_seconds / sum.seen_seconds);
  }
  if (sum.asked_byte_seconds > 0) {
    row.peak_of_asked_percent = 100 * sum.peak_byte_seconds / sum.asked_byte_seconds;
  }
  if (sum.busy_seconds > 0) row.mean_busy_percent = sum.busy_percent_seconds / sum.busy_seconds;
  return row;
}

}  // namespace

void Report::add(const Job& job, const Part& part) {
  const Wall begin = std::max(part.begin, asked_.since);
  const double seconds = part.end > begin ? seconds_of(part.end - begin) : 0;
  const double whole = part.end > part.begin ? seconds_of(part.end - part.begin) : 0;
  const auto& cards = part.grant.cards;
  Slice all{.cards = cards.size(), .of = std::max<std::size_t>(cards.size(), 1)};
  all.share_of_run = whole > 0 ? seconds / whole : 1;
  // When it was away is not kept, only for how long: of a part, as much as of the whole.
  all.aside = std::min(part.aside * all.share_of_run, seconds);
  all.seconds = seconds - all.aside;
  for (const CardGrant& held : cards) {
    Slice one = all;
    one.cards = 1;
    one.asked_bytes = static_cast<double>(held.vram_bytes);
    all.asked_bytes += one.asked_bytes;
    if (asked_.by != ReportBy::kCard) continue;
    count_job(cards_[held.card], job, part.running, 1.0 / static_cast<double>(all.of));
    add_slice(cards_[held.card], one, part.used);
  }
  if (cards.empty()) count_job(without_card_, job, part.running);
  ReportSum& of_user = users_[job.owner.user];
  for (ReportSum* sum : {&of_user, &total_}) {
    count_job(*sum, job, part.running);
    if (!cards.empty()) add_slice(*sum, all, part.used);
  }
}

void Report::add_ended(const Job& job) {
  const Ended& ended = std::get<Ended>(job.state);
  // What never began used nothing and is not work that was done.
  if (!ended.started_at) return;
  const auto& gpu = usage_of(ended).gpu;
  Part part{ended.grant, gpu ? &*gpu : nullptr, *ended.started_at, ended.ended_at, false};
  if (gpu && gpu->gpu_seconds > 0 && !ended.grant.cards.empty() && job.moves > 0) {
    const double held = gpu->gpu_seconds / static_cast<double>(ended.grant.cards.size());
    part.aside = std::max(0.0, seconds_of(ended.ended_at - *ended.started_at) - held);
  }
  add(job, part);
}

void Report::add_running(const Job& job, const std::optional<GpuUsage>& so_far) {
  const Running* running = std::get_if<Running>(&job.state);
  if (running == nullptr) return;
  Part part{running->grant, so_far ? &*so_far : nullptr, running->started_at, asked_.until, true};
  part.aside = seconds_of(away_for(job, asked_.until));
  add(job, part);
}

wire::Report Report::answer(const StateView& state) const {
  wire::Report answer{.since = asked_.since,
                      .until = asked_.until,
                      .by = asked_.by == ReportBy::kUser ? "user" : "card",
                      .total = row_of(total_)};
  if (asked_.by == ReportBy::kCard) {
    for (const auto& [number, sum] : cards_) {
      wire::ReportRow& row = answer.rows.emplace_back(row_of(sum));
      row.card = number_of(number);
      if (const auto index = state.index_of(number)) {
        row.uuid = state.cards()[*index].uuid;
        row.model = state.cards()[*index].model;
      }
    }
    if (without_card_.jobs > 0) {
      answer.rows.emplace_back(row_of(without_card_)).card.emplace(std::nullopt);
    }
    return answer;
  }
  for (const auto& [user, sum] : users_) answer.rows.emplace_back(row_of(sum)).user = user;
  // Who used most comes first.
  std::ranges::stable_sort(answer.rows, std::greater<>{}, &wire::ReportRow::gpu_seconds);
  return answer;
}

}  // namespace gpusched
