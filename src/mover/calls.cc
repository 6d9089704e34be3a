// The driver's calls, made so that it does not matter who began them: a mover that is killed inside
// one leaves the driver at work in the job, and the state changes only when that is done.

#include <algorithm>
#include <fstream>
#include <system_error>
#include <thread>

#include "mover/move.h"
#include "os/clock.h"

namespace gpusched::mover {
namespace {

// For so long nothing about a process changes: then the driver is not at work in it.
constexpr std::chrono::milliseconds kCalm{500};
constexpr std::chrono::milliseconds kLookAtWork{25};
constexpr std::chrono::milliseconds kCallAgain{50};
// What the driver's thread may use of a CPU in that time and still be idle.
constexpr std::uint64_t kIdleNs = 2'000'000;
constexpr std::chrono::seconds kWorkMost{30};

std::uint64_t cpu_time_of(pid_t process, pid_t thread) {
  std::uint64_t ns = 0;
  std::ifstream("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) +
                "/schedstat") >>
      ns;
  return ns;
}

// All of it may have to be copied, and 1 GiB/s is slow.
std::chrono::seconds time_for(std::uint64_t bytes) {
  return kWorkMost + std::chrono::seconds{static_cast<std::int64_t>(bytes >> 30)};
}

std::uint64_t bytes_of(const MoveRecord::Process& process) {
  std::uint64_t bytes = 0;
  for (const CardBytes& card : process.cards) bytes += card.bytes;
  return bytes;
}

std::uint64_t listed_bytes(const std::vector<CardUse>& cards, pid_t pid) {
  std::uint64_t bytes = 0;
  for (const CardUse& card : cards) {
    for (const CardUse::Process& process : card.processes) {
      // One that has no more than an entry has something.
      if (process.pid == pid) bytes += process.bytes.value_or(1);
    }
  }
  return bytes;
}

struct Sign {
  ProcessState state;
  std::uint64_t bytes, cpu_ns;
  bool is_like(const Sign& other) const {
    return state == other.state && bytes == other.bytes && cpu_ns - other.cpu_ns < kIdleNs;
  }
};

}  // namespace

// Its memory is there, and it is said to be away: it is being restored.
bool Move::is_at_work(const Moving& moving) const {
  return moving.state == ProcessState::kCheckpointed &&
         listed_bytes(cards_->look(), moving.process.pid) > 0;
}

// A mover died at this: what the driver still does is waited for, and the truth is what is then.
Move::Step Move::wait_until_calm() {
  if (!before_ || before_->done) return std::nullopt;
  const Boot deadline = read_clock().boot + time_for(record_.bytes());
  std::vector<Sign> then;
  Boot since = read_clock().boot;
  while (read_clock().boot < deadline) {
    const std::vector<CardUse> cards = cards_->look();
    std::vector<Sign> now;
    bool at_work = false;
    for (Moving& each : moving_) {
      const pid_t pid = each.process.pid;
      (void)cuda_->read_state(pid, each.state);
      now.push_back({each.state, listed_bytes(cards, pid), cpu_time_of(pid, each.process.thread)});
      at_work |= each.state == ProcessState::kCheckpointed && now.back().bytes > 0;
    }
    const bool calm = !at_work && std::ranges::equal(now, then, &Sign::is_like);
    if (calm && read_clock().boot - since >= kCalm) break;
    if (!calm) {
      since = read_clock().boot;
      then = std::move(now);
    }
    pause_for(kLookAtWork);
  }
  forget_gone();
  return std::nullopt;
}

// Whatever the call says, the state that follows is the truth: it may have been made before.
Move::Outcome Move::carry_out(Moving& moving, const Call& call, const std::string& step) const {
  const pid_t pid = moving.process.pid;
  const Boot deadline = read_clock().boot + call.patience;
  const DiesInside inside(directory_, step);
  while (true) {
    const int code = (*cuda_.*call.make)(pid);
    if (code == kSuccess) {
      moving.state = call.to;
      return {kSuccess, true};
    }
    while (true) {
      if (is_gone(pid, moving.process.started)) return {code};
      if (cuda_->read_state(pid, moving.state) != kSuccess) return {code};
      if (!is_at_work(moving) || read_clock().boot >= deadline) break;
      pause_for(kLookAtWork);
    }
    const bool further =
        call.from == ProcessState::kCheckpointed && moving.state == ProcessState::kRunning;
    if (moving.state == call.to || further) return {kSuccess, false};
    const bool again = code == kIllegalState && moving.state == call.from;
    if (!again || read_clock().boot >= deadline) return {code};
    pause_for(kCallAgain);
  }
}

// One thread for each process, and not more of them at once than was asked for. What comes of each
// is in the order of `moving_`; those that were not in the state to begin with have succeeded.
std::vector<Move::Outcome> Move::carry_out_all(const Call& call, const std::string& done_step) {
  std::vector<Outcome> outcomes(moving_.size());
  const auto at_once = static_cast<std::size_t>(words_.at_once);
  std::vector<std::pair<std::size_t, std::thread>> at_work;
  int number = 0;
  int done = 0;
  const auto wait_for_first = [&] {
    if (at_work.front().second.joinable()) at_work.front().second.join();
    const bool succeeded = outcomes[at_work.front().first].code == kSuccess;
    at_work.erase(at_work.begin());
    if (succeeded) die_if_asked(directory_, done_step + ":" + std::to_string(++done));
  };
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    if (moving_[i].state != call.from) continue;
    if (at_work.size() >= at_once) wait_for_first();
    const std::string step = std::string("inside ") + call.name + ":" + std::to_string(++number);
    Call patient = call;
    if (call.from != ProcessState::kLocked || call.to == ProcessState::kCheckpointed) {
      patient.patience = time_for(bytes_of(moving_[i].process));
    }
    const auto work = [this, i, patient, step, &outcomes] {
      outcomes[i] = carry_out(moving_[i], patient, step);
    };
    try {
      at_work.emplace_back(i, std::thread(work));
    } catch (const std::system_error&) {
      work();  // No thread to be had: one after the other.
      at_work.emplace_back(i, std::thread());
    }
  }
  while (!at_work.empty()) wait_for_first();
  return outcomes;
}

// What was copied is known only where each call of ours copied all of its process: one that ended
// meanwhile, or was begun by another mover, would make the rest look fast.
void Move::count_copied(const std::vector<Outcome>& outcomes) {
  record_.copied = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].ours) return;
    bytes += bytes_of(moving_[i].process);
  }
  record_.copied = bytes;
}

}  // namespace gpusched::mover
