#include <algorithm>

#include "cli/commands/verbs.h"
#include "cli/flag_body.h"
#include "cli/jobs/change_jobs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/submit/submit_flags.h"
#include "os/clock.h"

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
constexpr std::array<FlagSection, 4> kSetSections = {
    FlagSection{"What to change", kFields}, FlagSection{"Which jobs", kWhich},
    FlagSection{"Trying out", kDryRunFlags}, FlagSection{"General", kCommonFlags}};

Result<std::string> patch_of(const Arguments& arguments) {
  FlagBody patch({.arguments = arguments,
                  .now = read_clock().wall,
                  .offset_at = utc_offset_at,
                  .setting = true});
  patch.add(kSetSections);
  auto body = patch.object();
  if (body && *body == "{}") {
    return failure(ErrorCode::kInvalid,
                   "say what to change: gpusched set 7 --priority high --time 2h");
  }
  return body;
}

int run_set(const Arguments& arguments) {
  auto body = patch_of(arguments);
  if (!body) return fail(body.error());
  // Here --name, --group and --tag say what to change, not which jobs.
  Arguments which = arguments;
  for (const std::string_view flag : {"--name", "--group", "--tag"}) which.remove(flag);
  return change_jobs(which, {.verb = "set",
                             .past = "changed",
                             .method = "PATCH",
                             .action = "",
                             .body = std::move(*body)});
}

}  // namespace

constinit const Verb kSetVerb = {
    .name = "set",
    .summary = "change what a job asks for",
    .usage = "set IDS… FLAGS",
    .about =
        "Only what is given changes. A running job takes a new time limit or VRAM limit at "
        "once;\n"
        "its needs cannot change while it runs.",
    .examples =
        "gpusched set 7 --priority urgent\n"
        "gpusched set 7-12 --time 8h --group night\n"
        "gpusched set --array 7 --vram 12G",
    .sections = kSetSections,
    .operands = Operands::kJobs,
    .offer = Offer::kOpenJobs,
    .run = run_set,
};

}  // namespace gpusched::cli
