#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/files.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "json/json_writer.h"
#include "sim/machine.h"
#include "sim/workload.h"

namespace gpusched::cli {
namespace {

constexpr std::array kSimulateFlags = {
    Flag{"--machine", 0, FlagKind::kValue, "2x24G", "the cards, as for serve --sim (2x24G)"},
    Flag{"--cpus", 0, FlagKind::kValue, "N", "CPUs of the machine (64)"},
    Flag{"--mem", 0, FlagKind::kValue, "SIZE", "RAM of the machine (512G)"},
};
constexpr std::array<FlagSection, 2> kSimulateSections = {FlagSection{"Machine", kSimulateFlags},
                                                          FlagSection{"General", kCommonFlags}};

std::string as_json(const WorkloadResult& result) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("jobs", result.jobs);
  json.field("avg_jct_s", result.average_completion_s);
  json.field("median_jct_s", result.median_completion_s);
  json.field("p99_jct_s", result.p99_completion_s);
  json.field("avg_wait_s", result.average_wait_s);
  json.field("max_wait_s", result.longest_wait_s);
  json.field("makespan_s", result.makespan_s);
  json.field("card_use_percent", result.card_use_percent);
  json.field("timed_out", result.timed_out).field("preemptions", result.preemptions);
  json.end_object();
  return out + "\n";
}

std::string as_text(const WorkloadResult& result) {
  const auto duration = [](double seconds) {
    return format_duration(Microseconds{static_cast<Microseconds::rep>(seconds * 1e6)});
  };
  return fmt::format(
      "jobs                {}\n"
      "completion average  {}\n"
      "completion median   {}\n"
      "completion p99      {}\n"
      "wait average        {}\n"
      "wait longest        {}\n"
      "makespan            {}\n"
      "cards in use        {:.1f} %\n"
      "ended by limit      {}\n",
      result.jobs, duration(result.average_completion_s), duration(result.median_completion_s),
      duration(result.p99_completion_s), duration(result.average_wait_s),
      duration(result.longest_wait_s), duration(result.makespan_s), result.card_use_percent,
      result.timed_out);
}

Result<WorkloadResult> replay(const Arguments& arguments) {
  auto text = read_input(arguments.operands.front());
  if (!text) return failure(text.error());
  auto workload = parse_workload(*text);
  if (!workload) {
    return failure(workload.error().code,
                   arguments.operands.front() + ": " + workload.error().message);
  }
  auto machine = describe_machine(arguments.text("--machine", "2x24G"),
                                  arguments.text("--cpus", "64"), arguments.text("--mem", "512G"));
  if (!machine) return failure(machine.error());
  return simulate(*workload, *machine);
}

int run_simulate(const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    return fail({ErrorCode::kInvalid, "simulate needs one workload file"});
  }
  const auto result = replay(arguments);
  if (!result) return fail(result.error());
  const auto done = print(arguments.has("--json") ? as_json(*result) : as_text(*result));
  return done ? kExitOk : fail(done.error());
}

}  // namespace

const Verb kSimulateVerb = {
    .name = "simulate",
    .summary = "replay a workload file through the same core in virtual time",
    .usage = "simulate FILE [--machine 2x24G] [FLAGS]",
    .about =
        "The file is CSV; its first line names the columns: submit_s and duration_s, and any "
        "of gpus, vram, share, cpus, mem, priority, time_limit_s, user.",
    .examples = "gpusched simulate week.csv --machine 8x80G    what 8 cards would have made of it",
    .sections = kSimulateSections,
    .operands = Operands::kWords,
    .run = run_simulate,
};

}  // namespace gpusched::cli
