// One move of one attempt, from its turn to its report: wake, gpusched-mover, and a word to the
// shim. What has left the cards must not run, so the mover stops and wakes it itself; what the shim
// has frozen for another reason the shim wakes first. Afterwards the shim is told how it is, for it
// keeps the attempt's time and acts on it. The holder of a lease has no shim.
// Private to launch/: it shows Asio.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/mover.h"
#include "jobdir/control_protocol.h"
#include "jobdir/launch_protocol.h"
#include "jobdir/move_record.h"
#include "launch/shim_launcher.h"
#include "os/fd.h"

namespace gpusched {

class MoveSteps;

// How the launcher starts gpusched-mover.
struct MoverOptions {
  std::string program;                 // Empty: the one beside the launcher.
  std::vector<std::string> variables;  // Its environment, "NAME=value": where its driver is.
  std::uint64_t ram_reserve_bytes = std::uint64_t{2} << 30;  // Never filled with VRAM.
};

// What all moves share.
struct MoveGround {
  boost::asio::io_context& loop;
  ShimLauncher& shims;
  MoverOptions options;
  MoverSink sink = {};
  // It is over, and others may have their turn.
  std::function<void(const MoveSteps&)> drop = {};
  // Host RAM that others are about to fill.
  std::function<std::uint64_t(const MoveSteps&)> ram_promised_beside = {};
};

class MoveSteps : public std::enable_shared_from_this<MoveSteps> {
 public:
  MoveSteps(const MoveGround& ground, std::uint64_t number, MoveOrder order, bool out);

  const MoveOrder& order() const { return order_; }
  // The answer to this move will be one to that order, too.
  bool is_answer_to(const MoveOrder& order, bool out) const;
  bool waits() const { return step_ == Step::kWaiting && !ended_; }
  bool is_moving_out() const { return out_ && has_mover(); }

  void begin();
  // If that is its own it is dropped, or only keeps its cards until its mover is gone.
  void attempt_ended(AttemptId attempt);
  void launcher_lost();
  // Does nothing unless it is about this move.
  void take(const LaunchMessage& message, std::vector<Fd>& passed);

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

  bool has_mover() const { return step_ == Step::kAsked || step_ == Step::kMoving; }
  const std::string& state_directory() const;
  void complain(const std::string& what) const;
  void ask_shim(Step step);
  void try_shim();
  void on_shim();
  void on_answer(const ControlMessage& answer);
  void begin_unsupervised();
  void start_mover();
  std::vector<std::string> mover_words() const;
  void cannot_start(const std::string& error);
  void on_started(const MoverStarted& started, std::vector<Fd>& passed);
  void on_not_started(const std::string& error);
  void find_mover();
  void watch_mover(Fd pidfd);
  void on_mover_gone();
  std::optional<MoveRecord> read_record() const;
  bool take_result();
  void set_unharmed(std::string error);
  void fail_unharmed(std::string error);
  void on_result();
  void conclude();
  void complain_when_late();
  // Unless it is dropped before.
  void after(std::chrono::milliseconds pause, void (MoveSteps::*next)());
  void soon(void (MoveSteps::*next)());

  const MoveGround& ground_;
  const std::uint64_t number_;
  const MoveOrder order_;
  const bool out_;
  const Boot began_;
  Step step_ = Step::kWaiting;
  bool ended_ = false;  // Its attempt; it only keeps its cards until the mover is gone.
  std::string token_;
  int deaths_ = 0;
  int movers_ = 0;        // Processes that became movers for it.
  bool touched_ = false;  // One more may have: its launcher was lost.
  bool complained_ = false;
  std::optional<MoveRecord> result_;
  std::unique_ptr<Descriptor> shim_, mover_;
  int mover_pid_ = 0;
  std::unique_ptr<boost::asio::steady_timer> again_, late_;
  std::chrono::milliseconds pause_{0};
};

}  // namespace gpusched
