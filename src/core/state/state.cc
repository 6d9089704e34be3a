#include "core/state/state.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/access/rights.h"
#include "core/state/deadline_times.h"
#include "core/state/gpu_hours.h"

namespace gpusched {
namespace {

// How often what runs is counted as used although nothing ends: what a power cut may cost.
constexpr Microseconds kUsageCounted = std::chrono::minutes{10};
constexpr std::size_t kWokenAtOnce = 2000;

}  // namespace

bool State::has_closed_to_release() const {
  return std::ranges::any_of(
      staged_, [this](const auto& range) { return !in_open_submission(range.first); });
}

std::optional<Boot> State::next_deadline(Now now) const {
  std::optional<Boot> next;
  const auto consider = [&next](Boot at) {
    if (!next || at < *next) next = at;
  };
  const auto consider_wall = [&](Wall at) {
    consider(now.boot + std::max(Microseconds{0}, at - now.wall));
  };
  if (!begins_.empty()) consider_wall(begins_.begin()->first);
  if (!expiries_.empty()) consider_wall(expiries_.begin()->first);
  if (!fresh_.empty()) consider_wall(fresh_.begin()->first + rules_.overdue_after);
  if (!deadlines_.empty()) consider_wall(deadlines_.begin()->first);
  if (!retries_.empty()) consider(retries_.begin()->first);
  if (tenants_.any_active()) consider(usage_counted_ + kUsageCounted);
  if (const auto day = next_quota_day(tenants_, pending_, now)) consider_wall(*day);
  if (const auto change = card_reservations_.next_change(now.wall)) consider_wall(*change);
  for (const auto& [id, reservation] : tables_.reservations.rows) {
    if (reservation.until <= now.wall) consider(now.boot);
  }
  if (const auto end = leases_.next_end()) consider(*end);
  if (const auto again = seen_.looks.next_deadline()) consider(*again);
  for (const auto& [receiver, lines] : outbox_.receivers()) {
    if (sending_.contains(receiver)) continue;
    // After a jump of the clock, and of a receiver that is gone, there is something to put right.
    const bool strange = lines.heads.rbegin()->first > now.wall + kLongestMessageWait ||
                         !rules_.known_receivers().contains(receiver);
    consider_wall(strange ? now.wall : lines.heads.begin()->first);
  }
  for (const JobId id : aside_) {
    const Running& running = std::get<Running>(tables_.jobs.rows.at(id).state);
    if (running.stopping != StopReason::kNone) continue;
    if (const auto until = aside_of(running)->over_limit_until) consider_wall(*until);
  }
  return next;
}

std::vector<JobId> State::expired(Now now, std::size_t most) const {
  std::vector<JobId> jobs;
  for (const auto& [at, id] : expiries_) {
    if (at > now.wall || jobs.size() == most) break;
    jobs.push_back(id);
  }
  return jobs;
}

void State::note(const Job& job, const char* kind, std::string text, Now now) {
  trail_.push_back({.sequence = next_trail_sequence_++,
                    .job = job.id,
                    .at = now.wall,
                    .attempt = job.attempt,
                    .kind = kind,
                    .text = std::move(text)});
}

std::span<const TrailEntry> State::take_untold_trail() {
  return std::span(trail_).subspan(std::exchange(trail_told_, trail_.size()));
}

void State::guard_array(JobId array, bool stop) {
  remember_sweep(array);
  if (stop) {
    guarded_.insert(array);
  } else {
    guarded_.erase(array);
    // A person has looked at it: count from new.
    sweeps_[array] = SweepRecord{.quick_failures = 0, .others = 1};
  }
}

void State::set_cards(std::vector<Card> cards) {
  std::ranges::sort(cards, {}, &Card::number);
  std::vector<CardView> views(cards.size());
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const auto known = std::ranges::find(cards_, cards[i].uuid, &Card::uuid);
    if (known == cards_.end()) continue;
    views[i] = std::move(seen_.views[static_cast<std::size_t>(known - cards_.begin())]);
    if (views[i].condition != CardCondition::kUnseen) cards[i].usable = views[i].answers();
  }
  for (Card& card : cards) {
    card.drained = tables_.drains.rows.contains(card.uuid);
    card.usable = card.usable && !card.drained && card.managed;
    // What the configuration says of a card stands; else what was found out of it.
    if (card.share_cap_percent) {
      seen_.caps.erase(card.uuid);
    } else if (const AdaptiveCap* cap = seen_.cap_of(card.uuid)) {
      card.share_cap_percent = cap->percent;
    }
  }
  cards_ = std::move(cards);
  seen_.turns.admit(cards_);
  seen_.views = std::move(views);
  card_holds_.assign(cards_.size(), {});
  host_holds_ = {};
  for (const JobId id : active_) {
    hold_resources(held_by(tables_.jobs.rows.at(id)), +1);
    tenants_.recharge(tables_.jobs.rows.at(id), cards_);
  }
  refresh_reservations();
}

void State::set_calendar(std::vector<Reservation> calendar) {
  calendar_ = std::move(calendar);
  refresh_reservations();
}

void State::refresh_reservations() {
  std::vector<Reservation> all = calendar_;
  for (const auto& [id, reservation] : tables_.reservations.rows) all.push_back(reservation);
  card_reservations_.rebuild(cards_, std::move(all));
}

void State::set_host(HostCapacity host) { host_ = host; }
void State::set_rules(Rules rules, Now now) {
  if (!(rules.adaptive_cap == rules_.adaptive_cap) ||
      rules.share_cap_percent != rules_.share_cap_percent) {
    // What was found out of a card was found out under the old ones.
    for (Card& card : cards_) {
      if (seen_.caps.erase(card.uuid) > 0) card.share_cap_percent.reset();
    }
  }
  const bool other_places = rules.overdue_after != rules_.overdue_after ||
                            rules.deadline_slack != rules_.deadline_slack ||
                            !(rules.estimates == rules_.estimates);
  if (!other_places) {
    rules_ = std::move(rules);
    return;
  }
  // Where a job stands in the queue was worked out by the old ones.
  std::vector<JobId> waiting;
  for (const auto& [id, job] : tables_.jobs.rows) {
    const bool waits =
        std::holds_alternative<Held>(job.state) || std::holds_alternative<Queued>(job.state);
    if (waits) waiting.push_back(id);
  }
  for (const JobId id : waiting) unindex(tables_.jobs.rows.at(id));
  rules_ = std::move(rules);
  for (const JobId id : waiting) index(tables_.jobs.rows.at(id), now);
}
void State::set_next_job(JobId id) { next_job_ = std::max(next_job_, id); }

bool State::release_closed_submissions(std::size_t most, Now now) {
  bool more = false;
  for (auto range = staged_.begin(); range != staged_.end();) {
    const auto submission = tables_.submissions.rows.find(range->second.submission);
    const bool open = submission != tables_.submissions.rows.end() && submission->second.open;
    if (open) {
      ++range;
      continue;
    }
    const JobId end = range->second.end;
    const std::uint64_t number = range->second.submission;
    const std::uint64_t left = number_of(end) - number_of(range->first);
    const std::uint64_t step = std::min<std::uint64_t>(left, most);
    most -= step;
    const JobId first = range->first;
    const JobId stop{number_of(first) + step};
    range = staged_.erase(range);
    for (auto job = tables_.jobs.rows.lower_bound(first);
         job != tables_.jobs.rows.end() && job->first < stop; ++job) {
      index(job->second, now);
    }
    if (stop < end) {
      staged_.emplace(stop, Staged{end, number});
      more = true;
    }
    // The slice may end where a range does, and another range may still wait.
    if (most == 0) return has_closed_to_release();
  }
  return more;
}

void State::wake(JobId id, Now now) {
  const Job& job = tables_.jobs.rows.at(id);
  unindex(job);
  index(job, now);
}

void State::watch_deadline(const Job& job, Now now) {
  const auto next = deadline_times(estimates_, rules_.deadline_slack, job).next_after(now.wall);
  if (!next) return;
  deadlines_.emplace(*next, job.id);
  deadline_of_.emplace(job.id, *next);
}

void State::unwatch_deadline(const Job& job) {
  const auto watched = deadline_of_.find(job.id);
  if (watched == deadline_of_.end()) return;
  deadlines_.erase({watched->second, job.id});
  deadline_of_.erase(watched);
}

void State::pass_deadline(JobId id, Now now) {
  const Job& job = tables_.jobs.rows.at(id);
  const Wall came = deadline_of_.at(id);
  const DeadlineTimes times = deadline_times(estimates_, rules_.deadline_slack, job);
  // Said once: when it could still have been met, and no longer. Of a job of which nobody knows how
  // long it takes, that is the deadline itself.
  if (!known_run_of(estimates_, job)) {
    if (came >= times.deadline) note(job, "deadline", "not started before its deadline", now);
  } else if (came >= times.latest_start && came < times.deadline) {
    note(job, "deadline", "not started in time: its deadline cannot be met any more", now);
  }
  wake(id, now);
}

void State::advance(Now now) {
  seen_.looks.advance(now.boot);
  // As many jobs as one likes can be given the same time.
  std::size_t left = kWokenAtOnce;
  const auto more = [&left] { return left > 0 && left-- > 0; };
  while (!begins_.empty() && begins_.begin()->first <= now.wall && more()) {
    wake(begins_.begin()->second, now);
  }
  while (!retries_.empty() && retries_.begin()->first <= now.boot && more()) {
    wake(retries_.begin()->second, now);
  }
  while (!fresh_.empty() && fresh_.begin()->first + rules_.overdue_after <= now.wall && more()) {
    wake(fresh_.begin()->second, now);
  }
  while (!deadlines_.empty() && deadlines_.begin()->first <= now.wall && more()) {
    pass_deadline(deadlines_.begin()->second, now);
  }
  if (tenants_.any_active() && usage_counted_ + kUsageCounted <= now.boot) count_usage_of_all(now);
}

}  // namespace gpusched
