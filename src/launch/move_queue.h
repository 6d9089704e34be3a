// Moves of attempts, from the order to the report: wake, gpusched-mover, and a word to the shim.
// One at a time per attempt and per card, in the order in which they came. What has left the cards
// must not run, so the mover stops and wakes it itself; what the shim has frozen for another reason
// the shim wakes first. Afterwards the shim is told how it is, for it keeps the attempt's time and
// acts on it. The holder of a lease has no shim. Private to process/: it shows Asio.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/launcher.h"
#include "jobdir/control_protocol.h"
#include "jobdir/launch_protocol.h"
#include "jobdir/move_record.h"
#include "launch/mover_options.h"
#include "os/fd.h"

namespace gpusched {

class MoveQueue : public std::enable_shared_from_this<MoveQueue> {
 public:
  struct Ports {
    std::function<void(std::string)> send;  // A packet, to the launcher that is or will be.
    std::function<bool(AttemptId)> runs;    // Its command was seen started, its shim lives.
    std::function<int()> launcher;          // Its pid.
    std::function<void(LauncherReport)> report;
    std::function<void(const std::string&)> complain;
  };
  MoveQueue(boost::asio::io_context& loop, std::string state_directory, MoverOptions mover,
            Ports ports);

  void order(MoveOrder order, bool out);
  // Something may be possible that was not.
  void look();
  // Nothing more is reported of it; a mover that is at work on it is left to end.
  void attempt_ended(AttemptId attempt);
  void launcher_lost();
  // False: it is not about a move.
  bool take(const LaunchMessage& message, std::vector<Fd>& passed);

 private:
  enum class Step {
    kWaiting,   // For its turn, or for its attempt to be followed.
    kWaking,    // The shim was asked to.
    kAsked,     // The launcher was asked for a mover.
    kMoving,    // The mover lives.
    kFreezing,  // The shim was asked to, or told that it is.
    kRunning,   // The shim was told that it is not, or no longer.
    kRefused,   // The shim does not: most likely the attempt ends, which is waited for.
  };
  using Descriptor = boost::asio::posix::stream_descriptor;
  struct Task {
    std::uint64_t number = 0;
    MoveOrder order;
    bool out = true;
    Step step = Step::kWaiting;
    bool ended = false;  // Its attempt; it only keeps its cards until the mover is gone.
    Boot began{};
    std::string token;
    int deaths = 0;
    int movers = 0;        // Processes that became movers for it.
    bool touched = false;  // One more may have: its launcher was lost.
    bool complained = false;
    std::optional<MoveRecord> result;
    std::unique_ptr<Descriptor> shim, mover;
    int mover_pid = 0;
    std::unique_ptr<boost::asio::steady_timer> again, late;
    std::chrono::milliseconds pause{0};
  };

  Task* find(std::uint64_t number);
  Task* find(AttemptId attempt, const std::string& token);
  bool must_wait(const Task& task) const;
  std::uint64_t ram_promised_beside(const Task& task) const;
  void begin(Task& task);
  void begin_unsupervised(Task& task);
  void ask_shim(Task& task, Step step);
  void try_shim(Task& task);
  void on_shim(std::uint64_t number);
  void on_answer(Task& task, const ControlMessage& answer);
  void start_mover(Task& task);
  void cannot_start(Task& task, const std::string& error);
  void watch_mover(Task& task, Fd pidfd);
  void find_mover(Task& task);
  void on_mover_gone(std::uint64_t number);
  std::optional<MoveRecord> read_record(AttemptId attempt) const;
  bool take_result(Task& task);
  void fail_unharmed(Task& task, std::string error);
  void on_result(Task& task);
  void conclude(Task& task);
  void drop(Task& task);
  void after(Task& task, std::chrono::milliseconds pause, void (MoveQueue::*next)(Task&));
  void complain_when_late(Task& task);

  boost::asio::io_context& loop_;
  std::string state_directory_;
  MoverOptions mover_;
  Ports ports_;
  std::list<Task> tasks_;  // In the order in which they came.
  std::uint64_t last_number_ = 0;
};

}  // namespace gpusched
