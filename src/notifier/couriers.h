// The tries that are under way, each in a process of its own: whatever a receiver does, it can
// only harm its own try, and a try that is out of time is killed. Deliveries to one receiver, of
// mail to one address of it, go one after the other. Everybody hears within twice the timeout: who
// has waited for one timeout without a start is told to come again.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/time.h"
#include "os/fd.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

class Couriers {
 public:
  using Work = std::function<DeliveryOutcome(const Delivery&, Boot deadline)>;
  // `work` runs in the child; `in_child` first.
  Couriers(Work work, std::function<void()> in_child)
      : work_(std::move(work)), in_child_(std::move(in_child)) {}

  void add(Delivery delivery, Boot now);
  // Forgets those that have not begun.
  void drop_waiting();
  // Starts what may start. What could not be started, or waited too long, has an outcome at once.
  std::vector<DeliveryOutcome> start(Boot now);
  // Descriptors to wait for.
  void wait_on(std::vector<pollfd>& entries) const;
  // Of those that ended or are out of time.
  std::vector<DeliveryOutcome> collect(Boot now);
  // Ends what is left of commands whose couriers were killed. After collect(), behind what is to be
  // done with outcomes.
  void end_strays(Boot now);
  // When somebody is out of time; `never` if there is nobody.
  Boot next_deadline(Boot never) const;
  bool idle() const { return waiting_.empty() && running_.empty(); }
  // Takes no more for now.
  bool full() const { return waiting_bytes_ >= kWaitingBytesMost; }

 private:
  static constexpr std::size_t kRunningMost = 64;  // Each needs a descriptor.
  // A mail server that hangs must not take all places because many have an address there.
  static constexpr std::size_t kRunningOfOneMost = 4;
  static constexpr std::size_t kWaitingBytesMost = 64U << 20;

  struct Courier {
    pid_t pid = -1;
    Fd said;
    std::string heard = {};
    std::uint64_t id = 0;
    std::string mark = {};
    std::string receiver = {};
    std::string line = {};  // Of receiver and address: what goes one after the other.
    Seconds timeout{};
    Boot kill_at{};
  };
  struct Waiting {
    Delivery delivery;
    std::size_t bytes = 0;
    Boot until{};
  };
  bool may_start(const Delivery& delivery) const;
  bool start_one(const Delivery& delivery, Boot now);
  // True: nothing more comes from it.
  static bool hear(Courier& courier);
  static DeliveryOutcome outcome_of_ended(const Courier& courier);

  Work work_;
  std::function<void()> in_child_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::vector<Courier> running_;
  bool strays_ = false;  // Perhaps there are some.
};

}  // namespace gpusched::notifier
