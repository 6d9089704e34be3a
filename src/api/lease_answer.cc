#include "api/lease_answer.h"

#include <algorithm>

#include "core/model/reason.h"
#include "core/share/order.h"

namespace gpusched {
namespace {

constexpr std::size_t kPositionsCounted = 10'000;

void write_granted(JsonWriter& json, const Context& context, const Job& job) {
  const StateView& state = context.state();
  const Grant* grant = grant_of(job);
  json.key("gpus").begin_array();
  for (const CardGrant& held : grant != nullptr ? grant->cards : std::vector<CardGrant>{}) {
    const auto position = state.index_of(held.card);
    json.begin_object().field("number", number_of(held.card)).key("uuid");
    json.text_or_null(position ? state.cards()[*position].uuid : std::string_view{});
    json.field("vram_bytes", held.vram_bytes).field("share_percent", held.share_percent);
    json.field("whole", held.whole).end_object();
  }
  json.end_array().field("cpus", grant != nullptr ? grant->cpus : 0);
  json.key("environment").begin_object();
  if (job.active()) {
    for (const auto& [name, value] : context.engine.card_variables(*grant)) {
      json.foreign_key(name).value(value);
    }
    json.field("GPUSCHED_LEASE_ID", to_string(job.id));
  }
  json.end_object();
}

void write_times(JsonWriter& json, const Job& job) {
  const auto* running = std::get_if<Running>(&job.state);
  const auto* ended = std::get_if<Ended>(&job.state);
  std::optional<Wall> granted_at;
  if (running != nullptr) granted_at = running->started_at;
  if (ended != nullptr) granted_at = ended->started_at;
  std::optional<Wall> expires_at;
  if (running != nullptr && job.spec->time.limit > Seconds{0}) {
    expires_at = running->started_at + job.spec->time.limit;
  }
  json.field("submitted_at", job.submitted_at).field("granted_at", granted_at);
  json.field("expires_at", expires_at);
  json.field("ended_at", ended == nullptr ? std::nullopt : std::optional(ended->ended_at));
  json.key("cause");
  if (ended != nullptr && ended->cause) {
    json.value(cause_name(*ended->cause));
  } else {
    json.null();
  }
  json.key("message").text_or_null(ended == nullptr ? std::string_view{} : ended->message);
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

void LeaseWriter::write_waiting(JsonWriter& json, const Job& job) {
  const bool waits = !job.active() && !job.ended();
  const bool away = is_aside(job);
  std::string reason;
  if (waits || away) {
    if (!reasons_) reasons_.emplace(context_.state(), context_.now());
    const std::vector<Reason>& why = reasons_->of(job);
    if (!why.empty()) reason = describe(why.front());
  }
  json.key("reason").text_or_null(reason);
  json.field("position", waits ? position_of(job.id) : std::nullopt);
  std::optional<Wall> likely;
  if (waits) likely = context_.estimates.of_lease(job);
  if (likely) likely = std::max(*likely, context_.now().wall);
  json.field("estimated_start", likely);
}

void LeaseWriter::write(JsonWriter& json, const Job& job) {
  const LeaseTerms& terms = *job.spec->lease;
  json.begin_object().field("id", job.id).field("state", state_name(job.state));
  json.field("priority", job.priority).key("name").text_or_null(job.spec->name);
  json.field("user", job.owner.user).field("tenant", job.tenant);
  json.key("application").text_or_null(terms.application);
  json.field("holder", terms.by_connection ? "connection" : "process").field("pid", terms.pid);
  write_granted(json, context_, job);
  write_times(json, job);
  write_waiting(json, job);
  json.end_object();
}

std::string lease_json(const Context& context, const Job& job) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("lease");
  LeaseWriter(context).write(json, job);
  json.end_object();
  return out;
}

}  // namespace gpusched
