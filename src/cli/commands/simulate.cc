#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "cli/commands/verbs.h"
#include "cli/files.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/snapshot_replay.h"
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
    Flag{"--counting", 0, FlagKind::kValue, "nodes|pool",
         "whether a gang stays inside nodes (what format and policy imply)", Offer::kWords,
         "nodes pool"},
    Flag{"--queues", 0, FlagKind::kValue, "S,S",
         "limits of the queues of las in GPU-seconds (3250,7200)"},
    Flag{"--seeds", 0, FlagKind::kValue, "N", "random orders that openb is averaged over (1)"},
};
constexpr std::array kReportFlags = {
    Flag{"--html", 0, FlagKind::kValue, "FILE", "also write a page with plots", Offer::kFiles},
    Flag{"--jobs", 0, FlagKind::kValue, "FILE", "also write what each job waited, as CSV",
         Offer::kFiles},
};
constexpr std::array<FlagSection, 6> kSimulateSections = {
    FlagSection{"Trace", kTraceFlags},     FlagSection{"Snapshot", kSnapshotFlags},
    FlagSection{"Machine", kMachineFlags}, FlagSection{"Policy", kPolicyFlags},
    FlagSection{"Report", kReportFlags},   FlagSection{"General", kCommonFlags}};

void show_progress(double part) {
  static int shown = -1;
  const int percent = static_cast<int>(part * 100);
  if (percent == shown) return;
  shown = percent;
  const std::string line = fmt::format("\rsimulating {:3} %", percent);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}
void end_progress() {
  constexpr std::string_view kClear = "\r\x1b[K";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kClear.data(), kClear.size());
}

template <class T>
Result<T> number_of_flag(const FlagValue& value, std::string_view text, T least) {
  T number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size() ||
      !(number >= least) || number > T{1'000'000'000}) {
    return bad_value(value, fmt::format("'{}' is not a number of {} or more", text, least));
  }
  return number;
}

Result<void> read_selection(const Arguments& arguments, replay::Selection& selection) {
  selection.tenant = arguments.text("--tenant");
  if (const FlagValue* from = arguments.find("--from")) {
    const auto date = replay::parse_trace_date(from->text, false);
    if (!date) return bad_value(*from, date.error().message);
    selection.from = *date;
  }
  if (const FlagValue* to = arguments.find("--to")) {
    const auto date = replay::parse_trace_date(to->text, true);
    if (!date) return bad_value(*to, date.error().message);
    selection.to = *date;
  }
  if (const FlagValue* most = arguments.find("--max-gpus")) {
    const auto number = number_of_flag<int>(*most, most->text, 1);
    if (!number) return failure(number.error());
    selection.cards_most = *number;
  }
  return {};
}

Result<void> read_limits(const Arguments& arguments, replay::SimulateAsked& asked) {
  const FlagValue* limits = arguments.find("--limits");
  if (limits == nullptr) return {};
  if (limits->text == "none") {
    asked.no_limits = true;
    return {};
  }
  std::string_view text = limits->text;
  if (text.empty() || text.back() != 'x') return bad_value(*limits, "write 2x, 1.5x or none");
  text.remove_suffix(1);
  const auto factor = number_of_flag<double>(*limits, text, 0.01);
  if (!factor) return failure(factor.error());
  asked.limit_factor = *factor;
  return {};
}

Result<void> read_queues(const Arguments& arguments, replay::SimulateAsked& asked) {
  const FlagValue* queues = arguments.find("--queues");
  if (queues == nullptr) return {};
  std::string_view text = queues->text;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto limit = number_of_flag<std::int64_t>(*queues, text.substr(0, comma), 1);
    if (!limit) return failure(limit.error());
    if (!asked.queues.empty() && asked.queues.back() >= Seconds{*limit}) {
      return bad_value(*queues, "each limit must be larger than the one before");
    }
    asked.queues.emplace_back(Seconds{*limit});
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return {};
}

Result<void> read_policy(const Arguments& arguments, replay::SimulateAsked& asked) {
  const bool packing = asked.format == replay::Format::kOpenb;
  asked.policy = arguments.text("--policy", packing ? "fgd" : "default");
  if (!replay::is_policy(asked.policy, asked.format)) {
    return failure(
        ErrorCode::kInvalid,
        fmt::format("--policy: there is no policy '{}' for this format; there are {}", asked.policy,
                    packing ? "random, best-fit, fgd"
                            : "default, timeshare, fifo-strict, fifo-greedy, sjf, srtf, srsf, las, "
                              "easy"));
  }
  if (const FlagValue* cost = arguments.find("--cost")) {
    asked.cost = replay::cost_named(cost->text);
    if (!asked.cost) return bad_value(*cost, "there are none, honest, muri and helios");
  }
  if (const FlagValue* counting = arguments.find("--counting")) {
    if (counting->text != "nodes" && counting->text != "pool") {
      return bad_value(*counting, "write nodes or pool");
    }
    asked.counting = counting->text == "pool" ? replay::Counting::kPool : replay::Counting::kNodes;
  }
  if (const FlagValue* seeds = arguments.find("--seeds")) {
    const auto number = number_of_flag<int>(*seeds, seeds->text, 1);
    if (!number) return failure(number.error());
    asked.seeds = std::min(*number, 10'000);
  }
  return {};
}

Result<replay::SimulateAsked> read_request(const Arguments& arguments) {
  replay::SimulateAsked asked;
  if (const FlagValue* format = arguments.find("--format")) {
    const auto known = replay::format_named(format->text);
    if (!known) return bad_value(*format, "there are native, muri, tiresias, philly and openb");
    asked.format = *known;
  }
  const char* usual = "1x8";
  if (asked.format == replay::Format::kNative) usual = "2x24G";
  if (asked.format == replay::Format::kMuri) usual = "8x8";
  auto machine =
      replay::describe_machine(arguments.text("--machine", usual), arguments.text("--cpus", "64"),
                               arguments.text("--mem", "512G"));
  if (!machine) return failure(machine.error());
  asked.machine = std::move(*machine);
  if (auto read = read_selection(arguments, asked.selection); !read) return failure(read.error());
  if (auto read = read_limits(arguments, asked); !read) return failure(read.error());
  if (auto read = read_queues(arguments, asked); !read) return failure(read.error());
  if (auto read = read_policy(arguments, asked); !read) return failure(read.error());
  if (::isatty(STDERR_FILENO) != 0) asked.progress = show_progress;
  return asked;
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
  const std::string name = std::filesystem::path(arguments.operands.front()).filename().string();
  return write_report(html->text, replay::as_html(asked, name, *done));
}

int run_simulate(const Arguments& arguments) {
  if (arguments.has("--snapshot")) {
    if (arguments.operands.empty()) {
      return replay_snapshot(arguments.text("--snapshot"), arguments.has("--json"));
    }
    return fail({ErrorCode::kInvalid, "simulate takes a trace or --snapshot FILE, not both"});
  }
  if (arguments.operands.size() != 1) {
    return fail({ErrorCode::kInvalid, "simulate needs one trace file"});
  }
  const auto asked = read_request(arguments);
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
    .usage = "simulate TRACE [--format NAME] [--machine 8x8] [--policy NAME] [FLAGS]",
    .about =
        "Reads our own CSV (native: submit_s and duration_s, and any of gpus, vram, share, cpus, "
        "mem, priority, time_limit_s, user) and published traces. docs/simulate.md has the columns "
        "of every format and the exact meaning of every policy, cost and figure.",
    .examples =
        "gpusched simulate week.csv --machine 8x80G             what 8 cards would have made of "
        "it\n"
        "gpusched simulate trace1.csv --format muri --policy srtf    a published result again",
    .sections = kSimulateSections,
    .operands = Operands::kWords,
    .run = run_simulate,
};

}  // namespace gpusched::cli
