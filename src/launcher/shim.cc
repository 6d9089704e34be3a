#include "launcher/shim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "jobdir/cgroup.h"
#include "jobdir/device_filter.h"
#include "jobdir/dmem.h"
#include "jobdir/job_directory.h"
#include "jobdir/launch_protocol.h"
#include "jobdir/numa.h"
#include "jobdir/packet.h"
#include "jobdir/record.h"
#include "launcher/attempt_entries.h"
#include "launcher/supervisor.h"
#include "os/clock.h"

namespace gpusched {
namespace {

// A record that is too long is never read.
void add_arguments(Record& record, const std::vector<std::string>& argv, std::size_t room) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const std::string key = "argument_" + std::to_string(i);
    const std::size_t size = key.size() + 3 * argv[i].size() + 2;  // Escaped, at most.
    if (size > room) return record.set("arguments_left_out", std::int64_t(argv.size() - i));
    room -= size;
    record.set(key, argv[i]);
  }
}

// What was started, for people who look into the directory and for a daemon that has lost it. The
// environment is not part of it.
std::string spec_text(const LaunchOrder& order) {
  Record record;
  record.set("attempt", to_string(order.attempt));
  record.set("working_directory", order.command.working_directory);
  record.set("uid", std::int64_t{order.command.owner.uid});
  record.set("gid", std::int64_t{order.command.owner.gid});
  if (!order.command.output_path.empty()) record.set("output", order.command.output_path);
  if (!order.command.error_path.empty()) record.set("error", order.command.error_path);
  if (!order.isolation.near.cpus.empty()) record.set("near_cpus", order.isolation.near.cpus);
  if (order.time.limit.count() > 0) record.set("time_limit", order.time.limit.count());
  if (!order.note.empty()) record.set("job", order.note);
  constexpr std::size_t kMark = 64;  // What says that arguments were left out.
  const std::size_t taken = record.write().size() + kMark;
  add_arguments(record, order.command.argv, Record::kLargest - std::min(taken, Record::kLargest));
  return record.write();
}

void write_spec(int directory, const LaunchOrder& order) {
  const Fd file(
      ::openat(directory, "spec", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string text = spec_text(order);
  // Ignoring failure: nothing depends on it.
  if (file && ::write(file.get(), text.data(), text.size()) < 0) return;
}

// In the job directory, and the submitter's; or elsewhere, and then not there.
Result<void> prepare_log(ShimParts& parts, bool change_owner) {
  const LaunchOrder& order = parts.order;
  if (!order.command.output_path.empty()) {
    if (parts.log) ::unlinkat(parts.directory.get(), "log", 0);
    parts.log.reset();
    return {};
  }
  if (!parts.log) {
    auto log = open_own_log(parts.directory.get());
    if (!log) return failure(std::move(log.error()));
    parts.log = std::move(*log);
  }
  if (change_owner &&
      ::fchown(parts.log.get(), order.command.owner.uid, order.command.owner.gid) != 0) {
    return failure(ErrorCode::kIo, std::string("cannot open the log: ") + std::strerror(errno));
  }
  return {};
}

// A job runs without the filter rather than not at all; its status says so.
std::string guard_devices(ShimParts& parts) {
  const LaunchOrder& order = parts.order;
  if (!order.devices.filter) return order.devices.open.empty() ? "" : "off: " + order.devices.open;
  if (!parts.leaf) return "off: it has no control group";
  const DeviceFilter& wanted = *order.devices.filter;
  const auto known = std::ranges::find(parts.loaded_filters, wanted, &LoadedFilter::filter);
  auto loaded = known != parts.loaded_filters.end() ? Result<LoadedFilter>(std::move(*known))
                                                    : load_filter(wanted);
  if (!loaded) return "off: " + loaded.error().message;
  const auto bound = bind_filter(parts.leaf.get(), *loaded);
  return bound ? "on" : "off: " + bound.error().message;
}

// Before this process becomes the one that inherits its job's orphans: the server is nobody's. A
// job runs without one rather than not at all; its status and the events say so.
void join_server(const ShimSettings& settings, ShimParts& parts) {
  LaunchOrder& order = parts.order;
  if (!order.devices.mps) return;
  parts.mps = join_mps(settings, order);
  if (!parts.mps.place) return;
  const auto added = mps_client_variables(*order.devices.mps, parts.mps.place->pipe());
  std::erase_if(order.command.added_variables, [&](const auto& variable) {
    return std::ranges::any_of(added,
                               [&](const auto& ours) { return ours.first == variable.first; });
  });
  order.command.added_variables.insert(order.command.added_variables.end(), added.begin(),
                                       added.end());
}

// What holds it to its limit on a card's memory. The watch of the daemon stands behind all.
std::string limit_vram(const ShimParts& parts) {
  const LaunchOrder& order = parts.order;
  if (order.devices.vram_limits.empty()) return {};
  const bool kernel =
      parts.leaf &&
      limit_dmem(parts.leaf.get(), read_dmem_capacity(parts.leaf_path), order.devices.vram_limits);
  if (parts.mps.place) return "mps";
  return kernel ? "dmem" : "watch";
}

void enter_leaf(ShimParts& parts, CommandPlan& plan) {
  const LaunchOrder& order = parts.order;
  parts.leaf.reset();
  if (!parts.leaf_path.empty()) {
    auto leaf =
        make_leaf(parts.leaf_path, {order.isolation.cpus, order.isolation.ram_bytes,
                                    order.isolation.near.cpus, order.isolation.near.memory});
    // Without one the job is followed by session and tree, as where there are no groups at all.
    if (leaf) parts.leaf = std::move(*leaf);
  }
  plan.leaf_fd = parts.leaf.get();
}

// What the command's process needs from its first moment on. The error is the attempt's end, once
// it is claimed.
Result<void> prepare_command(const ShimSettings& settings, ShimParts& parts, CommandPlan& plan) {
  const LaunchOrder& order = parts.order;
  plan.order = &parts.order.command;
  plan.null_fd = settings.null_fd;
  plan.reset_oom_score = settings.reset_oom_score;
  plan.environment = merged_environment(order.command);
  if (order.command.argv.empty() || order.command.argv.front().empty()) {
    return failure(ErrorCode::kInvalid, "there is no command to run");
  }
  plan.near_cpus = cpus_in(order.isolation.near.cpus);
  if (auto planned = plan_identity(plan); !planned) return planned;
  if (auto log = prepare_log(parts, plan.change_user); !log) return log;
  if (parts.log) plan.log_fd = parts.log.get();
  enter_leaf(parts, plan);
  if (order.command.attach != Attach::kNone) {
    auto opened = Attachment::open(order.command.attach, order.command.terminal_rows,
                                   order.command.terminal_columns);
    if (!opened) return failure(std::move(opened.error()));
    parts.attachment.emplace(std::move(*opened));
    if (order.command.detached || is_kept_detached(settings.jobs_fd, order.attempt.job)) {
      parts.attachment->detach();
    }
    if (plan.change_user) parts.attachment->give_to(order.command.owner.uid);
    for (int i = 0; i < 3; ++i) plan.attached[i] = parts.attachment->command_end(i);
    parts.attachment->set_logs(parts.log.get(), parts.log.get());
  }
  return {};
}

// What must be there before the command itself runs. Its process gets ready meanwhile, and opens
// nothing before it is released.
Result<void> prepare_rest(const ShimSettings& settings, ShimParts& parts, const CommandPlan& plan) {
  parts.device_filter = guard_devices(parts);
  parts.loaded_filters.clear();
  parts.vram_limit = limit_vram(parts);
  if (!parts.control) {
    auto control = listen_for_control(parts.directory.get());
    if (!control) return failure(std::move(control.error()));
    parts.control = std::move(*control);
  }
  return make_checkpoint_directory(settings.jobs_fd, parts.order, plan.change_user);
}

void give_up(const ShimSettings& settings, AttemptId attempt, const Error& why) {
  const ShimGaveUp said{attempt, why.message, why.code == ErrorCode::kStorageFull};
  send_packet(settings.report_fd, encode(said), {}, MSG_DONTWAIT);
}

// A prepared attempt that is not to run: takes back what was made for it. The directory stays.
void withdraw(ShimParts& parts, const ClaimDraft& draft, Fd release,
              const std::optional<StartedCommand>& waiting) {
  if (!draft.name.empty()) drop_draft(parts.directory.get(), draft);
  release.reset();  // The process that waits for it ends.
  if (waiting) ::waitpid(waiting->pid, nullptr, 0);
  ::unlinkat(parts.directory.get(), "control", 0);
  if (parts.log) ::unlinkat(parts.directory.get(), "log", 0);
  if (!parts.leaf_path.empty()) remove_leaf(parts.leaf_path);
}

// The attempt's directory, as it was made beforehand or made now. With a spare's, the draft of the
// claim is there too.
Result<void> enter_directory(const ShimSettings& settings, ShimParts& parts, SpareEntries* spare,
                             ClaimDraft& draft) {
  const AttemptId attempt = parts.order.attempt;
  if (spare != nullptr) parts.loaded_filters = std::move(spare->filters);
  if (spare != nullptr && take_spare_entries(settings.jobs_fd, *spare, attempt)) {
    parts.directory = std::move(spare->directory);
    parts.log = std::move(spare->log);
    parts.control = std::move(spare->control);
    draft = std::move(spare->draft);
    return {};
  }
  auto directory = make_attempt(settings.jobs_fd, attempt);
  if (!directory) return failure(std::move(directory.error()));
  parts.directory = std::move(*directory);
  return {};
}

Result<ClaimDraft> finish_draft(int directory, ClaimDraft begun, const ClaimRecord& claim) {
  if (!begun.file) return draft_claim(directory, claim);
  if (auto filled = fill_draft(directory, begun, claim); !filled) return failure(filled.error());
  return begun;
}

// The command's process, all but ready, waiting for `release`.
Result<StartedCommand> start_once(CommandPlan& plan, Fd& release) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return failure(ErrorCode::kIo, std::string("make a pipe: ") + std::strerror(errno));
  }
  const Fd theirs(ends[0]);
  release.reset(ends[1]);
  plan.wait_fd = theirs.get();
  plan.release_fd = release.get();
  return start_command(plan);
}

// Before the claim: an attempt that got no process has not run, and is simply started again.
Result<StartedCommand> start_waiting(ShimParts& parts, CommandPlan& plan, Fd& release) {
  constexpr int kLeavesMost = 3;
  for (int made = 1;; ++made) {
    auto started = start_once(plan, release);
    const bool vanished = !started && started.error().code == ErrorCode::kNotFound;
    if (!vanished || made == kLeavesMost) return started;
    enter_leaf(parts, plan);  // Somebody removed an empty group: there is another.
  }
}

// False: recovery was faster and has said that this attempt never runs, or nobody can say.
bool win_claim(const ShimSettings& settings, ShimParts& parts, const ClaimDraft& draft, Fd& release,
               const std::optional<StartedCommand>& command) {
  const auto won = post_claim(parts.directory.get(), draft);
  if (won && *won) return true;
  withdraw(parts, draft, std::move(release), command);
  if (!won) give_up(settings, parts.order.attempt, won.error());
  return false;
}

// The claim is won, but the command cannot run: that is how the attempt ends.
void refuse_claimed(Supervisor& supervisor, const ShimParts& parts, const ClaimDraft& draft,
                    Fd release, const std::optional<StartedCommand>& command, const Error& why) {
  release.reset();
  if (command) ::waitpid(command->pid, nullptr, 0);
  drop_draft(parts.directory.get(), draft);
  write_spec(parts.directory.get(), parts.order);
  supervisor.refuse({why.message});
}

}  // namespace

bool wait_for_go(int go) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::read(go, &byte, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

void run_shim(const ShimSettings& settings, AttemptId attempt, const std::string& bytes, Fd go,
              SpareEntries* spare) {
  ::prctl(PR_SET_NAME, "gpusched-shim");
  ShimParts parts;
  auto order = decode_order(bytes);
  if (!order) {
    if (spare != nullptr) remove_spare_entries(settings.jobs_fd, *spare);
    return give_up(settings, attempt, order.error());
  }
  parts.order = std::move(*order);
  parts.order.attempt = attempt;
  if (!settings.cgroup_base.empty()) parts.leaf_path = leaf_path_of(settings, attempt);
  ClaimDraft begun;
  if (auto entered = enter_directory(settings, parts, spare, begun); !entered) {
    if (!parts.leaf_path.empty()) remove_leaf(parts.leaf_path);
    return give_up(settings, attempt, entered.error());
  }
  // One shim at a time in here: one that prepared this attempt for a daemon that died may still be
  // taking its things away.
  ::flock(parts.directory.get(), LOCK_EX);
  join_server(settings, parts);
  // Orphans of the command become ours, so that "no children" means "nothing is left".
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  CommandPlan plan;
  auto prepared = prepare_command(settings, parts, plan);
  std::optional<StartedCommand> command;
  Fd release;
  if (prepared) {
    auto waiting = start_waiting(parts, plan, release);
    if (!waiting) {
      withdraw(parts, begun, std::move(release), command);
      return give_up(settings, attempt, waiting.error());
    }
    command = std::move(*waiting);
  }
  if (prepared) prepared = prepare_rest(settings, parts, plan);
  auto draft = finish_draft(
      parts.directory.get(), std::move(begun),
      {.pid = ::getpid(),
       .boot_id = settings.boot_id,
       .cgroup = parts.leaf_path,
       .state = settings.state_id,
       .owner = ClaimOwner{parts.order.command.owner.uid, parts.order.command.owner.gid},
       .holds = parts.order.holds});
  if (!draft) {
    withdraw(parts, {}, std::move(release), command);
    return give_up(settings, attempt, draft.error());
  }
  if (go && !wait_for_go(go.get())) return withdraw(parts, *draft, std::move(release), command);
  go.reset();
  // Before the claim: one that finds no room for its log has not run, and waits for some.
  if (!prepared && prepared.error().code == ErrorCode::kStorageFull) {
    withdraw(parts, *draft, std::move(release), command);
    return give_up(settings, attempt, prepared.error());
  }

  if (!win_claim(settings, parts, *draft, release, command)) return;
  parts.claim = std::move(draft->file);
  Supervisor supervisor(settings, parts);
  if (!prepared) {
    return refuse_claimed(supervisor, parts, *draft, std::move(release), command, prepared.error());
  }
  if (::write(release.get(), "r", 1) != 1) ::kill(command->pid, SIGKILL);
  release.reset();
  // While the command is on its way to exec.
  drop_draft(parts.directory.get(), *draft);
  write_spec(parts.directory.get(), parts.order);
  supervisor.follow(std::move(*command));
}

}  // namespace gpusched
