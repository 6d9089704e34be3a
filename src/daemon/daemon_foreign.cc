// Foreign processes that a rule lets us move aside while they sit idle: adopted for as long as
// somebody needs their memory.
#include <unistd.h>

#include <algorithm>

#include "core/preempt/foreign_idle.h"
#include "daemon/daemon.h"
#include "jobdir/running_process.h"
#include "os/clock.h"
#include "os/log.h"
#include "wire/environment.h"

namespace gpusched {
namespace {

constexpr Seconds kLookEvery{1};
// Whoever asked for a place goes before who only sits on one.
constexpr int kPriority = 10;
// One that could not be moved is not tried again at once.
constexpr Seconds kTryAgainAfter{300};

std::string user_seen(const StateView& state, int pid) {
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    for (const SeenProcess& process : state.view_of(i).processes) {
      if (process.pid == pid && !process.user.empty()) return process.user;
    }
  }
  return {};
}

bool is_within_reach(const RunningProcess& process) {
  const std::uint32_t self = ::geteuid();
  return self == 0 || (process.uid == self && process.plain_identity);
}

// Moved aside, the daemon would stand still with it.
bool is_above_us(const RunningProcess& process) {
  return std::ranges::find(process.tree, ::getpid()) != process.tree.end();
}

}  // namespace

void Daemon::look_at_idle_foreign() {
  const Now now = read_clock();
  if (foreign_rules_.empty() || now.boot - foreign_looked_ < kLookEvery) return;
  foreign_looked_ = now.boot;
  std::erase_if(foreign_tried_,
                [&](const auto& one) { return now.boot - one.second > kTryAgainAfter; });
  const StateView& state = engine_->state();
  const ForeignLook look = gpusched::look_at_foreign(state, foreign_rules_, now);
  if (!look.let_go.empty()) engine_->post(LetGoAsked{ourselves(), look.let_go});
  for (const int pid : look.adopt) {
    const auto process = look_at_process(pid);
    if (!process || !is_within_reach(*process) || is_above_us(*process)) continue;
    if (!foreign_tried_.emplace(std::pair(pid, process->started), now.boot).second) continue;
    std::string user = user_seen(state, pid);
    if (user.empty()) user = std::to_string(process->uid);
    JobSpec spec;
    spec.argv = process->argv;
    spec.working_directory = process->working_directory;
    spec.environment = make_environment({});
    spec.name = "idle foreign process";
    spec.time.grace = config_.jobs.grace;
    spec.adopted =
        std::make_shared<const AdoptedProcess>(AdoptedProcess{pid, process->started, true});
    AdoptAsked asked{.actor = ourselves(),
                     .owner = {process->uid, process->gid, user},
                     .tenant = state.tenants().tenant_of(user),
                     .spec = std::make_shared<const JobSpec>(std::move(spec)),
                     .priority = kPriority,
                     .tree = process->tree};
    log_info("an idle foreign process is adopted, as the rule says",
             {{"pid", pid}, {"user", user}});
    engine_->post(std::move(asked));
  }
}

}  // namespace gpusched
