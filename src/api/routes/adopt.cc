// POST /v1/adopt: a running process becomes a job.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/job_rows.h"
#include "api/routes/routes.h"
#include "jobdir/running_process.h"
#include "wire/adopt.h"
#include "wire/message_json.h"
#include "wire/messages/jobs.h"

namespace gpusched {
namespace {

bool is_among(const std::vector<int>& pids, int pid) {
  return std::ranges::find(pids, pid) != pids.end();
}

std::string namespace_of(const std::string& process) {
  char name[64];
  const ssize_t length = ::readlink(("/proc/" + process + "/ns/pid").c_str(), name, sizeof name);
  return {name, length > 0 ? static_cast<std::size_t>(length) : 0};
}

// Numbers of processes mean the same to the caller and to us.
Result<void> check_numbers(int caller) {
  const std::string theirs = caller > 0 ? namespace_of(std::to_string(caller)) : "another";
  if (theirs.empty() || theirs == namespace_of("self")) return {};
  return failure(ErrorCode::kUnsupported,
                 "your processes have other numbers here (another process namespace); ask from "
                 "outside of the container");
}

Result<void> check_caller(const Call& call) {
  if (call.actor.is_by_token()) {
    return failure(ErrorCode::kForbidden,
                   "a process is adopted by its owner's account on the machine itself, not with a "
                   "token");
  }
  return check_numbers(call.request.peer.pid);
}

Result<void> check_owner(const Context& context, const Call& call, const RunningProcess& process) {
  const auto forbidden = [](std::string why) {
    return failure(ErrorCode::kForbidden, std::move(why));
  };
  if (!may(call.actor, Action::kAdopt, {.uid = process.uid})) {
    return forbidden(fmt::format("process {} belongs to user {}; one adopts processes of one's own",
                                 process.pid, process.uid));
  }
  if (!process.plain_identity && !may(call.actor, Action::kAdopt)) {
    return forbidden(fmt::format("process {} has rights that are not yours (setuid)", process.pid));
  }
  const std::uint32_t daemon = context.ports.daemon_uid;
  if (daemon != 0 && (process.uid != daemon || !process.plain_identity)) {
    return forbidden(
        fmt::format("process {} belongs to user {}; this daemon is user {} and has no "
                    "power over it",
                    process.pid, process.uid, daemon));
  }
  return {};
}

// What runs under us already, or above us.
Result<void> check_apart(const Context& context, const RunningProcess& process) {
  const auto conflict = [](std::string why) {
    return failure(ErrorCode::kConflict, std::move(why));
  };
  const auto shims = context.ports.shims ? context.ports.shims() : ShimList{};
  for (const auto& [attempt, shim] : shims) {
    if (!is_among(process.ancestors, shim) && !is_among(process.tree, shim)) continue;
    return conflict(
        fmt::format("process {} belongs to job {} already", process.pid, number_of(attempt.job)));
  }
  const int self = ::getpid();
  if (is_among(process.tree, self) || is_among(process.ancestors, self)) {
    return conflict(
        fmt::format("process {} is part of the daemon, or the daemon of it", process.pid));
  }
  return {};
}

std::string adopted_json(const Context& context, const Call& call, JobId id) {
  const Job* job = call.dry_run ? nullptr : context.state().find(id);
  const wire::Adopted answer{.id = number_of(id), .dry_run = call.dry_run};
  std::string out;
  JsonWriter json(out);
  wire::write_message(json, answer, [&](std::string_view name) {
    if (name != "job" || job == nullptr) return false;
    RowWriter(context, call.actor).row(json.key(name), *job);
    return true;
  });
  return out;
}

void ask(Context& context, const Call& call, AdoptBody body, const RunningProcess& process,
         const std::string& user, const std::string& tenant) {
  JobSpec& spec = body.spec;
  spec.environment = context.environments.share(spec.environment);
  spec.argv = process.argv;
  spec.working_directory = process.working_directory;
  spec.adopted =
      std::make_shared<const AdoptedProcess>(AdoptedProcess{process.pid, process.started});
  AdoptAsked asked{.actor = call.actor,
                   .owner = {process.uid, process.gid, user},
                   .tenant = tenant,
                   .spec = std::make_shared<const JobSpec>(std::move(spec)),
                   .priority = body.priority,
                   .tree = process.tree};
  ask_engine(context, call, std::move(asked), [&context, call](Result<Answer> answer) {
    if (!answer) return call.responder.fail(answer.error());
    const auto* made = std::get_if<Submitted>(&*answer);
    if (made == nullptr) {
      return call.responder.fail({ErrorCode::kInternal, "the adoption got no answer"});
    }
    call.responder.send(json_response(adopted_json(context, call, made->first)));
  });
}

}  // namespace

void adopt_process(Context& context, Call call) {
  Result<AdoptBody> body = parse_adopt(call.request.body, context.limits.default_grace);
  if (!body) return call.responder.fail(body.error());
  if (Result<void> same = check_caller(call); !same) {
    return call.responder.fail(same.error());
  }
  Result<RunningProcess> process = look_at_process(body->pid);
  if (!process) return call.responder.fail(process.error());
  Result<void> checked = check_owner(context, call, *process);
  if (checked) checked = check_apart(context, *process);
  if (!checked) return call.responder.fail(checked.error());
  // Shared, because a function object must be copyable.
  auto kept = std::make_shared<AdoptBody>(std::move(*body));
  auto found = std::make_shared<const RunningProcess>(std::move(*process));
  with_account(context, call, found->uid, [&context, call, kept, found](const std::string& user) {
    with_tenant(context, call, {found->uid, found->gid, user},
                [&context, call, kept, found, user](const std::string& tenant) {
                  ask(context, call, std::move(*kept), *found, user, tenant);
                });
  });
}

}  // namespace gpusched
