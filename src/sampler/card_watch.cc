#include "sampler/card_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "sampler/power_state.h"

namespace gpusched {
namespace {

using std::chrono::milliseconds;
using watch::Cause;

// A driver takes a process off its list a little after it has ended: 1, 2, 4 … ms, 63 in all.
constexpr milliseconds kFirstPause{1};
constexpr milliseconds kLastPause{32};
// And some free the memory later than that.
constexpr milliseconds kFollowUp{100};

}  // namespace

CardWatch::CardWatch(watch::NumberedCard card, watch::Backend& backend,
                     WatchSurroundings& surroundings)
    : card_(std::move(card)), backend_(backend), around_(surroundings) {}

CardWatch::~CardWatch() {
  stop();
  join();
}

void CardWatch::start() {
  due_ = around_.clock().boot;
  thread_ = std::thread([this] { run(); });
}

void CardWatch::stop() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  turn_.notify_all();
}

void CardWatch::join() {
  if (thread_.joinable()) thread_.join();
}

void CardWatch::look_now(Cause cause) {
  const std::lock_guard lock(mutex_);
  // One look answers all that gathered. Who asked by name waits for that word.
  if (asked_ != Cause::kAsked) asked_ = cause;
  turn_.notify_all();
}

void CardWatch::process_ended(int pid) {
  const std::lock_guard lock(mutex_);
  news_.insert(pid);
  if (asked_ != Cause::kAsked) asked_ = Cause::kExit;
  turn_.notify_all();
}

void CardWatch::pace_changed() {
  const Boot latest = around_.clock().boot + around_.pace.get().period();
  const std::lock_guard lock(mutex_);
  due_ = std::min(due_, latest);
  turn_.notify_all();
}

bool CardWatch::has_reported() const {
  const std::lock_guard lock(mutex_);
  return reported_;
}

void CardWatch::run() {
  while (const auto cause = wait_for_turn()) {
    look(*cause);
    around_.looked();
    if (around_.once) return;
  }
}

std::optional<Cause> CardWatch::wait_for_turn() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (asked_) {
      ended_.merge(news_);
      news_.clear();
      return *std::exchange(asked_, std::nullopt);
    }
    const Microseconds left = due_ - around_.clock().boot;
    if (left.count() <= 0) return std::exchange(follow_up_, false) ? Cause::kExit : Cause::kPeriod;
    turn_.wait_for(lock, left);
  }
  return std::nullopt;
}

void CardWatch::plan_next(milliseconds pause) {
  const Boot next = around_.clock().boot + pause;
  const std::lock_guard lock(mutex_);
  due_ = next;
}

void CardWatch::look(Cause cause) {
  const milliseconds period = around_.pace.get().period();
  plan_next(period);
  if (is_asleep(around_.sysfs, card_.identity.pci)) {
    around_.lines.write(watch::AsleepReport{card_.number, card_.identity.uuid, around_.clock()});
    const std::lock_guard lock(mutex_);
    reported_ = true;
    return;
  }
  bool was_late = false;
  Reading reading = read(was_late);
  const auto still_listed = [&] {
    return reading.processes && std::ranges::any_of(*reading.processes, [&](const auto& process) {
             return ended_.contains(process.pid);
           });
  };
  for (milliseconds pause = kFirstPause; pause <= kLastPause && still_listed(); pause *= 2) {
    if (!wait_for_list(pause)) return;
    reading = read(was_late);
  }
  if (!ended_.empty()) {
    ended_.clear();
    accounts_due_ = 2;
    plan_next(std::min(kFollowUp, period));
    const std::lock_guard lock(mutex_);
    follow_up_ = true;
  }
  report(reading, was_late ? Cause::kReturn : cause);
  if (reading.sample && accounts_due_ > 0) read_accounts();
}

bool CardWatch::wait_for_list(milliseconds pause) {
  std::unique_lock lock(mutex_);
  turn_.wait_for(lock, pause, [&] { return stop_; });
  return !stop_;
}

template <class Call>
auto CardWatch::watched_call(bool& was_late, Call call) {
  {
    const Boot now = around_.clock().boot;
    const std::lock_guard lock(mutex_);
    call_began_ = now;
  }
  auto result = call();
  const std::lock_guard lock(mutex_);
  call_began_.reset();
  was_late = was_late || std::exchange(said_late_, std::nullopt).has_value();
  return result;
}

CardWatch::Reading CardWatch::read(bool& was_late) {
  auto sample = watched_call(was_late, [&] { return backend_.sample(card_.identity); });
  if (!sample) return {std::move(sample), std::vector<watch::ProcessSample>{}};
  auto processes = watched_call(was_late, [&] { return backend_.processes(card_.identity); });
  return {std::move(sample), std::move(processes)};
}

void CardWatch::report(const Reading& reading, Cause cause) {
  if (!reading.sample) return report_failure(reading.sample.error());
  const bool lists = reading.processes.has_value();
  if (!lists && reading.processes.error().code != ErrorCode::kUnsupported) {
    return report_failure(reading.processes.error());
  }
  watch::SampleReport report;
  report.card = card_.number;
  report.uuid = card_.identity.uuid;
  report.at = around_.clock();
  report.cause = cause;
  report.sample = *reading.sample;
  std::vector<int> pids;
  if (lists) {
    report.processes.emplace();
    for (const watch::ProcessSample& process : *reading.processes) {
      pids.push_back(process.pid);
      const bool unchanged = around_.exits.watches(process.pid);
      report.processes->push_back(
          {process, around_.owners.owner_of(process.pid, report.at, unchanged)});
    }
  }
  around_.lines.write(report);
  const std::set<int> now_listed(pids.begin(), pids.end());
  if (!std::ranges::includes(now_listed, listed_)) accounts_due_ = std::max(accounts_due_, 1);
  listed_ = now_listed;
  for (const int pid : around_.exits.set_listed(card_.number, pids)) process_ended(pid);
  const std::lock_guard lock(mutex_);
  reported_ = true;
}

void CardWatch::report_failure(const Error& error) {
  if (error.code == ErrorCode::kConflict) {
    around_.driver_replaced(error.message);
  } else if (error.code == ErrorCode::kNotFound) {
    around_.lines.write(
        watch::GoneReport{card_.number, card_.identity.uuid, around_.clock(), error.message});
  } else {
    report_unknown(error.message);
  }
  const std::lock_guard lock(mutex_);
  reported_ = true;
}

void CardWatch::report_unknown(const std::string& reason) {
  around_.lines.write(
      watch::UnknownReport{card_.number, card_.identity.uuid, around_.clock(), reason});
}

void CardWatch::read_accounts() {
  --accounts_due_;
  bool was_late = false;
  auto accounts = watched_call(was_late, [&] { return backend_.ended_processes(card_.identity); });
  // The card was said to be unknown meanwhile.
  if (was_late) look_now(Cause::kReturn);
  if (accounts.empty()) return;
  watch::EndedReport report{card_.number, card_.identity.uuid, around_.clock(), {}};
  for (watch::ProcessAccount& account : accounts) {
    report.processes.push_back({account, around_.owners.known_attempt_of(account.pid)});
  }
  around_.lines.write(report);
}

std::optional<Boot> CardWatch::check_deadline() {
  const Now now = around_.clock();
  const milliseconds deadline = around_.pace.get().deadline;
  const std::lock_guard lock(mutex_);
  if (!call_began_) return std::nullopt;
  const Boot late_at = said_late_.value_or(*call_began_) + deadline;
  if (now.boot < late_at) return late_at;
  const auto waited = std::chrono::duration_cast<milliseconds>(now.boot - *call_began_);
  // Written with the lock held: a call that returns now cannot say "known" before us.
  around_.lines.write(
      watch::UnknownReport{card_.number, card_.identity.uuid, now,
                           fmt::format("the driver has not answered for {} ms", waited.count())});
  said_late_ = now.boot;
  reported_ = true;
  return now.boot + deadline;
}

}  // namespace gpusched
