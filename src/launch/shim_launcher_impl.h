// The inside of ShimLauncher: one entry per attempt that has not been answered for, and where it
// stands. Private to process/: it shows Asio.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobdir/control_protocol.h"
#include "jobdir/job_directory.h"
#include "jobdir/launch_protocol.h"
#include "launch/launcher_link.h"
#include "launch/move_queue.h"
#include "launch/shim_launcher.h"
#include "os/clock.h"

namespace gpusched {

class ShimLauncher::Impl : public std::enable_shared_from_this<ShimLauncher::Impl> {
 public:
  Impl(boost::asio::io_context& loop, Options options, LauncherSink sink);
  Result<void> start();
  void shut_down();

  void prepare(const LaunchOrder& order);
  void abandon(AttemptId attempt);
  void launch(const LaunchOrder& order);
  void adopt(AttemptId attempt);
  void stop(AttemptId attempt, Seconds grace);
  void move(MoveOrder order, bool out);
  void ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace);
  void change_time(AttemptId attempt, const TimeRule& time);
  void let_go(AttemptId attempt);
  void forget(JobId job);
  void end_containers(AttemptId attempt, Boot since, std::vector<std::string> groups);
  std::vector<std::pair<AttemptId, int>> shims() const;
  int shim_of(AttemptId attempt) const;
  bool take_changed();
  int launcher_pid() const { return link_ ? link_->pid() : 0; }

 private:
  enum class Stage {
    kQueued,      // Not sent yet.
    kSent,        // The launcher has it; no word from it yet.
    kUnsettled,   // Only the job directory knows; asked when the launcher is ready.
    kFollowed,    // Its shim lives, as far as we know.
    kEndingTree,  // Its shim died; what it left is being ended.
  };
  struct Followed {
    Stage stage = Stage::kQueued;
    Fd go;  // Open: only prepared so far. A byte starts it, closing ends it; nothing is reported.
    std::unique_ptr<boost::asio::posix::stream_descriptor> shim;
    int shim_pid = 0;
    int adopted_pid = 0;  // The process that it only watches over; 0: it started one.
    int successors = 0;   // Shims that took over from one that had died.
    bool let_go = false;  // To be said to it.
    // What has been said to it; a successor has to be told again.
    std::optional<Seconds> stop_said;
    bool let_go_said = false;
    bool started = false;  // Reported.
    std::string error;     // Why starting failed, if the launcher or the shim said so.
    bool no_room = false;  // For lack of room on the disk.
    std::optional<Seconds> stop;
    std::optional<SaveCommand> save;
    std::optional<TimeRule> time;
    std::unique_ptr<boost::asio::steady_timer> retry;
    std::chrono::milliseconds pause{0};
  };
  struct Outgoing {
    AttemptId attempt;  // Number 0: none.
    std::string packet;
    std::vector<Fd> files;
  };

  void complain(const std::string& text);
  std::shared_ptr<MoveQueue> make_moves();
  Result<void> send_order(const LaunchOrder& order, Fd go);
  // True: its shim has been told to go on.
  bool launch_prepared(AttemptId attempt);
  // A prepared order that nobody wants any more.
  void drop_prepared(AttemptId attempt);
  // The launcher's answer to such an order: not to be taken for the answer to a later one.
  bool is_of_dropped(AttemptId attempt);
  // Not even asked for yet: it never will be.
  void recall(AttemptId attempt, Followed& followed);
  void pump();
  void forget_more();

  void on_ready();
  void on_launcher_lost();
  void on_message(LaunchMessage& message, std::vector<Fd>& passed);
  void on_launched(const ShimLaunched& launched, std::vector<Fd>& passed);
  void on_started(AttemptStarted report);
  void on_ended(ExitRecord ended);
  void on_tree_ended(AttemptId attempt);

  // Looks into the job directory and draws the consequences.
  void settle_later(AttemptId attempt);
  void settle(AttemptId attempt, ShimLife shim);
  void win_claim(AttemptId attempt, Followed& followed);
  bool is_ours(const std::string& state, const std::string& cgroup) const;
  void leave_alone(AttemptId attempt, Followed& followed);
  void follow_adopted(AttemptId attempt, Followed& followed, const Supervised& found);
  void end_tree(AttemptId attempt, Followed& followed, const Unsupervised& found);
  void succeed(AttemptId attempt, Followed& followed, const Unsupervised& found);
  void follow(AttemptId attempt, Followed& followed, Fd pidfd);
  void await_death(AttemptId attempt, Followed& followed);
  void not_started(AttemptId attempt);

  // Delivers what is still to be said to the shim, and looks for a start not yet seen; again and
  // again with growing pauses, until there is nothing of the kind left.
  void tend(AttemptId attempt);
  bool deliver(AttemptId attempt, Followed& followed);
  void tend_later(AttemptId attempt, Followed& followed);

  // Orders that were dropped after they were sent: answers that are still to come.
  std::map<AttemptId, int> dropped_;
  boost::asio::io_context& loop_;
  Options options_;
  LauncherSink sink_;
  std::string boot_id_;
  std::unique_ptr<LauncherLink> link_;
  std::map<AttemptId, Followed> attempts_;
  std::shared_ptr<MoveQueue> moves_;
  std::vector<std::pair<AttemptId, int>> told_;  // shims() as take_changed() saw it last.
  std::deque<Outgoing> outbox_;
  std::vector<JobId> forget_;
  std::vector<JobId> forgetting_;
  bool shortage_told_ = false;
};

}  // namespace gpusched
