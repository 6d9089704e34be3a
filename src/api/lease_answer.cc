#include "api/lease_answer.h"

#include <algorithm>

#include "api/veil.h"
#include "core/model/reason.h"
#include "core/share/order.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

constexpr std::size_t kPositionsCounted = 10'000;

void fill_in_grant(wire::Lease& answer, const Context& context, const Job& job) {
  const StateView& state = context.state();
  const Grant* grant = grant_of(job);
  if (grant == nullptr) return;
  for (const CardGrant& held : grant->cards) {
    const auto position = state.index_of(held.card);
    answer.gpus.push_back({.number = number_of(held.card),
                           .uuid = position ? state.cards()[*position].uuid : std::string(),
                           .vram_bytes = held.vram_bytes,
                           .share_percent = held.share_percent,
                           .whole = held.whole});
  }
  answer.cpus = grant->cpus;
  if (!job.active()) return;
  for (auto& [name, value] : context.engine.card_variables(*grant)) {
    answer.environment.emplace_back(name, value);
  }
  answer.environment.emplace_back("GPUSCHED_LEASE_ID", to_string(job.id));
}

void fill_in_times(wire::Lease& answer, const Job& job) {
  answer.submitted_at = job.submitted_at;
  if (const auto* running = std::get_if<Running>(&job.state)) {
    answer.granted_at = running->started_at;
    if (job.spec->time.limit > Seconds{0}) {
      answer.expires_at = running->started_at + job.spec->time.limit;
    }
  }
  if (const auto* ended = std::get_if<Ended>(&job.state)) {
    answer.granted_at = ended->started_at;
    answer.ended_at = ended->ended_at;
    if (ended->cause) answer.cause = cause_name(*ended->cause);
    answer.message = ended->message;
  }
}

}  // namespace

std::optional<std::uint64_t> LeaseWriter::position_of(JobId id) {
  if (!positions_) {
    positions_.emplace();
    std::uint64_t position = 0;
    for (const JobId waiting :
         waiting_in_order(context_.state(), kPositionsCounted, context_.now())) {
      positions_->emplace(waiting, ++position);
    }
  }
  const auto found = positions_->find(id);
  return found == positions_->end() ? std::nullopt : std::optional(found->second);
}

void LeaseWriter::fill_in_waiting(wire::Lease& answer, const Job& job) {
  const bool waits = !job.active() && !job.ended();
  if (waits || is_aside(job)) {
    if (!reasons_) reasons_.emplace(context_.state(), context_.now());
    const std::vector<Reason>& why = reasons_->of(job);
    const Veil veil(context_, actor_);
    if (!why.empty()) answer.reason = veil.over(describe(veil.over(why.front())));
  }
  if (!waits) return;
  answer.position = position_of(job.id);
  const std::optional<Wall> likely = context_.estimates.of_lease(job);
  if (likely) answer.estimated_start = std::max(*likely, context_.now().wall);
}

wire::Lease LeaseWriter::of(const Job& job) {
  const LeaseTerms& terms = *job.spec->lease;
  wire::Lease answer{.id = number_of(job.id),
                     .state = state_name(job.state),
                     .priority = job.priority,
                     .name = job.spec->name,
                     .user = job.owner.user,
                     .tenant = job.tenant,
                     .application = terms.application,
                     .holder = terms.by_connection ? "connection" : "process",
                     .pid = terms.pid};
  fill_in_grant(answer, context_, job);
  fill_in_times(answer, job);
  fill_in_waiting(answer, job);
  return answer;
}

std::string lease_json(const Context& context, const Principal& actor, const Job& job) {
  return wire::to_json(wire::OneLease{.lease = LeaseWriter(context, actor).of(job)});
}

}  // namespace gpusched
