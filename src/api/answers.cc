#include "api/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "api/authenticate.h"
#include "core/apply/bulk_verb.h"
#include "core/apply/preview.h"
#include "engine/refusal_error.h"
#include "wire/message_json.h"
#include "wire/messages/jobs.h"

namespace gpusched {
namespace {

constexpr std::size_t kTriedAtOnce = 100;

// A dry run for very many jobs, and how far it has come.
struct Trial {
  Event whole;  // Without its jobs.
  std::vector<JobId> jobs;
  AnswerFn answer;
  std::size_t done = 0;
  Changed changed = {};
};

// A slice, then whoever else waits. REQUIRES: no commit is under way.
void try_more(Context& context, std::uint32_t uid, std::shared_ptr<Trial> trial) {
  Event slice = trial->whole;
  std::vector<JobId>& some = *bulk_verb_of(slice).jobs;
  const std::size_t end = std::min(trial->jobs.size(), trial->done + kTriedAtOnce);
  for (; trial->done < end; ++trial->done) {
    // Retention may take one while others are looked at.
    const JobId id = trial->jobs[trial->done];
    if (context.state().find(id) != nullptr) some.push_back(id);
  }
  Answer would = preview(context.state(), slice, context.now());
  if (const auto* refusal = std::get_if<Refusal>(&would)) {
    return trial->answer(failure(error_of(*refusal)));
  }
  if (auto* changed = std::get_if<Changed>(&would)) {
    std::ranges::move(changed->jobs, std::back_inserter(trial->changed.jobs));
    std::ranges::move(changed->unchanged, std::back_inserter(trial->changed.unchanged));
  }
  if (trial->done == trial->jobs.size()) return trial->answer(std::move(trial->changed));
  context.turns.give(uid, [&context, uid, trial] {
    context.after_commit.run(uid, [&context, uid, trial] { try_more(context, uid, trial); });
  });
}

}  // namespace

Result<std::vector<JobId>> selected_jobs(const Context& context, const Call& call) {
  Result<Selector> selector = parse_selector(call.captured.at(0));
  if (!selector) return failure(selector.error());
  Result<JobFilter> filter =
      parse_filter(call.request.query, call.actor, context.now().wall, shown_of_others(context));
  if (!filter) return failure(filter.error());
  return resolve_selector(context.state(), *selector, *filter, call.actor);
}

ShownOfOthers shown_of_others(const Context& context) {
  return {.arguments = context.limits.arguments_for_all,
          .rows = context.limits.visibility == Visibility::kAll};
}

std::vector<std::string> problems_of(const Context& context) {
  return context.ports.problems ? context.ports.problems() : std::vector<std::string>();
}

Result<const Job*> selected_job(const Context& context, const Call& call) {
  Result<std::vector<JobId>> ids = selected_jobs(context, call);
  if (!ids) return failure(ids.error());
  if (ids->size() != 1) {
    return failure(ErrorCode::kInvalid, fmt::format("this needs one job, but \"{}\" names {}",
                                                    call.captured[0].substr(0, 80), ids->size()));
  }
  return context.state().find(ids->front());
}

Error of_token(const Principal& actor, Error error) {
  if (error.code == ErrorCode::kForbidden && actor.proof == Proof::kToken) {
    error.message += "; the role of this token is " + std::string(role_name(actor.role));
  }
  return error;
}

void ask_engine(Context& context, const Call& call, Event event, AnswerFn asker) {
  AnswerFn answer = std::move(asker);
  if (call.actor.proof == Proof::kToken) {
    answer = [actor = call.actor, then = std::move(answer)](Result<Answer> said) {
      if (said) return then(std::move(said));
      then(failure(of_token(actor, said.error())));
    };
  }
  if (!call.dry_run) {
    const std::shared_ptr<Asked>& asked = call.asked;
    if (asked && asked->entry.user.empty()) asked->entry.user = call.actor.user;
    if (auto* submit = std::get_if<SubmitAsked>(&event)) {
      context.engine.submit(std::move(*submit), std::move(answer), asked);
    } else if (auto* leases = std::get_if<LeasesAsked>(&event)) {
      context.engine.ask_leases(std::move(*leases), std::move(answer), asked);
    } else {
      context.engine.post(std::move(event), std::move(answer), asked);
    }
    return;
  }
  if (const BulkVerb verb = bulk_verb_of(event); verb.jobs && verb.jobs->size() > kTriedAtOnce) {
    auto jobs = std::exchange(*verb.jobs, {});
    auto trial =
        std::make_shared<Trial>(Trial{std::move(event), std::move(jobs), std::move(answer)});
    return try_more(context, call.actor.account(), std::move(trial));
  }
  Answer would = preview(context.state(), event, context.now());
  if (const auto* refusal = std::get_if<Refusal>(&would))
    return answer(failure(error_of(*refusal)));
  answer(std::move(would));
}

std::string changed_json(const Changed& changed, bool dry_run) {
  wire::ChangedJobs answer{.dry_run = dry_run};
  answer.changed.reserve(changed.jobs.size());
  for (const JobId id : changed.jobs) answer.changed.push_back(number_of(id));
  for (const auto& [id, why] : changed.unchanged) answer.unchanged.push_back({number_of(id), why});
  return wire::to_json(answer);
}

void with_account(Context& context, const Call& call, std::uint32_t uid,
                  std::function<void(const std::string& user)> then) {
  context.names.resolve(uid, [&context, call, uid, then](const std::string& name) {
    if (name.empty() && !always_administrator(uid, context.ports.daemon_uid)) {
      return call.responder.fail(
          {ErrorCode::kForbidden, fmt::format("user {} has no account on this machine, and jobs "
                                              "belong to accounts",
                                              uid)});
    }
    const auto go_on = [then, user = name.empty() ? std::to_string(uid) : name] { then(user); };
    // A name that took long may arrive in the middle of a commit.
    if (!call.dry_run) return go_on();
    context.after_commit.run(call.actor.account(), go_on);
  });
}

void with_tenant(Context& context, const Call& call, const Identity& owner,
                 std::function<void(const std::string& tenant)> then) {
  const ConfiguredTenants& configured = context.state().tenants().configured();
  if (configured.groups.empty() || configured.tenant_of_user.contains(owner.user)) {
    return then(tenant_for(configured, owner.user, {}));
  }
  context.authenticator.find_groups(
      owner.uid, [&context, call, user = owner.user,
                  then = std::move(then)](const Result<std::vector<std::string>>& groups) {
        if (!groups) return call.responder.fail(groups.error());
        const auto go_on = [&context, then, user, groups = *groups] {
          then(tenant_for(context.state().tenants().configured(), user, groups));
        };
        if (!call.dry_run) return go_on();
        context.after_commit.run(call.actor.account(), go_on);
      });
}

void with_named_actor(Context& context, const Call& call, std::function<void(const Call&)> then) {
  with_account(context, call, call.actor.account(),
               [&context, call, then = std::move(then)](const std::string& user) {
                 Call named = call;
                 named.actor.user = user;
                 // An administrator may have said for which a token's jobs count.
                 if (!named.actor.tenant.empty()) return then(named);
                 with_tenant(context, named, named.actor.identity(),
                             [named, then](const std::string& tenant) {
                               Call whole = named;
                               whole.actor.tenant = tenant;
                               then(whole);
                             });
               });
}

}  // namespace gpusched
