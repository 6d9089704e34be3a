#include "notifier/couriers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <set>
#include <string>
#include <utility>

#include "notifier/leftovers.h"

namespace gpusched::notifier {
namespace {

// A courier ends by itself when its time is over. One that cannot, because the system's look-up
// of a name does not return, is ended from outside a little later.
constexpr Microseconds kGrace{500'000};
constexpr std::chrono::milliseconds kStraysMost{200};
constexpr Seconds kTimeoutLeast{1};
constexpr Seconds kTimeoutMost{300};
constexpr std::size_t kHeardMost = 16U << 10;

Seconds timeout_of(const Delivery& delivery) {
  return std::clamp(delivery.receiver.timeout, kTimeoutLeast, kTimeoutMost);
}
std::string line_of(const Delivery& delivery) {
  return delivery.receiver.name + '\n' + delivery.message.address;
}
// About; what is long counts.
std::size_t memory_of(const Delivery& delivery) {
  const Notice& notice = delivery.message.notice;
  std::size_t others = 0;
  for (const std::string& other : delivery.message.others) others += other.size();
  return sizeof delivery + delivery.ca.size() + others + notice.attachment.size() +
         notice.what.size() + notice.whom.size() + notice.advice.size();
}

// In the child. Never returns.
[[noreturn]] void tell(int to, const DeliveryOutcome& outcome) {
  const std::string line = write_line(outcome) + "\n";
  // Less than a pipe takes at once.
  (void)!::write(to, line.data(), line.size());
  ::_exit(0);
}

}  // namespace

void Couriers::add(Delivery delivery, Boot now) {
  const std::size_t bytes = memory_of(delivery);
  const Boot until = now + timeout_of(delivery);
  waiting_bytes_ += bytes;
  waiting_.push_back({std::move(delivery), bytes, until});
}

void Couriers::drop_waiting() {
  waiting_.clear();
  waiting_bytes_ = 0;
}

bool Couriers::may_start(const Delivery& delivery) const {
  if (running_.size() >= kRunningMost) return false;
  const std::string line = line_of(delivery);
  std::size_t same = 0;
  for (const Courier& courier : running_) {
    if (courier.line == line) return false;
    if (courier.receiver == delivery.receiver.name) ++same;
  }
  return same < kRunningOfOneMost;
}

bool Couriers::start_one(const Delivery& delivery, Boot now) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  Fd read(ends[0]);
  const Fd write(ends[1]);
  ::fcntl(read.get(), F_SETFL, O_NONBLOCK);
  const Seconds timeout = timeout_of(delivery);
  const Boot deadline = now + timeout;
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return false;
  if (pid == 0) {
    // Dies with its parent, also with one that is gone already.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    in_child_();
    tell(write.get(), work_(delivery, deadline));
  }
  running_.push_back({.pid = pid,
                      .said = std::move(read),
                      .id = delivery.id,
                      .mark = delivery.mark,
                      .receiver = delivery.receiver.name,
                      .line = line_of(delivery),
                      .timeout = timeout,
                      .kill_at = deadline + kGrace});
  return true;
}

std::vector<DeliveryOutcome> Couriers::start(Boot now) {
  std::vector<DeliveryOutcome> failed;
  std::set<std::string> passed;  // Who came first in a line goes first.
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const Delivery& delivery = it->delivery;
    const bool first = !passed.contains(line_of(delivery));
    if (!first || !may_start(delivery)) {
      if (now < it->until) {
        passed.insert(line_of(delivery));
        ++it;
        continue;
      }
      failed.push_back({.id = delivery.id,
                        .error = "those before it took all of its time",
                        .mark = delivery.mark});
    } else if (!start_one(delivery, now)) {
      failed.push_back({.id = delivery.id,
                        .error = "no other process can be started now",
                        .mark = delivery.mark});
    }
    waiting_bytes_ -= it->bytes;
    it = waiting_.erase(it);
  }
  return failed;
}

void Couriers::wait_on(std::vector<pollfd>& entries) const {
  for (const Courier& courier : running_) entries.push_back({courier.said.get(), POLLIN, 0});
}

Boot Couriers::next_deadline(Boot never) const {
  // The past: at once.
  if (strays_) return Boot{};
  Boot next = never;
  for (const Courier& courier : running_) next = std::min(next, courier.kill_at);
  for (const Waiting& one : waiting_) next = std::min(next, one.until);
  return next;
}

bool Couriers::hear(Courier& courier) {
  std::array<char, 4096> bytes{};
  while (true) {
    const ssize_t got = ::read(courier.said.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) return true;
    if (courier.heard.size() < kHeardMost) {
      courier.heard.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }
}

DeliveryOutcome Couriers::outcome_of_ended(const Courier& courier) {
  if (courier.heard.ends_with('\n')) {
    const auto outcome =
        read_outcome(std::string_view(courier.heard).substr(0, courier.heard.size() - 1));
    if (outcome && outcome->id == courier.id) return *outcome;
  }
  return {.id = courier.id, .error = "its delivery broke down inside the notifier"};
}

// What starts more while it is ended takes several looks, so that others need not wait for it.
void Couriers::end_strays(Boot now) {
  if (!strays_) return;
  std::set<pid_t> ours;
  for (const Courier& courier : running_) ours.insert(courier.pid);
  strays_ = end_children_but(ours, now + kStraysMost).some_live;
}

std::vector<DeliveryOutcome> Couriers::collect(Boot now) {
  std::vector<DeliveryOutcome> outcomes;
  bool any_late = false;
  std::erase_if(running_, [&](Courier& courier) {
    const bool ended = hear(courier);
    const bool late = !ended && now >= courier.kill_at;
    if (!ended && !late) return false;
    any_late = any_late || late;
    // It has nothing more to say, or must not.
    ::kill(courier.pid, SIGKILL);
    while (::waitpid(courier.pid, nullptr, 0) < 0 && errno == EINTR) continue;
    outcomes.push_back(late ? DeliveryOutcome{.id = courier.id,
                                              .error = fmt::format("it did not answer within {} s",
                                                                   courier.timeout.count())}
                            : outcome_of_ended(courier));
    outcomes.back().mark = courier.mark;
    return true;
  });
  // One that was killed could not see to what its command had started.
  strays_ = strays_ || any_late;
  return outcomes;
}

}  // namespace gpusched::notifier
