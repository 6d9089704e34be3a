// Stays with a running command: time, control messages, its terminal, its end. One poll loop, no
// threads; whatever happens to the disk or to a client, the exit record gets written.
#pragma once

#include <sys/resource.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/launcher.h"
#include "jobdir/control_protocol.h"
#include "jobdir/device_filter.h"
#include "jobdir/job_directory.h"
#include "launcher/adopted_tree.h"
#include "launcher/attachment.h"
#include "launcher/command.h"
#include "launcher/log_tail.h"
#include "launcher/log_trim.h"
#include "launcher/mps_join.h"
#include "launcher/shim_settings.h"
#include "launcher/timeline.h"
#include "os/fd.h"

namespace gpusched {

// What a shim owns for one attempt.
struct ShimParts {
  LaunchOrder order;
  Fd directory;
  Fd claim;  // Locked for life.
  Fd control;
  Fd log;  // Only where the log is in the job directory.
  Fd leaf;
  std::string leaf_path;
  std::optional<Attachment> attachment;
  std::vector<LoadedFilter> loaded_filters;  // Of jobs before.
  std::string device_filter;                 // As the status says it.
  JoinedMps mps;
  std::string vram_limit;  // As the status says it.
};

class Supervisor {
 public:
  Supervisor(const ShimSettings& settings, ShimParts& parts);

  // The command could not be started at all: writes the exit record.
  void refuse(const LaunchProblem& problem);
  // Returns when the exit record is written and the client, if any, has got everything.
  void follow(StartedCommand command);
  // The same for a process that runs already; nullopt: it has ended meanwhile. `before`: what an
  // earlier shim of this attempt wrote.
  void watch_over(std::optional<AdoptedTree> process, const std::optional<StatusRecord>& before);

 private:
  enum class Phase {
    kStarting,  // Forked, exec not yet reported.
    kRunning,
    kEndingTree,  // The command is gone, what it left is being ended.
    kRecording,   // The exit record is to be written.
    kLingering,   // Only the client is left to be served.
    kDone,
  };

  // --- The loop (supervisor.cc) ---
  void turn();
  void add_polls(std::vector<pollfd>& polls);
  void dispatch(const pollfd& ready);
  void set_timer();
  void on_time();
  std::optional<Boot> next_deadline() const;

  // --- The command (supervisor_end.cc) ---
  void on_command_report();
  void on_started();
  void write_status_file();
  void reap();
  void end_tree();
  void record_exit();
  bool directory_is_gone() const;
  void look_for_directory(Boot now);
  void listen_again();
  void compose_exit();
  bool ran_out_of_gpu_memory() const;
  void signal_command(int signal);
  void report(std::string message);
  void flush_reports();

  // --- A process that was adopted (supervisor_adopted.cc) ---
  void on_adopted_gone();
  void compose_adopted_exit();
  void let_go();

  // --- Control (supervisor_control.cc, supervisor_save.cc) ---
  void accept_clients();
  void on_client(std::size_t index);
  template <class Request>
  void attach(std::size_t index, const Request& request, bool may);
  ControlMessage obey(const ControlMessage& message, bool administrator);
  void ask_to_save(const SaveCommand& command);
  void tell_to_save();
  void apply_timeline();
  bool set_paused(bool paused);
  void hang_up(const char* why);

  const ShimSettings& settings_;
  ShimParts& parts_;
  Phase phase_ = Phase::kStarting;
  pid_t pid_ = -1;
  std::optional<AdoptedTree> adopted_;  // Set: not a child of ours.
  bool let_go_ = false;
  bool told_to_end_ = false;
  Fd command_report_;
  Timeline timeline_;
  std::optional<LogTrim> trim_;
  Fd timer_;
  std::optional<Boot> timer_set_;
  std::optional<Boot> retry_at_;       // Something that failed or is slow is tried again.
  std::optional<Boot> client_by_;      // When a client must have attached.
  std::optional<Boot> directory_at_;   // When to look whether the job directory is still there.
  std::optional<SaveCommand> saving_;  // It has been asked to save itself.
  std::optional<Boot> tell_at_;        // Nobody waited for the signal yet: looked for again then.
  Microseconds tell_pause_{0};
  bool status_missing_ = false;
  StatusRecord status_;
  Fd user_logs_[2];
  std::vector<LogTail> tails_;  // Of files that the user chose.
  ExitRecord ended_;
  bool started_ = false;
  std::optional<LaunchProblem> problem_;
  bool timed_out_ = false;
  bool children_left_ = true;
  int wait_status_ = 0;
  rusage usage_{};
  std::string note_;  // Why it was ended, for the record.
  struct Client {
    Fd socket;
    bool administrator = false;
  };
  std::vector<Client> clients_;
  std::deque<std::string> reports_;
};

}  // namespace gpusched
