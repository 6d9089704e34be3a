#include "history/feed.h"

#include <algorithm>
#include <variant>

namespace gpusched::history {
namespace {

// One part that is not known makes the whole unknown.
template <class Number>
void add_to(std::optional<Number>& sum, const std::optional<Number>& part) {
  if (sum && part) {
    *sum += *part;
  } else {
    sum.reset();
  }
}

void note_holds(CardPoint& point, const StateView& state) {
  const std::optional<std::size_t> index = state.index_of(point.number);
  if (!index) return;
  const CardHolds& holds = state.holds_on(*index);
  point.held_vram_bytes = holds.whole ? state.cards()[*index].vram_bytes : holds.vram_bytes;
  point.jobs = holds.jobs;
}

CardPoint card_point(const watch::SampleReport& report, const StateView& state) {
  CardPoint point;
  point.number = report.card;
  point.uuid = report.uuid;
  point.at = report.at.wall;
  point.busy_percent = report.sample.busy_percent;
  point.used_bytes = report.sample.used_bytes;
  point.sm_active_percent = report.sample.sm_active_percent;
  point.dram_active_percent = report.sample.dram_active_percent;
  point.power_watts = report.sample.power_watts;
  point.temperature_c = report.sample.temperature_c;
  note_holds(point, state);
  if (report.processes) {
    point.foreign_processes = static_cast<int>(std::ranges::count_if(
        *report.processes,
        [](const watch::WatchedProcess& process) { return !process.owner.attempt; }));
  }
  return point;
}

}  // namespace

Feed::Users Feed::users_of(const std::vector<watch::WatchedProcess>& processes) {
  Users users;
  for (const watch::WatchedProcess& process : processes) {
    if (!process.owner.attempt) continue;
    Use& use = users[*process.owner.attempt];
    add_to(use.vram_bytes, process.seen.vram_bytes);
    add_to(use.busy_percent, process.seen.busy_percent);
  }
  return users;
}

std::optional<JobPoint> Feed::job_point(const Job& job, CardNumber card, Wall at) const {
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr || running->grant.cards.empty()) return std::nullopt;
  const std::vector<CardGrant>& cards = running->grant.cards;
  if (std::ranges::min(cards, {}, &CardGrant::card).card != card) return std::nullopt;
  JobPoint point{job.current_attempt(), at, std::uint64_t{0}, 0.0};
  for (const CardGrant& held : cards) {
    const auto users = seen_.find(held.card);
    if (users == seen_.end()) return std::nullopt;
    const auto found = users->second.find(point.attempt);
    // Not seen where processes are listed: it uses nothing there.
    const Use use = found == users->second.end() ? Use{} : found->second;
    add_to(point.vram_bytes, use.vram_bytes);
    add_to(point.busy_percent, use.busy_percent);
  }
  if (point.busy_percent) *point.busy_percent /= static_cast<double>(cards.size());
  return point;
}

Points Feed::take(const watch::Report& report, const StateView& state) {
  if (const auto* sample = std::get_if<watch::SampleReport>(&report)) {
    return points_of(*sample, state);
  }
  // The card does not answer, sleeps or is gone: what is used on it is unknown from now on.
  if (const auto* unknown = std::get_if<watch::UnknownReport>(&report)) seen_.erase(unknown->card);
  if (const auto* asleep = std::get_if<watch::AsleepReport>(&report)) seen_.erase(asleep->card);
  if (const auto* gone = std::get_if<watch::GoneReport>(&report)) seen_.erase(gone->card);
  return {};
}

Points Feed::points_of(const watch::SampleReport& report, const StateView& state) {
  Points points;
  points.cards.push_back(card_point(report, state));
  if (!report.processes) {
    seen_.erase(report.card);
    return points;
  }
  seen_[report.card] = users_of(*report.processes);
  for (const JobId id : state.active()) {
    if (auto point = job_point(*state.find(id), report.card, report.at.wall)) {
      points.jobs.push_back(*point);
    }
  }
  return points;
}

}  // namespace gpusched::history
