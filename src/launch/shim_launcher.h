// The real Launcher: runs on the daemon's event loop, keeps gpusched-launcher alive, follows every
// shim by its pidfd and believes only the job directory. Never blocks on a job, a tree or a large
// directory: those wait in processes of their own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/launcher.h"
#include "jobdir/cgroup.h"
#include "jobdir/control_protocol.h"
#include "jobdir/job_directory.h"
#include "jobdir/launch_protocol.h"
#include "launch/launcher_link.h"
#include "os/fd.h"

namespace gpusched {

// One entry per attempt that has not been answered for, and where it stands.
class ShimLauncher final : public Launcher, public std::enable_shared_from_this<ShimLauncher> {
 public:
  struct Options {
    std::string state_directory;   // Absolute; exists.
    std::string launcher_program;  // Absolute.
    // Whose attempts these are; claims of another one are not touched. Empty: nobody asks.
    std::string state_id = {};
    bool copied = false;  // The directory is a copy: claims without an id are another one's, too.
    // As prepare_cgroups() gave it; empty path: without control groups.
    CgroupBase cgroup;
    // Told in one sentence what is wrong but not anybody's request: a launcher that keeps dying,
    // a damaged job directory.
    std::function<void(const std::string&)> complain;
  };

  static Result<std::shared_ptr<ShimLauncher>> start(boost::asio::io_context& loop,
                                                     Options options);
  // Jobs run on.
  ~ShimLauncher() override;

  void report_to(LauncherSink sink) override { sink_ = std::move(sink); }
  void prepare(const LaunchOrder& order) override;
  void abandon(AttemptId attempt) override;
  void launch(LaunchOrder order) override;
  void reattach(AttemptId attempt) override;
  void stop(AttemptId attempt, Seconds grace) override;
  void ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace) override;
  void change_time(AttemptId attempt, const TimeRule& time) override;
  void let_go(AttemptId attempt) override;
  void forget(JobId job) override;

  // Ends containers that an attempt has left behind; one that was there before `since` stays.
  void end_containers(AttemptId attempt, Boot since, std::vector<std::string> groups);

  // The attempts that are followed, with the pids of their shims.
  std::vector<std::pair<AttemptId, int>> shims() const;
  // Of one attempt; 0: it is not followed.
  int shim_of(AttemptId attempt) const;
  // True once after shims() has become another.
  bool take_changed();
  // 0 while there is none.
  int launcher_pid() const { return link_ ? link_->pid() : 0; }

  // --- For the mover, which works on the same attempts through the same launcher ---
  const Options& options() const { return options_; }
  bool knows(AttemptId attempt) const { return attempts_.contains(attempt); }
  // Its command was seen started, its shim lives.
  bool runs(AttemptId attempt) const;
  LauncherLink& link() { return *link_; }
  struct Watcher {
    std::function<void()> runs;  // An attempt does that did not, or has a shim again.
    std::function<void(AttemptId)> ended;
    std::function<void()> launcher_lost;
  };
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

 private:
  enum class Stage {
    kQueued,      // Not sent yet.
    kSent,        // The launcher has it; no word from it yet.
    kUnknown,     // Only the job directory knows; asked when the launcher is ready.
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

  ShimLauncher(boost::asio::io_context& loop, Options options);
  Result<void> start_launcher();
  void complain(const std::string& text);
  Result<void> send_order(const LaunchOrder& order, Fd go);
  // True: its shim has been told to go on.
  bool launch_prepared(AttemptId attempt);
  // A prepared order that nobody wants any more.
  void drop_prepared(AttemptId attempt);
  // The launcher's answer to such an order: not to be taken for the answer to a later one.
  bool is_of_dropped(AttemptId attempt);
  // Not even asked for yet: it never will be.
  void recall(AttemptId attempt, Followed& followed);
  void forget_more();

  void on_ready();
  void on_launcher_lost();
  void on_message(LaunchMessage& message, std::vector<Fd>& passed);
  void on_launched(const ShimLaunched& launched, std::vector<Fd>& passed);
  void on_started(AttemptRunning report);
  void on_ended(ExitRecord ended);
  void on_tree_ended(AttemptId attempt);

  // Looks into the job directory and draws the consequences.
  void find_out_later(AttemptId attempt);
  void find_out(AttemptId attempt, ShimLife shim);
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
  Watcher watcher_;
  std::vector<std::pair<AttemptId, int>> told_;  // shims() as take_changed() saw it last.
  std::vector<JobId> forget_;
  std::vector<JobId> forgetting_;
  bool shortage_told_ = false;
};

// gpusched-launcher as it lies beside the running program, or where it is installed to.
std::string find_launcher_program();

}  // namespace gpusched
