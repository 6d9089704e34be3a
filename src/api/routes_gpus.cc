// GET /v1/gpus
#include <map>
#include <utility>

#include "api/gpus_json.h"
#include "api/routes.h"

namespace gpusched {

void write_cards(JsonWriter& json, const State& state) {
  std::map<CardNumber, std::vector<JobId>> holders;
  for (const JobId id : state.active()) {
    for (const CardGrant& held : grant_of(*state.find(id))->cards) holders[held.card].push_back(id);
  }
  json.begin_array();
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const Card& card = state.cards()[i];
    const CardHolds& holds = state.holds_on(i);
    json.begin_object().field("number", number_of(card.number)).field("uuid", card.uuid);
    json.field("model", card.model).field("vram_bytes", card.vram_bytes);
    json.field("held_vram_bytes", holds.whole ? card.vram_bytes : holds.vram_bytes);
    json.field("held_share_percent", holds.whole ? 100 : holds.share_percent);
    json.field("usable", card.usable).key("jobs").begin_array();
    for (const JobId id : holders[card.number]) json.value(id);
    json.end_array().end_object();
  }
  json.end_array();
}

void list_gpus(Context& context, Call call) {
  const State& state = context.state();
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("source", context.ports.cards_from());
  json.key("cards");
  write_cards(json, state);
  json.key("host").begin_object().field("cpus", state.host().cpus);
  json.field("cpus_held", state.host_holds().cpus).field("ram_bytes", state.host().ram_bytes);
  json.field("ram_held_bytes", state.host_holds().ram_bytes).end_object().end_object();
  call.responder.send(json_response(std::move(out)));
}

}  // namespace gpusched
