// The sums of work (core/model/work_sum.h): changed in the same turn as the jobs that they tell of,
// so that one commit has both or neither, and nothing counts twice however often a daemon is
// started again.
#include <algorithm>
#include <climits>
#include <utility>

#include "core/model/tenant.h"
#include "core/state/state.h"

namespace gpusched {
namespace {

// Rows of one day, and of one month.
constexpr std::size_t kRowsOfDay = 400;
constexpr std::size_t kRowsOfMonth = 1000;
// Jobs that ended last, looked at for who held the cards while another one waited.
constexpr std::size_t kEndedLookedAt = 32;

double seconds_between(Wall from, Wall to) {
  return to > from ? std::chrono::duration<double>(to - from).count() : 0;
}

std::optional<Wall> began_at(const Job& job) {
  if (const auto* running = std::get_if<Running>(&job.state)) return running->started_at;
  if (const auto* ended = std::get_if<Ended>(&job.state)) return ended->started_at;
  return std::nullopt;
}

// Since when it could have started.
Wall ready_at(const Job& job) {
  return std::max(job.submitted_at, job.spec->extras->begin.value_or(job.submitted_at));
}

void add_wait(WorkSums& sums, double waited) {
  sums.waited_seconds += waited;
  sums.waits.add(wait_bucket(waited), 1);
}

// Card-seconds between two moments, by tenant.
std::map<std::string, double> held_between(const StateView& state, Wall from, Wall to) {
  std::map<std::string, double> held;
  const auto add = [&](const Job& job, std::optional<Wall> begin, Wall end) {
    const Grant* grant = grant_of(job);
    if (grant == nullptr || grant->cards.empty() || !begin) return;
    const double both = seconds_between(std::max(*begin, from), std::min(end, to));
    if (both > 0) held[job.tenant] += both * static_cast<double>(grant->cards.size());
  };
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const auto* starting = std::get_if<Starting>(&job.state);
    add(job, starting != nullptr ? std::optional(starting->decided_at) : began_at(job), to);
  }
  std::size_t looks = kEndedLookedAt;
  for (auto it = state.ended().rbegin(); it != state.ended().rend(); ++it) {
    if (looks-- == 0 || it->first <= from) break;
    add(*state.find(it->second), began_at(*state.find(it->second)), it->first);
  }
  return held;
}

}  // namespace

void State::add_work(const WorkKey& key, const WorkSums& sums) {
  const WorkSum* before = tables_.work.find(key);
  WorkSum row = before != nullptr ? *before : WorkSum{.key = key, .sums = {}};
  const bool added = before == nullptr;
  row.sums.add(sums);
  put(std::move(row));
  if (added) fold_work(key.month, key.day);
}

void State::count_work(const Job* before, const Job& job, Now now) {
  // What comes from the store was counted when it happened.
  if (before == nullptr || rules_.work_keep_for <= Seconds{0}) return;
  if (job.moves != before->moves) count_moves(*before, job, now);
  const bool over = before->active() && (!job.active() || job.attempt != before->attempt);
  if (over) count_attempt(*before, job, now);
  const auto* starting = std::get_if<Starting>(&job.state);
  if (starting != nullptr && !before->active() && job.attempt == 1) count_wait(job, *starting);
}

void State::count_attempt(const Job& before, const Job& job, Now now) {
  const auto* ended = std::get_if<Ended>(&job.state);
  const bool told = said_end_ && said_end_->attempt == before.current_attempt();
  const Wall at = ended != nullptr ? ended->ended_at : told ? said_end_->at : now.wall;
  const std::optional<GpuUsage> seen =
      ended != nullptr ? usage_of(*ended).gpu : seen_.uses.of(before.current_attempt());
  AttemptWork work{.job = before, .grant = *grant_of(before)};
  work.used = seen ? &*seen : nullptr;
  work.begin = ended != nullptr ? ended->started_at : told ? said_end_->began : std::nullopt;
  if (!work.begin) work.begin = began_at(before);
  work.end = at;
  work.aside_seconds = std::chrono::duration<double>(away_for(before, at)).count();
  work.jobs = before.attempt == 1 ? 1 : 0;
  if (ended != nullptr && ended->outcome == Outcome::kFailed) work.failed = ended->cause;
  if (ended == nullptr && told) work.failed = said_end_->failed;
  if (told) said_end_.reset();
  split_work(work, cards_,
             [this](const WorkKey& key, const WorkSums& sums) { add_work(key, sums); });
}

void State::count_wait(const Job& job, const Starting& starting) {
  const Wall from = ready_at(job);
  const double waited = seconds_between(from, starting.decided_at);
  WorkSums sums;
  add_wait(sums, waited);
  if (waited >= 1) {
    const auto held = held_between(*this, from, starting.decided_at);
    double all = 0;
    for (const auto& [tenant, seconds] : held) all += seconds;
    for (const auto& [tenant, seconds] : held) {
      sums.waited_while_held_by(tenant, waited * seconds / all);
    }
    if (held.empty()) sums.waited_while_held_by("", waited);
  }
  // With its first card: a wait is one, on however many cards it ends.
  const auto& cards = starting.grant.cards;
  add_work(work_key_on(work_key_of(job), day_of(starting.decided_at),
                       cards.empty() ? nullptr : &cards.front(), cards_),
           sums);
}

void State::count_moves(const Job& before, const Job& job, Now now) {
  const Grant* grant = grant_of(before);
  if (grant == nullptr) return;
  // One that failed was no move: it is taken back.
  const bool taken_back = job.moves < before.moves;
  const Aside* aside = aside_of(taken_back ? before : job);
  WorkSums sums;
  sums.moves = job.moves - before.moves;
  if (aside != nullptr) {
    sums.moved_bytes = static_cast<double>(aside->host_bytes) * (taken_back ? -1 : 1);
  }
  add_work(work_key_on(work_key_of(job), day_of(now.wall),
                       grant->cards.empty() ? nullptr : &grant->cards.front(), cards_),
           sums);
}

void State::merge_work(const WorkKey& from, WorkKey into) {
  const WorkSum* row = tables_.work.find(from);
  if (row == nullptr || from == into) return;
  const WorkSum* there = tables_.work.find(into);
  WorkSum sum = there != nullptr ? *there : WorkSum{.key = std::move(into), .sums = {}};
  sum.sums.add(row->sums);
  remove<WorkSum>(WorkKey(from));
  put(std::move(sum));
}

// The half that used least loses what it is called; then, should projects be the many, these.
void State::fold_work(bool month, int day) {
  const std::size_t most = month ? kRowsOfMonth : kRowsOfDay;
  for (const bool projects : {false, true}) {
    std::vector<std::pair<double, WorkKey>> named;
    std::size_t rows = 0;
    for (auto it = tables_.work.rows.lower_bound(WorkKey{.month = month, .day = day});
         it != tables_.work.rows.end() && it->first.month == month && it->first.day == day; ++it) {
      ++rows;
      const WorkKey& key = it->first;
      const bool folded = key.name == kOtherWork && key.program == kOtherWork;
      if (projects ? !folded || key.project == kOtherWork : folded) continue;
      named.emplace_back(it->second.sums.gpu_seconds, key);
    }
    if (rows <= most) return;
    std::ranges::sort(named);
    named.resize((named.size() + 1) / 2);
    for (const auto& [used, key] : named) {
      WorkKey into = key;
      into.name = into.program = kOtherWork;
      if (projects) into.project = kOtherWork;
      merge_work(key, std::move(into));
    }
  }
}

void State::count_past_work() {
  if (!tables_.work.rows.empty() || rules_.work_keep_for <= Seconds{0}) return;
  for (const auto& [ended_at, id] : ended_.all()) {
    const Job& job = tables_.jobs.rows.at(id);
    const Ended& ended = std::get<Ended>(job.state);
    if (!ended.started_at) continue;
    const auto& gpu = usage_of(ended).gpu;
    AttemptWork work{.job = job, .grant = ended.grant, .used = gpu ? &*gpu : nullptr};
    work.begin = ended.started_at;
    work.end = ended.ended_at;
    work.jobs = 1;
    if (ended.outcome == Outcome::kFailed) work.failed = ended.cause;
    split_work(work, cards_,
               [this](const WorkKey& key, const WorkSums& sums) { add_work(key, sums); });
    if (job.attempt != 1) continue;  // When it first started is not kept.
    WorkSums sums;
    add_wait(sums, seconds_between(ready_at(job), *ended.started_at));
    const auto& cards = ended.grant.cards;
    add_work(work_key_on(work_key_of(job), day_of(*ended.started_at),
                         cards.empty() ? nullptr : &cards.front(), cards_),
             sums);
  }
}

}  // namespace gpusched
