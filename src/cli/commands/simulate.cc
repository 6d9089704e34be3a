#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/files.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/simulate/own_past.h"
#include "cli/simulate/request.h"
#include "cli/simulate/snapshot_replay.h"
#include "os/clock.h"
#include "replay/history.h"
#include "replay/report.h"
#include "replay/simulate.h"

namespace gpusched::cli {
namespace {

constexpr std::array kTraceFlags = {
    Flag{"--format", 0, FlagKind::kValue, "NAME",
         "native, muri, tiresias, philly or openb (native)", Offer::kWords,
         "native muri tiresias philly openb"},
    Flag{"--tenant", 0, FlagKind::kValue, "T", "only jobs of this tenant"},
    Flag{"--from", 0, FlagKind::kValue, "DATE", "only jobs from then on (philly)"},
    Flag{"--to", 0, FlagKind::kValue, "DATE", "only jobs until then, that day included (philly)"},
    Flag{"--max-gpus", 0, FlagKind::kValue, "N", "only jobs of at most so many cards"},
    Flag{"--limits", 0, FlagKind::kValue, "2x|none",
         "declared time limits: a multiple of the true duration, or none (the trace's)"},
};
constexpr std::array kSnapshotFlags = {
    Flag{"--snapshot", 0, FlagKind::kValue, "FILE",
         "instead of a trace: what a decision does from what `debug snapshot` wrote",
         Offer::kFiles},
};
constexpr std::array kHistoryFlags = {
    Flag{"--from-history", 0, FlagKind::kValue, "30d",
         "instead of a trace: this machine's own jobs of so long, beside what became of them"},
    Flag{"--add-gpu", 0, FlagKind::kValue, "24G|MODEL:80G", "with one card more; repeatable"},
    Flag{"--remove-gpu", 0, FlagKind::kValue, "N", "without this card; repeatable"},
};
constexpr std::array kMachineFlags = {
    Flag{"--machine", 0, FlagKind::kValue, "8x8",
         "8 nodes of 8 cards; or cards with memory, as for serve --sim (2x24G)"},
    Flag{"--cpus", 0, FlagKind::kValue, "N", "CPUs of a machine with memory (64)"},
    Flag{"--mem", 0, FlagKind::kValue, "SIZE", "RAM of a machine with memory (512G)"},
    Flag{"--nodes", 0, FlagKind::kValue, "FILE", "the machines for openb (beside the trace)",
         Offer::kFiles},
};
constexpr std::array kPolicyFlags = {
    Flag{"--policy", 0, FlagKind::kValue, "NAME",
         "default, timeshare, fifo-strict, fifo-greedy, sjf, srtf, srsf, las, easy; "
         "for openb random, best-fit, fgd",
         Offer::kWords,
         "default timeshare fifo-strict fifo-greedy sjf srtf srsf las easy random best-fit fgd"},
    Flag{"--cost", 0, FlagKind::kValue, "NAME",
         "of stopping a job: none, honest, muri or helios (what the format implies)", Offer::kWords,
         "none honest muri helios"},
    Flag{"--colocation", 0, FlagKind::kOptionalValue, "10",
         "jobs that share a card slow each other down: percent for each further one"},
    Flag{"--counting", 0, FlagKind::kValue, "nodes|pool",
         "whether a gang stays inside nodes (what format and policy imply)", Offer::kWords,
         "nodes pool"},
    Flag{"--queues", 0, FlagKind::kValue, "S,S",
         "limits of the queues of las in GPU-seconds (3250,7200)"},
    Flag{"--seeds", 0, FlagKind::kValue, "N", "random orders that openb is averaged over (1)"},
};
constexpr std::array kSimulateFlags = {
    Flag{"--html", 0, FlagKind::kValue, "FILE", "also write a page with plots", Offer::kFiles},
    Flag{"--jobs", 0, FlagKind::kValue, "FILE", "also write what each job waited, as CSV",
         Offer::kFiles},
};
constexpr std::array<FlagSection, 7> kSimulateSections = {
    FlagSection{"Trace", kTraceFlags},     FlagSection{"Snapshot", kSnapshotFlags},
    FlagSection{"History", kHistoryFlags}, FlagSection{"Machine", kMachineFlags},
    FlagSection{"Policy", kPolicyFlags},   FlagSection{"Report", kSimulateFlags},
    FlagSection{"General", kCommonFlags}};

void end_progress() {
  constexpr std::string_view kClear = "\r\x1b[K";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kClear.data(), kClear.size());
}

Result<replay::TraceText> read_texts(const Arguments& arguments, replay::Format format) {
  const std::string& path = arguments.operands.front();
  auto text = read_input(path);
  if (!text) return failure(text.error());
  replay::TraceText texts{.trace = std::move(*text), .restart_costs = {}, .nodes = {}};
  const std::filesystem::path beside = std::filesystem::path(path).parent_path();
  if (format == replay::Format::kMuri) {
    auto costs = read_input((beside / "restart_cost_s.csv").string());
    if (costs) texts.restart_costs = std::move(*costs);
  }
  if (format == replay::Format::kOpenb) {
    auto nodes =
        read_input(arguments.text("--nodes", (beside / "openb_node_list_gpu_node.csv").string()));
    if (!nodes) {
      return failure(nodes.error().code, nodes.error().message + "; --nodes names the list");
    }
    texts.nodes = std::move(*nodes);
  }
  return texts;
}

Result<void> write_report(const std::string& path, const std::string& page) {
  auto file = NewFile::create(path);
  if (!file) return failure(file.error());
  if (auto written = file->write(page); !written) return failure(written.error());
  return file->keep();
}

Result<void> write_files(const Arguments& arguments, const replay::SimulateAsked& asked,
                         const replay::SimulateResult& result) {
  const FlagValue* html = arguments.find("--html");
  const FlagValue* jobs = arguments.find("--jobs");
  if (html == nullptr && jobs == nullptr) return {};
  const auto* done = std::get_if<replay::Simulated>(&result);
  if (done == nullptr) {
    return bad_value(html != nullptr ? *html : *jobs, "openb has no jobs that run and end");
  }
  if (jobs != nullptr) {
    if (auto kept = write_report(jobs->text, replay::as_csv(*done)); !kept) return kept;
  }
  if (html == nullptr) return {};
  const std::string name =
      arguments.operands.empty()
          ? "history"
          : std::filesystem::path(arguments.operands.front()).filename().string();
  return write_report(html->text, replay::as_html(asked, name, *done));
}

// What the daemon has now, as it would be with the cards of the flags.
Result<void> change_machine(const Arguments& arguments, replay::Machine& machine) {
  for (const FlagValue* value : arguments.all("--remove-gpu")) {
    if (auto done = replay::remove_card(machine, value->text); !done) {
      return bad_value(*value, done.error().message);
    }
  }
  for (const FlagValue* value : arguments.all("--add-gpu")) {
    if (auto done = replay::add_card(machine, value->text); !done) {
      return bad_value(*value, done.error().message);
    }
  }
  return {};
}

// A word that names no card is said before anybody is asked for anything.
Result<void> check_cards(const Arguments& arguments) {
  replay::Machine scratch;
  for (const FlagValue* value : arguments.all("--add-gpu")) {
    if (auto done = replay::add_card(scratch, value->text); !done) {
      return bad_value(*value, done.error().message);
    }
  }
  return {};
}

int run_history(const Arguments& arguments) {
  const FlagValue& range = *arguments.find("--from-history");
  if (!arguments.operands.empty() || arguments.has("--machine") || arguments.has("--format")) {
    return fail({ErrorCode::kInvalid, "--from-history takes no trace, --format or --machine"});
  }
  const auto length = parse_duration(range.text);
  if (!length) return fail(bad_value(range, length.error().message).value());
  replay::SimulateAsked asked;
  if (auto read = read_replay_rules(arguments, asked); !read) return fail(read.error());
  if (auto read = check_cards(arguments); !read) return fail(read.error());
  const Client client = client_of(arguments);
  if (auto taken = take_machine(client, asked); !taken) return fail(taken.error());
  const auto past = fetch_past(client, asked.machine, read_clock().wall - *length);
  if (!past) return fail(past.error());
  if (auto changed = change_machine(arguments, asked.machine); !changed) {
    return fail(changed.error());
  }
  auto done = replay::simulate_trace(asked, past->trace);
  if (!done) {
    // Where a trace has lines, this has jobs.
    std::string why = done.error().message;
    if (why.starts_with("line ")) why = "job " + why.substr(5);
    return fail({done.error().code, why});
  }
  const replay::Measures was = replay::measure(past->trace, past->as_it_was);
  if (arguments.has("--html") || arguments.has("--jobs")) {
    if (auto written = write_files(arguments, asked, *done); !written) return fail(written.error());
  }
  const std::string head =
      fmt::format("{} jobs of the last {}, policy {}, {} cards\n\n", past->trace.size(), range.text,
                  asked.policy, asked.machine.total());
  const auto said =
      print(arguments.has("--json") ? replay::compared_json(asked, was, done->measures)
                                    : head + replay::compared(was, done->measures));
  return said ? kExitOk : fail(said.error());
}

int run_simulate(const Arguments& arguments) {
  if (arguments.has("--from-history") && !arguments.has("--snapshot")) {
    return run_history(arguments);
  }
  for (const std::string_view flag : {"--add-gpu", "--remove-gpu"}) {
    if (arguments.has(flag)) {
      return fail({ErrorCode::kInvalid, fmt::format("{} belongs to --from-history", flag)});
    }
  }
  if (arguments.has("--snapshot")) {
    if (arguments.operands.empty()) {
      return replay_snapshot(arguments.text("--snapshot"), arguments.has("--json"));
    }
    return fail({ErrorCode::kInvalid, "simulate takes a trace or --snapshot FILE, not both"});
  }
  if (arguments.operands.size() != 1) {
    return fail({ErrorCode::kInvalid, "simulate needs one trace file"});
  }
  const auto asked = read_replay(arguments);
  if (!asked) return fail(asked.error());
  const auto texts = read_texts(arguments, asked->format);
  if (!texts) return fail(texts.error());
  const auto result = replay::simulate(*asked, *texts);
  if (asked->progress != nullptr) end_progress();
  if (!result) {
    return fail({result.error().code, arguments.operands.front() + ": " + result.error().message});
  }
  if (auto written = write_files(arguments, *asked, *result); !written) {
    return fail(written.error());
  }
  const auto done = print(arguments.has("--json") ? replay::as_json(*asked, *result)
                                                  : replay::as_text(*asked, *result));
  return done ? kExitOk : fail(done.error());
}

}  // namespace

const Verb kSimulateVerb = {
    .name = "simulate",
    .summary = "replay a trace through the same core, or under other policies, in virtual time",
    .usage =
        "simulate TRACE [--format NAME] [--machine 8x8] [--policy NAME] [FLAGS]\n"
        "       gpusched simulate --from-history 30d [--add-gpu 80G] [FLAGS]",
    .about =
        "Reads our own CSV (native: submit_s and duration_s, and any of gpus, vram, share, cpus, "
        "mem, priority, time_limit_s, user) and published traces. docs/simulate.md has the columns "
        "of every format and the exact meaning of every policy, cost and figure.",
    .examples =
        "gpusched simulate week.csv --machine 8x80G             what 8 cards would have made of "
        "it\n"
        "gpusched simulate trace1.csv --format muri --policy srtf    a published result again\n"
        "gpusched simulate --from-history 30d --add-gpu 80G     what one card more would have "
        "spared",
    .sections = kSimulateSections,
    .operands = Operands::kWords,
    .run = run_simulate,
};

}  // namespace gpusched::cli
