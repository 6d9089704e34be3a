#include <fmt/format.h>

#include "base/text.h"
#include "cli/change_jobs.h"
#include "cli/commands/verbs.h"
#include "cli/flag_body.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/submit/submission.h"
#include "json/json_writer.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

constexpr FlagKind kValue = FlagKind::kValue;
constexpr std::array kFields = {
    Flag{"--priority", 0, kValue, "0-100|WORD", "idle, low, normal, high, urgent", Offer::kWords,
         "idle low normal high urgent"},
    Flag{"--name", 0, kValue, "NAME", "another name"},
    Flag{"--tag", 0, kValue, "TAG,…", "these tags instead of the old ones"},
    Flag{"--group", 0, kValue, "NAME", "another group; empty: none", Offer::kGroups},
    Flag{"--time", 0, kValue, "DURATION", "limit on running time; 0: none"},
    Flag{"--begin", 0, kValue, "TIME", "not before"},
    Flag{"--expire", 0, kValue, "TIME", "give up if not started by then"},
    Flag{"--deadline", 0, kValue, "TIME", "should be over by then: goes first as it nears"},
    Flag{"--retries", 0, kValue, "N", "how often it may run again after a failure"},
    Flag{"--gpus", 0, kValue, "N|A-B|all", "cards"},
    Flag{"--vram", 0, kValue, "SIZE", "memory on each card"},
    Flag{"--vram-limit", 0, kValue, "SIZE",
         "what it may take on each card, also while it runs; 0: any"},
    Flag{"--share", 0, kValue, "PERCENT", "part of each card's compute"},
    Flag{"--exclusive", 0, FlagKind::kOptionalValue, "no", "nobody else on its cards, or =no",
         Offer::kWords, "yes no"},
    Flag{"--gpu", 0, kValue, "0,2|NAME", "only these cards, by number, alias or tag"},
    Flag{"--not-gpu", 0, kValue, "1|NAME", "not these cards"},
    Flag{"--gpu-type", 0, kValue, "TEXT", "only cards whose model's name contains this"},
    Flag{"--cpus", 0, kValue, "N", "processors"},
    Flag{"--mem", 0, kValue, "SIZE", "host memory"},
    Flag{"--cpu-ok", 0, kValue, "prefer|fallback|never", "may run without a card", Offer::kWords,
         "prefer fallback never"},
};
constexpr std::array kWhich = {
    Flag{"--all", 0, FlagKind::kSwitch, "",
         "all of one's own jobs; of everybody for administrators"},
    Flag{"--state", 0, kValue, "STATE,…", "only those in a state", Offer::kStates},
    Flag{"--user", 0, kValue, "NAME", "only those of a user"},
    Flag{"--array", 0, kValue, "ID", "only those of an array or sweep", Offer::kJobs},
};
constexpr std::array<FlagSection, 4> kSetSections = {
    FlagSection{"What to change", kFields}, FlagSection{"Which jobs", kWhich},
    FlagSection{"Trying out", kDryRunFlags}, FlagSection{"General", kCommonFlags}};

Result<std::vector<std::string>> parse_tags(const std::string& text) {
  std::vector<std::string> tags;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    if (comma > begin) tags.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return tags;
}

Result<std::string> patch_of(const Arguments& arguments) {
  FlagBody patch(arguments);
  const auto text = [](const std::string& t) -> Result<std::string> { return t; };
  const auto size = [](const std::string& t) { return parse_size(t); };
  const auto whole = [](const std::string& t) { return parse_whole(t, 0, 1'000'000); };
  const auto time = [](const std::string& t) {
    const Wall now = read_clock().wall;
    return parse_time(t, now, utc_offset_at(now));
  };
  patch.field("--priority", "priority", parse_priority);
  patch.field("--name", "name", text);
  patch.field("--tag", "tags", parse_tags);
  patch.field("--group", "group", text);
  patch.field("--time", "time_limit_s", [](const std::string& t) { return parse_duration(t); });
  patch.field("--begin", "begin", time);
  patch.field("--expire", "expire", time);
  patch.field("--deadline", "deadline", time);
  patch.field("--retries", "retries", whole);
  patch.field("--gpus", "gpus", parse_gpu_count);
  patch.field("--vram", "vram_bytes", size);
  patch.field("--vram-limit", "vram_limit_bytes", size);
  patch.field("--share", "share_percent", parse_share);
  patch.field("--exclusive", "exclusive", [](const std::string& t) -> Result<bool> {
    if (t.empty() || t == "yes") return true;
    if (t == "no") return false;
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is neither yes nor no", t));
  });
  patch.field("--gpu", "only_cards", parse_cards);
  patch.field("--not-gpu", "avoid_cards", parse_cards);
  patch.field("--gpu-type", "card_type", text);
  patch.field("--cpus", "cpus", whole);
  patch.field("--mem", "ram_bytes", size);
  patch.field("--cpu-ok", "cpu_use", [](const std::string& t) -> Result<std::string> {
    if (t == "prefer" || t == "fallback" || t == "never") return t;
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is none of prefer, fallback, never", t));
  });
  if (patch.empty()) {
    return failure(ErrorCode::kInvalid,
                   "say what to change: gpusched set 7 --priority high --time 2h");
  }
  return patch.finish();
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
