// `adopt` and `disown`: a running process of one's own becomes a job, and goes on by itself again.
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/flag_body.h"
#include "cli/flag_values.h"
#include "cli/flag_writers.h"
#include "cli/jobs/change_jobs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {
namespace {

constexpr std::array kAdoptNeeds = {
    as_field(Flag{"--vram", 0, FlagKind::kValue, "SIZE",
                  "memory it needs on each card (what it has now)"},
             "vram_bytes", write_flag<parse_memory>),
    as_field(Flag{"--vram-limit", 0, FlagKind::kValue, "SIZE",
                  "ended when it takes more than this on a card"},
             "vram_limit_bytes", write_flag<parse_memory>),
    as_field(Flag{"--share", 0, FlagKind::kValue, "PERCENT",
                  "part of each card's compute that it needs"},
             "share_percent", write_flag<parse_share>),
    as_field(Flag{"--exclusive", 0, FlagKind::kSwitch, "", "nobody else on its cards"}, "exclusive",
             write_fact),
    as_field(
        Flag{"--gpu", 0, FlagKind::kValue, "0,2|NAME", "cards that it will use and is not on yet"},
        "only_cards", write_flag<parse_cards>),
    as_field(Flag{"--cpus", 0, FlagKind::kValue, "N", "processors that it uses (0)"}, "cpus",
             write_flag<parse_count>),
    as_field(Flag{"--mem", 0, FlagKind::kValue, "SIZE", "host memory that it uses"}, "ram_bytes",
             write_flag<parse_memory>),
};
constexpr std::array kAdoptLife = {
    as_field(
        Flag{"--priority", 0, FlagKind::kValue, "0-100|WORD",
             "idle, low, normal (50), high, urgent", Offer::kWords, "idle low normal high urgent"},
        "priority", write_flag<parse_priority>),
    as_field(
        Flag{"--time", 0, FlagKind::kValue, "DURATION", "limit on its running time, from now on"},
        "time_limit_s", write_flag<parse_duration>),
    as_field(Flag{"--grace", 0, FlagKind::kValue, "DURATION", "between TERM and KILL (10s)"},
             "grace_s", write_flag<parse_duration>),
    as_field(Flag{"--preempt", 0, FlagKind::kValue, "WORD",
                  "whether it may be moved aside: auto, never", Offer::kWords, "auto never"},
             "preempt", write_word),
    as_field(Flag{"--name", 0, FlagKind::kValue, "NAME", "for people"}, "name", write_text),
    as_field(Flag{"--project", 0, FlagKind::kValue, "NAME", "for reports"}, "project", write_text),
};
constexpr std::array<FlagSection, 4> kAdoptSections = {
    FlagSection{"What it needs", kAdoptNeeds}, FlagSection{"As a job", kAdoptLife},
    FlagSection{"Trying out", kDryRunFlags}, FlagSection{"General", kCommonFlags}};

Result<std::string> adopt_body(const Arguments& arguments, int pid) {
  FlagBody body({arguments});
  body.json().field("pid", pid);
  body.add(kAdoptSections);
  return body.object();
}

int run_adopt(const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    return fail({ErrorCode::kInvalid, "say which process, one at a time: gpusched adopt 12345"});
  }
  const auto pid = parse_whole(arguments.operands.front(), 2, 1 << 22);
  if (!pid) {
    return fail({ErrorCode::kInvalid,
                 fmt::format("'{}' is not the number of a process", arguments.operands.front())});
  }
  auto body = adopt_body(arguments, *pid);
  if (!body) return fail(body.error());
  const Client client = client_of(arguments);
  const Request request{.method = "POST",
                        .target = "/v1/adopt" + dry_run_query(arguments),
                        .body = *body,
                        .makes = true};
  if (arguments.has("--json")) return pass_through(client, request);
  auto answer = client.call(request);
  if (!answer) return fail(answer.error());
  auto value = parse_json(*answer);
  if (!value) return fail(value.error());
  std::uint64_t id = 0;
  Reader(&*value).number("id", id);
  if (arguments.has("--dry-run")) {
    note(fmt::format("process {} would become job {}; nothing was changed", *pid, id));
    return kExitOk;
  }
  if (auto printed = print(fmt::format("{}\n", id)); !printed) return fail(printed.error());
  return kExitOk;
}

int run_disown(const Arguments& arguments) {
  return change_jobs(arguments, {.verb = "disown", .past = "let go of", .action = "disown"});
}

}  // namespace

constinit const Verb kAdoptVerb = {
    .name = "adopt",
    .summary = "make a running process of one's own a job",
    .usage = "adopt PID [FLAGS]",
    .about =
        "The process and its descendants are a job from now on: counted, limited in time, moved "
        "aside for\n"
        "more important jobs, ended by cancel. It keeps its output, its control group and its "
        "parent, so\n"
        "there is no log and no exit code. disown lets it go again. Prints the job's id.",
    .examples =
        "gpusched adopt 12345 --priority low        what it has on its cards is its need\n"
        "gpusched adopt 12345 --vram 20G --time 4h  with room to grow, and an end\n"
        "gpusched disown 7                          it goes on as if nothing had been",
    .sections = kAdoptSections,
    .operands = Operands::kWords,
    .run = run_adopt,
};

constinit const Verb kDisownVerb = {
    .name = "disown",
    .summary = "let adopted processes go on by themselves",
    .usage = "disown IDS… [FLAGS]",
    .about =
        "The job ends as completed, its process runs on. One that is aside is let go as soon as "
        "it is\n"
        "back on its cards.",
    .examples = "gpusched disown 7",
    .sections = kChangingSections,
    .operands = Operands::kJobs,
    .offer = Offer::kOpenJobs,
    .run = run_disown,
};

}  // namespace gpusched::cli
