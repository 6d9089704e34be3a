#include "core/notify/job_notices.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "core/notify/tell.h"

namespace gpusched {
namespace {

constexpr std::size_t kNamedMost = 10;         // Failed jobs of a sweep.
constexpr std::size_t kLookedAtMost = 20'000;  // Jobs of a sweep, to find those.

std::string label_of(const Job& job) {
  const std::string& name = job.spec->name;
  return name.empty() ? program_of(job) : name;
}

// "job 7 of ml1 (train.py)".
std::string who(const Job& job) {
  return "job " + to_string(job.id) + " of " + job.owner.user + " (" + label_of(job) + ")";
}

std::string cards_words(const Grant* grant) {
  if (grant == nullptr || grant->cards.empty()) return "on CPUs alone";
  std::string text = grant->cards.size() == 1 ? "on card " : "on cards ";
  for (std::size_t i = 0; i < grant->cards.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(number_of(grant->cards[i].card));
  }
  return text;
}

Notice notice_of(const Job& job, JobNews news) {
  Notice notice;
  notice.thread = notice.subject = "job " + to_string(job.id);
  notice.group = "notify/" + job.owner.user + "/" + std::string(news_word(news));
  notice.rule = "notify";
  notice.whom = job.owner.user;
  notice.job = job.id;
  return notice;
}

std::string log_of(const Job& job) {
  return "gpusched logs " + to_string(job.id) + " shows its log";
}

std::string ran_words(const Ended& ended) {
  if (!ended.started_at || ended.ended_at < *ended.started_at) return "";
  return " after " + format_duration(ended.ended_at - *ended.started_at);
}

class Telling {
 public:
  Telling(State& state, std::span<const TrailEntry> turn, Now now) : state_(state), now_(now) {
    for (const TrailEntry& entry : turn) {
      if (entry.kind == "submitted") submitted_.insert(entry.job);
      if (entry.kind != "running") continue;
      const Job* job = state.find(entry.job);
      if (job != nullptr && job->task) ++starts_[job->task->array];
    }
  }

  void entry(const TrailEntry& entry, const Job& job) {
    if (entry.kind == "completed" || entry.kind == "failed" || entry.kind == "cancelled") {
      if (job.ended()) ended(entry, job);
    } else if (entry.kind == "running") {
      running(entry, job);
    } else if (entry.kind == "pausing" || entry.kind == "moving") {
      const Aside* aside = aside_of(job);
      const bool unasked = aside == nullptr || (!aside->by_hand && aside->why != AsideWhy::kStill);
      if (job.active() && unasked) moved(job, " leaves its cards: " + entry.text);
    } else if (entry.kind == "deadline") {
      // Of what is said at once, the submitter has heard.
      if (!submitted_.contains(job.id)) late(job, entry.text, entry.at);
    } else if (entry.kind == "held" && job.task && state_.guarded(job.task->array) &&
               state_.last_of_array(job.task->array) == job.id) {
      stopped(job);
    }
  }

  std::vector<Untold> take_untold() { return std::move(untold_); }

 private:
  // To those who want to hear of any of these.
  void tell_all(const Job& job, std::initializer_list<JobNews> news, const Notice& notice) {
    std::vector<Target> targets;
    for (const std::string& text : job.spec->extras->notify) {
      const auto wish = read_notify_wish(text);
      const auto wanted = [&](JobNews one) { return wish->wants(one); };
      if (!wish || std::ranges::none_of(news, wanted)) continue;
      const auto target = target_of_user(state_.rules().known_receivers(), wish->target);
      if (target) targets.push_back(*target);
    }
    if (targets.empty()) return;
    std::ranges::move(tell(state_, notice, targets, now_), std::back_inserter(untold_));
  }

  void ended(const TrailEntry& entry, const Job& job) {
    const Ended& end = std::get<Ended>(job.state);
    const auto& deadline = job.spec->extras->deadline;
    if (deadline && end.outcome == Outcome::kCompleted && end.ended_at > *deadline) {
      late(job, "it ended " + format_duration(end.ended_at - *deadline) + " after its deadline",
           *deadline);
    }
    if (job.task) return sweep_ended(job);
    const bool done = end.outcome == Outcome::kCompleted;
    // Who cancels a job knows of it.
    if (end.outcome == Outcome::kCancelled && !end.cause) return;
    const JobNews news = done ? JobNews::kDone : JobNews::kFail;
    Notice notice = notice_of(job, news);
    notice.since = end.ended_at;
    if (done) {
      notice.what = who(job) + " is done" + ran_words(end);
      notice.advice = log_of(job);
    } else if (end.outcome == Outcome::kCancelled) {
      notice.severity = Severity::kWarning;
      notice.what = who(job) + " will not run: " + entry.text;
      notice.advice = "gpusched requeue " + to_string(job.id) + " runs it all the same";
    } else {
      notice.severity = Severity::kWarning;
      notice.what = who(job) + " failed" + ran_words(end) + ": " + entry.text;
      notice.advice = log_of(job);
    }
    tell_all(job, {news}, notice);
  }

  // Once for all of it, when nothing of it is left to do.
  void sweep_ended(const Job& job) {
    const JobId array = job.task->array;
    const Counts* counts = state_.counts_of_array(array);
    if (counts == nullptr || counts->waiting() + counts->active() > 0) return;
    if (!sweeps_told_.insert(array).second) return;
    const JobNews news = counts->failed > 0 ? JobNews::kFail : JobNews::kDone;
    Notice notice = notice_of(job, news);
    notice.thread = notice.subject = "sweep " + to_string(array);
    notice.since = std::get<Ended>(job.state).ended_at;
    notice.what = "sweep " + to_string(array) + " of " + job.owner.user + " (" + label_of(job) +
                  ") has ended: done " + std::to_string(counts->completed);
    if (counts->failed > 0) {
      notice.severity = Severity::kWarning;
      notice.what += ", failed " + std::to_string(counts->failed) + failed_of(array);
    }
    if (counts->cancelled > 0) {
      notice.what += ", cancelled " + std::to_string(counts->cancelled);
    }
    notice.advice = "gpusched sweep " + to_string(array) + " lists its jobs";
    if (counts->failed + counts->completed == 0) return;  // All of it was cancelled.
    if (counts->failed > 0) return tell_all(job, {JobNews::kDone, JobNews::kFail}, notice);
    tell_all(job, {JobNews::kDone}, notice);
  }

  // ": 17, 31", or as many as are found soon.
  std::string failed_of(JobId array) const {
    std::string text;
    std::size_t named = 0, looked_at = 0;
    for (auto job = state_.jobs().lower_bound(array);
         job != state_.jobs().end() && looked_at < kLookedAtMost; ++job, ++looked_at) {
      if (!job->second.task || job->second.task->array != array) break;
      const auto* end = std::get_if<Ended>(&job->second.state);
      if (end == nullptr || end->outcome != Outcome::kFailed) continue;
      if (named++ == kNamedMost) return text + ", …";
      text += (text.empty() ? ": " : ", ") + to_string(job->first);
    }
    return text;
  }

  void running(const TrailEntry& entry, const Job& job) {
    const auto* running = std::get_if<Running>(&job.state);
    if (running == nullptr) return;
    if (running->presence) {
      if (!running->presence->back() || running->presence->back()->stood_still) return;
      return moved(job, " is on its cards again: " + entry.text);
    }
    if (job.task) {
      const JobId array = job.task->array;
      const Counts* counts = state_.counts_of_array(array);
      const std::uint64_t begun =
          counts == nullptr ? 0 : counts->total() - counts->waiting() - counts->starting;
      if (begun > starts_[array] || !starts_told_.insert(array).second) return;
    }
    Notice notice = notice_of(job, JobNews::kStart);
    notice.since = running->started_at;
    notice.what = who(job) + " has started " + cards_words(grant_of(job));
    if (running->started_at > job.submitted_at && job.attempt == 1) {
      notice.what += ", " + format_duration(running->started_at - job.submitted_at) +
                     " after it was submitted";
    }
    if (job.attempt > 1) notice.what += ", attempt " + std::to_string(job.attempt);
    if (job.task) notice.what += ", the first of sweep " + to_string(job.task->array);
    notice.advice = "gpusched logs -f " + to_string(job.id) + " follows it";
    tell_all(job, {JobNews::kStart}, notice);
  }

  void moved(const Job& job, const std::string& what) {
    Notice notice = notice_of(job, JobNews::kMoved);
    notice.since = now_.wall;
    notice.what = who(job) + what;
    notice.advice = "gpusched events " + to_string(job.id) + " says what was decided about it";
    tell_all(job, {JobNews::kMoved}, notice);
  }

  void late(const Job& job, const std::string& why, Wall since) {
    Notice notice = notice_of(job, JobNews::kLate);
    notice.severity = Severity::kWarning;
    notice.since = since;
    notice.what = who(job) + " is late: " + why;
    notice.advice =
        job.ended() ? log_of(job) : "gpusched explain " + to_string(job.id) + " says why it waits";
    tell_all(job, {JobNews::kLate}, notice);
  }

  void stopped(const Job& job) {
    const JobId array = job.task->array;
    Notice notice = notice_of(job, JobNews::kFail);
    notice.severity = Severity::kWarning;
    notice.thread = notice.subject = "sweep " + to_string(array);
    notice.since = now_.wall;
    notice.what = "sweep " + to_string(array) + " of " + job.owner.user + " (" + label_of(job) +
                  ") is held: its first jobs all failed within seconds" + failed_of(array);
    notice.advice = "look at their logs, then gpusched release --array " + to_string(array) +
                    " or gpusched cancel --array " + to_string(array);
    tell_all(job, {JobNews::kFail}, notice);
  }

  State& state_;
  Now now_;
  std::set<JobId> submitted_;              // In this turn.
  std::map<JobId, std::uint64_t> starts_;  // Jobs of each sweep that began in this turn.
  std::set<JobId> sweeps_told_, starts_told_;
  std::vector<Untold> untold_;
};

// For whoever asks: one entry for each job, however many it wanted to be told.
void note_untold(State& state, const std::vector<Untold>& untold, Now now) {
  std::map<JobId, std::size_t> by_job;
  for (const Untold& one : untold) {
    if (one.job) ++by_job[*one.job];
  }
  for (const auto& [id, count] : by_job) {
    const Job* job = state.find(id);
    if (job == nullptr) continue;
    // Without the addresses: who sees a trail need not see whom it tells.
    state.note(*job, "not_told",
               (count == 1 ? std::string("a message about it is")
                           : std::to_string(count) + " messages about it are") +
                   " not sent: too many wait for addresses that users named",
               now);
  }
}

}  // namespace

std::vector<Untold> tell_of_jobs(State& state, Now now) {
  const std::span<const TrailEntry> turn = state.take_untold_trail();
  std::vector<std::pair<const TrailEntry*, const Job*>> concerned;
  for (const TrailEntry& entry : turn) {
    const Job* job = state.find(entry.job);
    if (job == nullptr || job->spec->extras->notify.empty()) continue;
    concerned.emplace_back(&entry, job);
  }
  if (concerned.empty()) return {};  // Nearly always.
  Telling telling(state, turn, now);
  for (const auto& [entry, job] : concerned) telling.entry(*entry, *job);
  std::vector<Untold> untold = telling.take_untold();
  note_untold(state, untold, now);
  return untold;
}

}  // namespace gpusched
