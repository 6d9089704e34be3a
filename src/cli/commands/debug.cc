// `debug snapshot` writes down what a decision sees; `debug replay` decides again from it.
#include <fmt/format.h>

#include "cli/commands/verbs.h"
#include "cli/files.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "core/decide.h"
#include "core/explain.h"
#include "json/json_writer.h"
#include "json/snapshot_json.h"

namespace gpusched::cli {
namespace {

constexpr std::array<FlagSection, 1> kDebugSections = {FlagSection{"General", kCommonFlags}};

void write_reserved(JsonWriter& json, const std::optional<Reservation>& reservation) {
  json.key("reservation");
  if (!reservation) {
    json.null();
    return;
  }
  json.begin_object().field("job", reservation->job).field("start", reservation->start);
  json.key("cards").begin_array();
  for (const CardGrant& held : reservation->cards) json.value(number_of(held.card));
  json.end_array().end_object();
}

std::string replayed_json(const State& state, const Decided& decided, Now now) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("at", now.wall).key("starts").begin_array();
  for (const Decision& decision : decided.decisions) {
    const Start& start = std::get<Start>(decision);
    json.begin_object().field("job", start.job).key("cards").begin_array();
    for (const CardGrant& held : start.grant.cards) json.value(number_of(held.card));
    json.end_array().field("cpus", start.grant.cpus).end_object();
  }
  json.end_array();
  write_reserved(json, decided.reservation);
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
  if (decided.reservation) {
    const auto& start = decided.reservation->start;
    out += fmt::format(
        "keep room for job {}{}\n", number_of(decided.reservation->job),
        start ? fmt::format(", which starts in {} s at the latest",
                            std::chrono::duration_cast<Seconds>(*start - now.wall).count())
              : ", nobody knows until when");
  }
  return out;
}

int replay_snapshot(const Arguments& arguments) {
  if (arguments.operands.size() != 2) {
    return fail({ErrorCode::kInvalid, "name the file: gpusched debug replay snapshot.json"});
  }
  auto text = read_input(arguments.operands[1]);
  if (!text) return fail(text.error());
  auto excerpt = snapshot_from_json(*text);
  if (!excerpt) {
    return fail({excerpt.error().code, arguments.operands[1] + ": " + excerpt.error().message});
  }
  const Now now = excerpt->now;
  const State state = state_of(std::move(*excerpt));
  const Decided decided = decide(state, now);
  auto done = print(arguments.has("--json") ? replayed_json(state, decided, now)
                                            : replayed_text(decided, now));
  return done ? kExitOk : fail(done.error());
}

int run_debug(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (!words.empty() && words[0] == "replay") return replay_snapshot(arguments);
  if (words.size() == 1 && words[0] == "snapshot") {
    return pass_through(client_of(arguments), {.target = "/v1/debug/snapshot"});
  }
  return fail(
      {ErrorCode::kInvalid,
       "debug has snapshot (to stdout) and replay FILE: gpusched debug snapshot > it.json"});
}

}  // namespace

constinit const Verb kDebugVerb = {
    .name = "debug",
    .summary = "what a decision sees, and what it decides from that",
    .usage = "debug snapshot | debug replay FILE [FLAGS]",
    .about =
        "A snapshot holds cards, rules, what runs and the first 10,000 that wait, as JSON; no\n"
        "commands, paths or environments. replay needs no daemon: - reads standard input.",
    .examples =
        "gpusched debug snapshot > it.json\n"
        "gpusched debug replay it.json",
    .sections = kDebugSections,
    .operands = Operands::kWords,
    .words = "snapshot replay",
    .run = run_debug,
};

}  // namespace gpusched::cli
