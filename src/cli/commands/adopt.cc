// `adopt` and `disown`: a running process of one's own becomes a job, and goes on by itself again.
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "cli/change_jobs.h"
#include "cli/commands/verbs.h"
#include "cli/flag_body.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {
namespace {

constexpr std::array kAdoptNeeds = {
    Flag{"--vram", 0, FlagKind::kValue, "SIZE", "memory it needs on each card (what it has now)"},
    Flag{"--vram-limit", 0, FlagKind::kValue, "SIZE",
         "ended when it takes more than this on a card"},
    Flag{"--share", 0, FlagKind::kValue, "PERCENT", "part of each card's compute that it needs"},
    Flag{"--exclusive", 0, FlagKind::kSwitch, "", "nobody else on its cards"},
    Flag{"--gpu", 0, FlagKind::kValue, "0,2|NAME", "cards that it will use and is not on yet"},
    Flag{"--cpus", 0, FlagKind::kValue, "N", "processors that it uses (0)"},
    Flag{"--mem", 0, FlagKind::kValue, "SIZE", "host memory that it uses"},
};
constexpr std::array kAdoptLife = {
    Flag{"--priority", 0, FlagKind::kValue, "0-100|WORD", "idle, low, normal (50), high, urgent",
         Offer::kWords, "idle low normal high urgent"},
    Flag{"--time", 0, FlagKind::kValue, "DURATION", "limit on its running time, from now on"},
    Flag{"--grace", 0, FlagKind::kValue, "DURATION", "between TERM and KILL (10s)"},
    Flag{"--preempt", 0, FlagKind::kValue, "WORD", "whether it may be moved aside: auto, never",
         Offer::kWords, "auto never"},
    Flag{"--name", 0, FlagKind::kValue, "NAME", "for people"},
    Flag{"--project", 0, FlagKind::kValue, "NAME", "for reports"},
};
constexpr std::array<FlagSection, 4> kAdoptSections = {
    FlagSection{"What it needs", kAdoptNeeds}, FlagSection{"As a job", kAdoptLife},
    FlagSection{"Trying out", kDryRunFlags}, FlagSection{"General", kCommonFlags}};

Result<std::string> adopt_body(const Arguments& arguments, int pid) {
  FlagBody body(arguments);
  const auto text = [](const std::string& t) -> Result<std::string> { return t; };
  const auto size = [](const std::string& t) { return parse_size(t); };
  const auto duration = [](const std::string& t) { return parse_duration(t); };
  body.json().field("pid", pid);
  body.field("--vram", "vram_bytes", size);
  body.field("--vram-limit", "vram_limit_bytes", size);
  body.field("--share", "share_percent", parse_share);
  body.field("--exclusive", "exclusive", [](const std::string&) -> Result<bool> { return true; });
  body.field("--gpu", "only_cards", parse_cards);
  body.field("--cpus", "cpus", [](const std::string& t) { return parse_whole(t, 0, 1'000'000); });
  body.field("--mem", "ram_bytes", size);
  body.field("--priority", "priority", parse_priority);
  body.field("--time", "time_limit_s", duration);
  body.field("--grace", "grace_s", duration);
  body.field("--preempt", "preempt", text);
  body.field("--name", "name", text);
  body.field("--project", "project", text);
  return body.finish();
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
  const Request request{
      .method = "POST", .target = "/v1/adopt" + dry_run_query(arguments), .body = *body};
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
