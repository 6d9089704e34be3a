#include "cli/simulate/snapshot_replay.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/files.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "core/decide/decide.h"
#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "json/json_writer.h"
#include "wire/snapshot.h"

namespace gpusched::cli {
namespace {

void write_reserved(JsonWriter& json, const std::optional<ReservedStart>& reserved) {
  json.key("reservation");
  if (!reserved) {
    json.null();
    return;
  }
  json.begin_object().field("job", reserved->job).field("start", reserved->start);
  json.key("cards").begin_array();
  for (const CardGrant& held : reserved->cards) json.value(number_of(held.card));
  json.end_array().end_object();
}

std::string replayed_json(const StateView& state, const Decided& decided, Now now) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("at", now.wall).key("starts").begin_array();
  for (const Decision& decision : decided.decisions) {
    if (!std::holds_alternative<Start>(decision)) continue;
    const Start& start = std::get<Start>(decision);
    json.begin_object().field("job", start.job).key("cards").begin_array();
    for (const CardGrant& held : start.grant.cards) json.value(number_of(held.card));
    json.end_array().field("cpus", start.grant.cpus).end_object();
  }
  json.end_array().key("evictions").begin_array();
  for (const Decision& decision : decided.decisions) {
    const auto* evict = std::get_if<Evict>(&decision);
    if (evict == nullptr) continue;
    json.begin_object().field("job", evict->job).field("card", number_of(evict->card)).end_object();
  }
  json.end_array();
  write_reserved(json, decided.reserved);
  json.key("waiting").begin_array();
  WaitingReasons reasons(state, now);
  for (const auto& [id, job] : state.jobs()) {
    const std::vector<Reason>& why = reasons.of(job);
    if (why.empty()) continue;
    json.begin_object().field("job", id).field("reason", describe(why.front())).end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

std::string replayed_text(const Decided& decided, Now now) {
  std::string out;
  for (const Decision& decision : decided.decisions) {
    if (const auto* evict = std::get_if<Evict>(&decision)) {
      out += fmt::format("move job {} off card {}, which runs out of memory\n",
                         number_of(evict->job), number_of(evict->card));
      continue;
    }
    if (const auto* stop = std::get_if<StandStill>(&decision)) {
      out += fmt::format("stop job {} until job {} has left card {}\n", number_of(stop->job),
                         number_of(stop->leaves), number_of(stop->card));
      continue;
    }
    if (!std::holds_alternative<Start>(decision)) continue;
    const Start& start = std::get<Start>(decision);
    std::string cards;
    for (const CardGrant& held : start.grant.cards) {
      cards += fmt::format("{}{}", cards.empty() ? "" : ",", number_of(held.card));
    }
    out += cards.empty()
               ? fmt::format("start job {} on {} CPUs\n", number_of(start.job), start.grant.cpus)
               : fmt::format("start job {} on cards {}\n", number_of(start.job), cards);
  }
  if (decided.decisions.empty()) out += "start nothing\n";
  if (decided.reserved) {
    const auto& start = decided.reserved->start;
    out += fmt::format("keep room for job {}{}\n", number_of(decided.reserved->job),
                       start ? fmt::format(", which starts in {} at the latest",
                                           format_duration(*start - now.wall))
                             : ", nobody knows until when");
  }
  return out;
}

}  // namespace

int replay_snapshot(const std::string& file, bool as_json) {
  auto text = read_input(file);
  if (!text) return fail(text.error());
  auto excerpt = snapshot_from_json(*text);
  if (!excerpt) return fail({excerpt.error().code, file + ": " + excerpt.error().message});
  const Now now = excerpt->now;
  const State state = state_of(std::move(*excerpt));
  const Decided decided = decide(state, now);
  auto done = print(as_json ? replayed_json(state, decided, now) : replayed_text(decided, now));
  return done ? kExitOk : fail(done.error());
}

}  // namespace gpusched::cli
