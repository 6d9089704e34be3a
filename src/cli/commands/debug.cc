// `debug snapshot` writes down what a decision sees; `debug replay` decides again from it.
#include "cli/commands/verbs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/simulate/snapshot_replay.h"

namespace gpusched::cli {
namespace {

constexpr std::array<FlagSection, 1> kDebugSections = {FlagSection{"General", kCommonFlags}};

int run_debug(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() == 2 && words[0] == "replay") {
    return replay_snapshot(words[1], arguments.has("--json"));
  }
  if (!words.empty() && words[0] == "replay") {
    return fail({ErrorCode::kInvalid, "name the file: gpusched debug replay snapshot.json"});
  }
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
