// GET /v1/gpus
#include <algorithm>
#include <map>
#include <utility>

#include "api/gpus_json.h"
#include "api/routes/routes.h"
#include "wire/sampler_lines.h"

namespace gpusched {

namespace {

const char* state_word(const Card& card, const CardView& view) {
  if (!card.managed) return "ignored";
  if (card.drained) return "drained";
  switch (view.condition) {
    case CardCondition::kUnseen:
    case CardCondition::kOk:
      return "ok";
    case CardCondition::kUnknown:
      return "unknown";
    case CardCondition::kAsleep:
      return "asleep";
    case CardCondition::kGone:
      return "gone";
  }
  return "unknown";
}

// What the configuration says of it.
void write_rules(JsonWriter& json, const Card& card) {
  json.key("alias").text_or_null(card.alias).key("tags").begin_array();
  for (const std::string& tag : card.tags) json.value(tag);
  json.end_array().field("managed", card.managed).field("capacity_bytes", card.capacity_bytes());
  if (card.driver_index) json.field("driver_index", static_cast<int>(*card.driver_index));
  if (card.jobs_most) json.field("jobs_most", *card.jobs_most);
}

// A process of somebody else, without its arguments.
watch::WatchedProcess without_arguments(watch::WatchedProcess process) {
  std::string& command = process.owner.command;
  command.resize(std::min(command.find(' '), command.size()));
  command.erase(0, command.rfind('/') + 1);
  return process;
}

// The card as it was seen last: sample and processes.
void write_live(JsonWriter& json, const CardView& view, const watch::CardBoard& board,
                CardNumber card, const std::function<bool(const Subject&)>& shows) {
  const auto entry = board.entries.find(card);
  if (entry == board.entries.end() || !entry->second.sample) return;
  const watch::SampleReport& seen = *entry->second.sample;
  json.field("sampled_at", seen.at.wall).key("sample");
  write_card_sample(json, seen.sample);
  if (!seen.processes) return;
  json.key("processes").begin_array();
  for (const watch::WatchedProcess& process : *seen.processes) {
    const auto known = std::ranges::find(view.processes, process.seen.pid, &SeenProcess::pid);
    const bool idle = known != view.processes.end() && known->idle_since;
    const bool whole = shows && shows({.uid = process.owner.uid});
    write_watched_process(json, whole ? process : without_arguments(process),
                          idle ? known->idle_since : std::nullopt);
  }
  json.end_array();
}

// Jobs that are away from the card, or on the way out or back.
void write_aside(JsonWriter& json, const StateView& state, CardNumber card) {
  json.key("aside").begin_array();
  for (const JobId id : state.aside()) {
    const Job& job = *state.find(id);
    if (given_on(job, card) == nullptr) continue;
    const Aside& aside = *aside_of(job);
    json.begin_object().field("job", id).field("state", state_name(job.state));
    json.field("mechanism", mechanism_name(aside.mechanism)).field("since", aside.since);
    json.field("host_bytes", aside.host_bytes).field("idle", aside.why == AsideWhy::kIdle);
    json.field("wanted", aside.wanted).field("by_hand", aside.by_hand).end_object();
  }
  json.end_array();
}

// How fast its memory moves: as its own moves have shown, else as usual.
void write_moves(JsonWriter& json, const StateView& state, const Card& card) {
  json.field("moves", card.moves);
  const MoveRates* known = state.rates_of(card.number);
  if (!card.moves && known == nullptr) return;
  const auto write = [&json](const char* name, const MoveRate& rate, const MoveRate& usual) {
    const MoveRate& said = rate.moves > 0 ? rate : usual;
    json.key(name).begin_object().field("bytes_per_s", said.bytes_per_s);
    json.field("fixed_s", static_cast<double>(said.fixed.count()) / 1e6);
    json.field("measured", rate.moves).end_object();
  };
  const MoveRates rates = known != nullptr ? *known : MoveRates{};
  json.key("move_rates").begin_object();
  write("out", rates.out, usual_rate_out());
  write("back", rates.back, usual_rate_back());
  json.end_object();
}

}  // namespace

void write_cards(JsonWriter& json, const StateView& state, const watch::CardBoard* board,
                 const std::function<bool(const Subject& owner)>& shows) {
  std::map<CardNumber, std::vector<JobId>> holders;
  for (const JobId id : state.active()) {
    Grant away;
    const Grant& grant = held_by(*state.find(id), std::move(away));
    for (const CardGrant& held : grant.cards) holders[held.card].push_back(id);
  }
  json.begin_array();
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const Card& card = state.cards()[i];
    const CardHolds& holds = state.holds_on(i);
    const CardView& view = state.view_of(i);
    json.begin_object().field("number", number_of(card.number)).field("uuid", card.uuid);
    json.field("model", card.model).field("vram_bytes", card.vram_bytes);
    write_rules(json, card);
    json.field("reserved_bytes", card.reserved_vram_bytes);
    json.field("held_vram_bytes", holds.whole ? card.vram_bytes : holds.vram_bytes);
    json.field("held_share_percent", holds.whole ? 100 : holds.share_percent);
    json.field("load_percent", holds.load_percent());
    json.field("foreign_bytes", holds.ungranted.vram_bytes);
    json.field("usable", card.usable).field("state", state_word(card, view));
    const auto drain = state.drains().find(card.uuid);
    if (drain != state.drains().end()) {
      json.field("reason", drain->second.reason).field("drained_by", drain->second.by);
      json.field("drained_at", drain->second.since);
    } else if (!view.reason.empty()) {
      json.field("reason", view.reason);
    }
    if (const AdaptiveCap* cap = state.seen().cap_of(card.uuid)) {
      json.field("share_cap_percent", cap->percent).field("share_cap_reason", describe(*cap));
    }
    write_moves(json, state, card);
    json.key("jobs").begin_array();
    for (const JobId id : holders[card.number]) json.value(id);
    json.end_array();
    if (!state.aside().empty()) write_aside(json, state, card.number);
    if (board != nullptr) write_live(json, view, *board, card.number, shows);
    json.end_object();
  }
  json.end_array();
}

void list_gpus(Context& context, Call call) {
  const StateView& state = context.state();
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("source", context.ports.cards_from());
  json.field("missing", state.cards_missing());
  const watch::CardBoard* board = context.ports.board ? context.ports.board() : nullptr;
  if (board != nullptr) {
    json.key("backends").begin_array();
    for (const watch::BackendState& backend : board->backends) {
      json.begin_object().field("name", backend.name);
      json.field("driver_version", backend.driver_version).field("trouble", backend.trouble);
      json.field("absent", backend.absent).end_object();
    }
    json.end_array();
  }
  json.key("cards");
  write_cards(json, state, board, [&](const Subject& owner) {
    return may(call.actor, Action::kSeeArguments, owner, context.limits.arguments_for_all);
  });
  json.key("host").begin_object().field("cpus", state.host().cpus);
  json.field("cpus_held", state.host_holds().cpus).field("ram_bytes", state.host().ram_bytes);
  json.field("ram_held_bytes", state.host_holds().ram_bytes).end_object().end_object();
  call.responder.send(json_response(std::move(out)));
}

}  // namespace gpusched
