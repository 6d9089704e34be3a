// The real Launcher: runs on the daemon's event loop, keeps gpusched-launcher alive, follows every
// shim by its pidfd and believes only the job directory. Never blocks on a job, a tree or a large
// directory: those wait in processes of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/launcher.h"
#include "jobdir/cgroup.h"
#include "launch/mover_options.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class ShimLauncher final : public Launcher {
 public:
  struct Options {
    std::string state_directory;   // Absolute; exists.
    std::string launcher_program;  // Absolute.
    // Whose attempts these are; claims of another one are not touched. Empty: nobody asks.
    std::string state_id = {};
    bool copied = false;  // The directory is a copy: claims without an id are another one's, too.
    // As prepare_cgroups() gave it; empty path: without control groups.
    CgroupBase cgroup;
    MoverOptions mover = {};
    // Told in one sentence what is wrong but not anybody's request: a launcher that keeps dying,
    // a damaged job directory.
    std::function<void(const std::string&)> complain;
  };

  // `sink` is called on the loop's thread, never from inside one of the calls below.
  static Result<std::unique_ptr<ShimLauncher>> start(boost::asio::io_context& loop, Options options,
                                                     LauncherSink sink);
  // Jobs run on.
  ~ShimLauncher() override;

  void prepare(const LaunchOrder& order) override;
  void abandon(AttemptId attempt) override;
  void launch(LaunchOrder order) override;
  void adopt(AttemptId attempt) override;
  void stop(AttemptId attempt, Seconds grace) override;
  void move_aside(MoveOrder order) override;
  void bring_back(MoveOrder order) override;
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
  // For tests and `doctor`; 0 while there is none.
  int launcher_pid() const;

 private:
  class Impl;
  explicit ShimLauncher(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// gpusched-launcher as it lies beside the running program, or where it is installed to.
std::string find_launcher_program();

}  // namespace gpusched
