#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/verbs.h"
#include "cli/elsewhere.h"
#include "cli/flag_body.h"
#include "cli/jobs/change_jobs.h"
#include "cli/jobs/filled_in.h"
#include "cli/servers.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/submit/prepare.h"
#include "cli/submit/submit_flags.h"
#include "os/clock.h"
#include "wire/submit.h"

namespace gpusched::cli {
namespace {

// Here a switch can be taken back, and no word is the default.
constexpr std::array kOwn = {
    as_field(Flag{"--exclusive", 0, FlagKind::kOptionalValue, "no",
                  "nobody else on its cards, or =no", Offer::kWords, "yes no"},
             "exclusive", write_fact),
    as_field(Flag{"--cpu-ok", 0, FlagKind::kValue, "prefer|fallback|never",
                  "may run without a card", Offer::kWords, "prefer fallback never"},
             "cpu_use", write_cpu_use),
};
// What is read here, because it depends on this process or on other jobs.
constexpr std::array kRuns = {
    Flag{"--cmd", 0, FlagKind::kValue, "LINE", "another line for the shell; or '-- COMMAND'"},
    Flag{"--cwd", 0, FlagKind::kValue, "DIR", "another working directory", Offer::kFiles},
    Flag{"--env", 0, FlagKind::kValue, "K=V",
         "set a variable; K alone takes it from here; repeatable"},
    Flag{"--unset-env", 0, FlagKind::kValue, "K", "take a variable away; repeatable"},
    Flag{"--after", 0, FlagKind::kValue, "[ok:|any:|fail:]7,8|none",
         "wait for these jobs instead; none: for nobody", Offer::kJobs},
};

constexpr bool settable(const Flag& flag) { return !flag.set_help.empty(); }
constexpr std::size_t settable_flags() {
  std::size_t count = 0;
  for (const FlagSection& section : kSubmitSections) {
    count += static_cast<std::size_t>(std::ranges::count_if(section.flags, settable));
  }
  return count;
}
// Those of submit that can change later, with what they mean then.
constexpr auto kFields = [] {
  std::array<Flag, settable_flags() + kOwn.size()> flags{};
  std::size_t at = 0;
  for (const FlagSection& section : kSubmitSections) {
    for (const Flag& flag : section.flags) {
      if (!settable(flag)) continue;
      flags[at] = flag;
      flags[at].may_be_empty = true;
      flags[at++].help = flag.set_help;
    }
  }
  std::ranges::copy(kOwn, flags.begin() + at);
  return flags;
}();
constexpr std::array kWhich = {
    Flag{"--all", 0, FlagKind::kSwitch, "",
         "all of one's own jobs; of everybody for administrators"},
    Flag{"--state", 0, FlagKind::kValue, "STATE,…", "only those in a state", Offer::kStates},
    Flag{"--user", 0, FlagKind::kValue, "NAME", "only those of a user"},
    Flag{"--array", 0, FlagKind::kValue, "ID", "only those of an array or sweep", Offer::kJobs},
};
constexpr std::array<FlagSection, 5> kSetSections = {
    FlagSection{"What to change", kFields}, FlagSection{"What it runs", kRuns},
    FlagSection{"Which jobs", kWhich}, FlagSection{"Trying out", kDryRunFlags},
    FlagSection{"General", kCommonFlags}};

Result<void> add_command(const Arguments& arguments, JsonWriter& json) {
  const FlagValue* line = arguments.find("--cmd");
  if (line != nullptr && !arguments.command.empty()) {
    return bad_value(*line, "the command is given twice; use --cmd or '-- COMMAND', not both");
  }
  if (line == nullptr && arguments.command.empty()) return {};
  write_strings(json, "command", line != nullptr ? std::vector{line->text} : arguments.command);
  json.field("shell", line != nullptr);
  return {};
}

// The API takes a variable away by its name alone.
Result<void> take_away(const Arguments& arguments, std::vector<std::string>& variables) {
  for (const FlagValue* given : arguments.all("--unset-env")) {
    const std::string& name = given->text;
    if (name.find('=') != std::string::npos) {
      return bad_value(*given, fmt::format("'{}' is not the name of a variable", name));
    }
    const auto set_too = [&](const std::string& one) { return one.starts_with(name + "="); };
    if (std::ranges::any_of(variables, set_too)) {
      return bad_value(*given, fmt::format("--env sets {}; give one of them", name));
    }
    if (std::ranges::find(variables, name) == variables.end()) variables.push_back(name);
  }
  return {};
}

Result<void> add_places(const Arguments& arguments, JsonWriter& json) {
  if (!arguments.has("--cwd") && !arguments.has("--env") && !arguments.has("--unset-env")) {
    return {};
  }
  const auto server = server_of(arguments);
  if (!server) return failure(server.error());
  const FlagValue* directory = arguments.find("--cwd");
  const bool relative = directory != nullptr && !directory->text.starts_with('/');
  // A whole path needs nobody there to say where it begins.
  const auto around = server->far() && relative ? surroundings_of(*server) : surroundings();
  if (!around) return failure(around.error());
  if (directory != nullptr) {
    if (directory->text.empty()) return bad_value(*directory, "is empty");
    if (relative && around->working_directory.empty()) {
      return bad_value(*directory, "must be a whole path of the daemon's machine");
    }
    json.field("working_directory",
               relative ? around->working_directory + "/" + directory->text : directory->text);
  }
  std::vector<std::string> variables;
  for (const FlagValue* given : arguments.all("--env")) {
    auto variable = variable_of(given->text, *around);
    if (!variable) return bad_value(*given, variable.error().message);
    variables.push_back(std::move(*variable));
  }
  if (auto taken = take_away(arguments, variables); !taken) return taken;
  if (!variables.empty()) write_strings(json, "variables", variables);
  return {};
}

Result<void> add_after(const Arguments& arguments, JsonWriter& json) {
  std::vector<AfterEntry> after;
  for (const FlagValue* given : arguments.all("--after")) {
    if (given->text == "none") continue;
    auto entries = parse_after(given->text);
    if (!entries) return bad_value(*given, entries.error().message);
    after.insert(after.end(), entries->begin(), entries->end());
  }
  if (!arguments.has("--after")) return {};
  auto jobs = resolved_after(client_of(arguments), after);
  if (!jobs) return failure(jobs.error());
  write_after(json, *jobs);
  return {};
}

Result<std::string> patch_of(const Arguments& arguments) {
  FlagBody patch({.arguments = arguments,
                  .now = read_clock().wall,
                  .offset_at = utc_offset_at,
                  .setting = true});
  patch.add(kSetSections);
  for (const auto add : {add_command, add_places, add_after}) {
    if (auto added = add(arguments, patch.json()); !added) return failure(added.error());
  }
  auto body = patch.object();
  if (body && *body == "{}") {
    return failure(ErrorCode::kInvalid,
                   "say what to change: gpusched set 7 --priority high --time 2h");
  }
  if (!body) return body;
  // With the daemon's own eyes, and the names of flags.
  if (auto good = parse_patch(*body, flag_of); !good) return failure(good.error());
  return body;
}

int run_set(const Arguments& arguments) {
  auto body = patch_of(arguments);
  if (!body) return fail(body.error());
  // Here --name, --group and --tag say what to change, not which jobs.
  Arguments which = arguments;
  for (const std::string_view flag : {"--name", "--group", "--tag"}) which.remove(flag);
  const int code = change_jobs(which, {.verb = "set",
                                       .past = "changed",
                                       .method = "PATCH",
                                       .action = "",
                                       .body = std::move(*body)});
  const auto selection = selection_of(which);
  if (code == kExitOk && selection && !arguments.has("--json")) {
    tell_filled_in(client_of(arguments), *selection, arguments);
  }
  return code;
}

}  // namespace

constinit const Verb kSetVerb = {
    .name = "set",
    .summary = "change what a job asks for",
    .usage = "set IDS… FLAGS [-- COMMAND…]",
    .about =
        "Only what is given changes. A running job takes a new time limit or VRAM limit at "
        "once;\n"
        "what it runs and needs cannot change while it runs. 'gpusched events' tells what changed.",
    .examples =
        "gpusched set 7 --priority urgent\n"
        "gpusched set 7-12 --time 8h --group night\n"
        "gpusched set --array 7 --vram 12G\n"
        "gpusched set 7 --deadline none --after none\n"
        "gpusched set 7 --env LR=0.1 -- python train.py\n"
        "gpusched set 7 --unset-env DEBUG",
    .sections = kSetSections,
    .operands = Operands::kJobsThenCommand,
    .offer = Offer::kOpenJobs,
    .run = run_set,
};

}  // namespace gpusched::cli
