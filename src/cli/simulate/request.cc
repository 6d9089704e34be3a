#include "cli/simulate/request.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "cli/session.h"

namespace gpusched::cli {
namespace {

void show_progress(double part) {
  static int shown = -1;
  const int percent = static_cast<int>(part * 100);
  if (percent == shown) return;
  shown = percent;
  const std::string line = fmt::format("\rsimulating {:3} %", percent);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
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
    const auto limit = number_of_flag<std::int64_t>(*queues, take_until(text, ','), 1);
    if (!limit) return failure(limit.error());
    if (!asked.queues.empty() && asked.queues.back() >= Seconds{*limit}) {
      return bad_value(*queues, "each limit must be larger than the one before");
    }
    asked.queues.emplace_back(Seconds{*limit});
  }
  return {};
}

Result<void> read_policy(const Arguments& arguments, replay::SimulateAsked& asked) {
  const bool packing = asked.format == replay::Format::kOpenb;
  asked.policy = arguments.text("--policy", packing ? "fgd" : "default");
  if (!replay::is_policy(asked.policy, asked.format)) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("--policy: there is no policy '{}' for this format; there are {}",
                               asked.policy, replay::policy_names(asked.format)));
  }
  if (const FlagValue* cost = arguments.find("--cost")) {
    asked.cost = replay::cost_named(cost->text);
    if (!asked.cost) return bad_value(*cost, "there are none, honest, muri and helios");
  }
  if (const FlagValue* colocation = arguments.find("--colocation")) {
    constexpr int kUsualPercent = 10;
    const std::string& text = colocation->text;
    const auto percent =
        text.empty() ? Result<int>(kUsualPercent) : number_of_flag<int>(*colocation, text, 0);
    if (!percent) return failure(percent.error());
    if (*percent > 1000) return bad_value(*colocation, "more than 1000 percent");
    if (asked.policy != "default") {
      return bad_value(*colocation, "only the default policy lets jobs share cards");
    }
    asked.colocation = *percent;
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

}  // namespace

Result<void> read_replay_rules(const Arguments& arguments, replay::SimulateAsked& asked) {
  if (auto read = read_limits(arguments, asked); !read) return read;
  if (auto read = read_queues(arguments, asked); !read) return read;
  if (::isatty(STDERR_FILENO) != 0) asked.progress = show_progress;
  return read_policy(arguments, asked);
}

Result<replay::SimulateAsked> read_replay(const Arguments& arguments) {
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
  if (auto read = read_replay_rules(arguments, asked); !read) return failure(read.error());
  return asked;
}

}  // namespace gpusched::cli
