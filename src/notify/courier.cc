#include "notify/courier.h"

#include <sys/wait.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "notify/secret_files.h"
#include "os/log.h"

namespace gpusched {
namespace {

using std::chrono::milliseconds;
using ErrorOf = boost::system::error_code;

constexpr milliseconds kFirstPause{500};
constexpr milliseconds kLongestPause{60'000};
constexpr milliseconds kLockedAgain{200};
constexpr milliseconds kStoreAgain{1000};
constexpr milliseconds kCommitAgain{20};
constexpr milliseconds kLateLook{5000};
// Beyond the time-outs of the notifier itself: then it is stuck.
constexpr milliseconds kBeyond{10'000};
constexpr milliseconds kDropsAgain{60'000};
constexpr std::size_t kJournalLinesMost = 1000;
constexpr std::size_t kFileThreads = 2;
constexpr std::size_t kSettledMost = 20;     // That are remembered of a receiver,
constexpr std::size_t kReceiversMost = 200;  // of so many.

std::uint32_t number_for(const std::string& receiver) {
  return static_cast<std::uint32_t>(std::hash<std::string>{}(receiver));
}

std::string words_of_status(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Courier::Courier(boost::asio::io_context& loop, Engine& engine, Options options)
    : loop_(loop),
      engine_(engine),
      options_(std::move(options)),
      journal_(options_.state_directory + "/outbox.done"),
      files_(loop, kFileThreads),
      pause_(kFirstPause),
      start_timer_(loop),
      late_timer_(loop),
      drops_timer_(loop) {
  engine_.on_message(
      [this](const Message& message) { take(message); },
      [this](const Message& message, const std::string& why) { lose(message, why); });
  engine_.on_untold([this](const std::vector<Untold>& untold) { drop(untold); });
}

const Receiver* Courier::receiver_of(const std::string& name) const {
  const Receivers& known = engine_.state().rules().known_receivers();
  const auto found = known.find(name);
  return found == known.end() ? nullptr : &found->second;
}

ChannelCounts& Courier::counts_of(const std::string& name) {
  const Receiver* receiver = receiver_of(name);
  const Channel channel = receiver == nullptr ? Channel::kLog : receiver->channel;
  return counts_[static_cast<std::size_t>(channel)];
}

void Courier::take(const Message& message) {
  const Receiver* receiver = receiver_of(message.receiver);
  carried_.insert_or_assign(message.id, Carried{.message = message});
  if (receiver == nullptr) return fail(message.id, "the configuration has no such receiver");
  if (receiver->channel == Channel::kLog) return write_to_log(message);
  if (notifier_) return hand_on(message.id);
  need_notifier();
}

void Courier::write_to_log(const Message& message) {
  const Notice& notice = message.notice;
  const LogLevel level = notice.severity == Severity::kCritical  ? LogLevel::kError
                         : notice.severity == Severity::kWarning ? LogLevel::kWarning
                                                                 : LogLevel::kInfo;
  log(level, notice.what,
      {{"receiver", message.receiver},
       {"rule", notice.rule},
       {"subject", notice.subject},
       {"whom", notice.whom},
       {"since", notice.since ? format_time(*notice.since) : ""},
       {"advice", notice.advice},
       {"times", message.times}});
  ++counts_of(message.receiver).sent;
  remember(message, true);
  carried_.erase(message.id);
  engine_.post(MessagesSettled{.delivered = {message.id}});
}

void Courier::remember(const Message& message, bool delivered, const std::string& error) {
  if (settled_.size() >= kReceiversMost && !settled_.contains(message.receiver)) settled_.clear();
  std::deque<SettledMessage>& last = settled_[message.receiver];
  if (last.size() == kSettledMost) last.pop_front();
  last.push_back({message.id, delivered, options_.now().wall, error});
}

std::vector<SettledMessage> Courier::settled(const std::string& receiver) const {
  const auto found = settled_.find(receiver);
  if (found == settled_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

void Courier::lose(const Message& message, const std::string& why) {
  ++counts_of(message.receiver).given_up;
  remember(message, false, why);
  log_warning("a message was given up", {{"receiver", message.receiver},
                                         {"message", message.id},
                                         {"what", message.notice.what},
                                         {"tries", message.tries},
                                         {"reason", why}});
}

void Courier::drop(const std::vector<Untold>& untold) {
  drops_.add(untold);
  for (const Untold& one : untold) counts_of(one.target.receiver).no_room += one.times;
  if (!drops_told_) tell_of_drops();
}

// What comes soon afterwards is told together.
void Courier::tell_of_drops() {
  drops_told_ = !drops_.empty();
  for (const DropTally::Line& line : drops_.take()) {
    log_warning("messages found no room: too many wait for addresses that users named",
                {{"receiver", line.receiver}, {"notices", line.notices}, {"users", line.users}});
  }
  if (!drops_told_) return;
  drops_timer_.expires_after(kDropsAgain);
  drops_timer_.async_wait([this](const ErrorOf& cancelled) {
    if (!cancelled) tell_of_drops();
  });
}

// Once, until it is another.
void Courier::say_trouble(const std::string& what) {
  if (trouble_ == what) return;
  trouble_ = what;
  log_error(what);
}

void Courier::fail(std::uint64_t id, const std::string& error) {
  const auto found = carried_.find(id);
  if (found == carried_.end()) return;
  ++counts_of(found->second.message.receiver).failed;
  carried_.erase(found);
  engine_.post(MessagesSettled{.delivered = {}, .failed = {{.id = id, .error = error}}});
}

void Courier::later(milliseconds wait, std::function<void()> what) {
  start_timer_.expires_after(wait);
  start_timer_.async_wait([what = std::move(what)](const ErrorOf& cancelled) {
    if (!cancelled) what();
  });
}

void Courier::need_notifier() {
  if (notifier_ || std::exchange(starting_, true)) return;
  const Microseconds wait =
      not_before_ ? std::max(Microseconds{0}, *not_before_ - options_.now().boot) : Microseconds{0};
  later(std::chrono::duration_cast<milliseconds>(wait), [this] { try_to_start(); });
}

// The notifier of a daemon that was killed may still be at work: what it does is settled first.
void Courier::try_to_start() {
  if (!lock_) {
    auto locked = journal_.lock();
    if (!locked) {
      say_trouble(locked.error().message);
      return later(kStoreAgain, [this] { try_to_start(); });
    }
    if (!*locked) {
      if (!std::exchange(waits_told_, true)) {
        log_info("messages wait for the notifier of the last daemon to end");
      }
      return later(kLockedAgain, [this] { try_to_start(); });
    }
    lock_ = std::move(*locked);
  }
  settle_what_was_done();
}

void Courier::settle_what_was_done() {
  // What is gone from the state only may not be gone from the disk yet.
  if (engine_.committing()) return later(kCommitAgain, [this] { settle_what_was_done(); });
  const auto written = journal_.read();
  if (!written) {
    say_trouble(written.error().message);
    return later(kStoreAgain, [this] { try_to_start(); });
  }
  MessagesSettled settled;
  std::set<std::uint64_t> known;
  for (const DeliveryOutcome& outcome : *written) {
    if (outcome.result == DeliveryResult::kAgain) continue;
    // Of another store, it is another message that had the number there.
    const auto message = engine_.state().messages().find(outcome.id);
    if (message == engine_.state().messages().end()) continue;
    if (outcome.mark != mark_of(message->second)) continue;
    if (!known.insert(outcome.id).second) continue;
    if (outcome.result == DeliveryResult::kDelivered) {
      settled.delivered.push_back(outcome.id);
      remember(engine_.state().messages().at(outcome.id), true);
    } else {
      settled.failed.push_back({.id = outcome.id, .error = "it was refused", .refused = true});
    }
  }
  for (const auto& [id, one] : carried_) {
    if (!one.handed_on || known.contains(id)) continue;
    settled.failed.push_back({.id = id, .error = "the notifier ended while it had it"});
  }
  if (settled.delivered.empty() && settled.failed.empty()) return start_notifier();
  const auto ids = [settled] {
    std::vector<std::uint64_t> all = settled.delivered;
    for (const auto& failed : settled.failed) all.push_back(failed.id);
    return all;
  }();
  // Only what is on disk may be forgotten in the journal.
  engine_.post(settled, [this, ids](const Result<Answer>& answer) {
    if (!answer) return later(kStoreAgain, [this] { try_to_start(); });
    for (const std::uint64_t id : ids) carried_.erase(id);
    start_notifier();
  });
}

void Courier::start_notifier() {
  starting_ = false;
  waits_told_ = false;
  done_.clear();
  in_journal_ = 0;
  if (auto cleared = journal_.clear(); !cleared) log_warning(cleared.error().message);
  auto started = NotifierProcess::start(
      loop_, options_.program, lock_->get(),
      {.outcome = [this](const DeliveryOutcome& outcome) { on_outcome(outcome); },
       .ended = [this](int status) { on_end(status); },
       .complain = [](const std::string& what) { log_warning(what); }});
  lock_.reset();
  if (!started) {
    say_trouble(started.error().message);
    const std::string why = started.error().message;
    std::vector<std::uint64_t> all;
    for (const auto& [id, one] : carried_) all.push_back(id);
    for (const std::uint64_t id : all) fail(id, why);
    return;
  }
  trouble_.reset();
  notifier_ = std::move(*started);
  std::vector<std::uint64_t> waiting;
  for (const auto& [id, one] : carried_) waiting.push_back(id);
  for (const std::uint64_t id : waiting) hand_on(id);
}

void Courier::hand_on(std::uint64_t id) {
  const Carried& carried = carried_.at(id);
  const Receiver* receiver = receiver_of(carried.message.receiver);
  if (receiver == nullptr) return fail(id, "the configuration has no such receiver");
  Delivery delivery{.id = id, .receiver = *receiver, .message = carried.message};
  delivery.mark = mark_of(carried.message);
  delivery.machine = options_.machine;
  const bool files = !(receiver->url_file + receiver->secret_file + receiver->ca_file).empty();
  delivery.url = receiver->url;
  if (!files) return send(id, *receiver, delivery);
  files_.post(number_for(receiver->name),
              [this, id, delivery, from = *receiver]() -> Background::Then {
                const auto secrets = read_secrets(from);
                return [this, id, delivery, from, secrets]() mutable {
                  if (!secrets) return fail(id, secrets.error().message);
                  delivery.url = secrets->url;
                  delivery.secret = secrets->secret;
                  delivery.ca = secrets->ca;
                  send(id, from, delivery);
                };
              });
}

void Courier::send(std::uint64_t id, const Receiver& receiver, const Delivery& delivery) {
  const auto found = carried_.find(id);
  if (found == carried_.end()) return;
  if (!notifier_) return need_notifier();  // It ended while the files were read.
  found->second.handed_on = true;
  found->second.by = options_.now().boot + 2 * receiver.timeout + kBeyond;
  Delivery now = delivery;
  now.now = options_.now().wall;
  notifier_->send(now);
  look_at_late_ones();
}

void Courier::on_outcome(const DeliveryOutcome& outcome) {
  const auto found = carried_.find(outcome.id);
  if (found == carried_.end()) return;
  pause_ = kFirstPause;
  ++in_journal_;
  const std::string receiver = found->second.message.receiver;
  ChannelCounts& counts = counts_of(receiver);
  if (outcome.result == DeliveryResult::kDelivered) remember(found->second.message, true);
  carried_.erase(found);
  MessagesSettled settled;
  if (outcome.result == DeliveryResult::kDelivered) {
    ++counts.sent;
    if (!outcome.error.empty()) {
      log_warning("a message was delivered, but",
                  {{"receiver", receiver}, {"message", outcome.id}, {"reason", outcome.error}});
    }
    settled.delivered.push_back(outcome.id);
  } else {
    ++counts.failed;
    settled.failed.push_back({.id = outcome.id,
                              .error = outcome.error,
                              .retry_after = outcome.retry_after,
                              .refused = outcome.result == DeliveryResult::kRefused});
  }
  if (outcome.result != DeliveryResult::kAgain) done_.insert(outcome.id);
  engine_.post(std::move(settled));
}

void Courier::on_end(int status) {
  notifier_.reset();
  log_warning("gpusched-notifier has ended", {{"how", words_of_status(status)}});
  not_before_ = options_.now().boot + pause_;
  pause_ = std::min(pause_ * 2, kLongestPause);
  if (!carried_.empty()) need_notifier();
}

void Courier::look_at_late_ones() {
  if (std::exchange(looking_, true)) return;
  late_timer_.expires_after(kLateLook);
  late_timer_.async_wait([this](const ErrorOf& cancelled) {
    if (cancelled) return;
    looking_ = false;
    const auto now = options_.now().boot;
    const bool stuck = std::ranges::any_of(carried_, [&](const auto& entry) {
      return entry.second.handed_on && entry.second.by < now;
    });
    if (stuck && notifier_) {
      log_warning("gpusched-notifier does not answer and is ended");
      notifier_->kill();
    }
    if (!carried_.empty()) look_at_late_ones();
  });
}

// The journal is emptied when all that it says is on disk and nobody writes into it.
void Courier::after_turn() {
  if (in_journal_ < kJournalLinesMost || !carried_.empty() || engine_.committing()) return;
  std::erase_if(done_,
                [this](std::uint64_t id) { return !engine_.state().messages().contains(id); });
  if (!done_.empty()) return;
  if (auto cleared = journal_.clear(); !cleared) log_warning(cleared.error().message);
  in_journal_ = 0;
}

}  // namespace gpusched
