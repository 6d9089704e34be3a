#include "cli/submit/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace gpusched::cli {
namespace {

constexpr std::array<std::string_view, 13> kCauses = {
    "exit",         "signal",          "timeout",     "expired", "cuda_oom",
    "host_oom",     "gpu_lost",        "vram_limit",  "launch",  "dependency",
    "machine_lost", "supervisor_lost", "restore_lost"};
constexpr int kAny = std::numeric_limits<int>::max();

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = text.find(',', begin);
    parts.push_back(text.substr(begin, comma - begin));
    if (comma == std::string::npos) return parts;
    begin = comma + 1;
  }
}

// Reads flags one by one and keeps the first error; later reads do nothing then.
class FlagReader {
 public:
  explicit FlagReader(const Arguments& arguments) : arguments_(arguments) {}

  template <class Out, class Parse>
  void read(std::string_view flag, Out& out, Parse parse) {
    const FlagValue* value = error_ ? nullptr : arguments_.find(flag);
    if (value == nullptr) return;
    auto parsed = parse(value->text);
    if (parsed) {
      out = std::move(*parsed);
    } else {
      refuse(*value, parsed.error().message);
    }
  }
  void text(std::string_view flag, std::optional<std::string>& out) {
    read(flag, out, [](const std::string& given) -> Result<std::string> {
      if (given.empty()) return failure(ErrorCode::kInvalid, "is empty");
      return given;
    });
  }
  void fact(std::string_view flag, bool& out) { out = out || arguments_.has(flag); }
  void word(std::string_view flag, std::optional<std::string>& out,
            std::span<const std::string_view> words) {
    read(flag, out, [&](const std::string& given) -> Result<std::string> {
      if (std::ranges::find(words, given) != words.end()) return given;
      return failure(ErrorCode::kInvalid,
                     fmt::format("'{}' is none of {}", given, fmt::join(words, ", ")));
    });
  }
  template <class Visit>
  void each(std::string_view flag, Visit visit) {
    for (const FlagValue* value : arguments_.all(flag)) {
      if (error_) return;
      if (Result<void> done = visit(value->text); !done) refuse(*value, done.error().message);
    }
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  void refuse(const FlagValue& value, const std::string& why) {
    error_ = bad_value(value, why).value();
  }
  const Arguments& arguments_;
  std::optional<Error> error_;
};

Result<std::vector<std::string>> parse_causes(const std::string& text) {
  std::vector<std::string> causes = split_list(text);
  for (const std::string& cause : causes) {
    if (std::ranges::find(kCauses, cause) != kCauses.end()) continue;
    const std::string near = nearest_word(cause, kCauses.data(), kCauses.size());
    return failure(
        ErrorCode::kInvalid,
        fmt::format("'{}' is no cause of failure{}", cause,
                    near.empty() ? fmt::format("; the causes are {}", fmt::join(kCauses, ", "))
                                 : fmt::format("; did you mean {}?", near)));
  }
  return causes;
}

void read_needs(FlagReader& flags, Submission& out) {
  flags.read("--gpus", out.gpus, parse_gpu_count);
  flags.read("--vram", out.vram_bytes, [](const std::string& t) { return parse_size(t); });
  flags.read("--vram-limit", out.vram_limit_bytes,
             [](const std::string& t) { return parse_size(t); });
  flags.read("--share", out.share_percent, parse_share);
  flags.fact("--exclusive", out.exclusive);
  flags.read("--gpu", out.only_cards, parse_cards);
  flags.read("--not-gpu", out.avoid_cards, parse_cards);
  flags.text("--gpu-type", out.card_type);
  flags.read("--cpus", out.cpus, [](const std::string& t) { return parse_whole(t, 0, kAny); });
  flags.read("--mem", out.ram_bytes, [](const std::string& t) { return parse_size(t); });
  flags.read("--cpu-ok", out.cpu_use, [](const std::string& t) -> Result<std::string> {
    if (t.empty() || t == "prefer") return std::string("prefer");
    if (t == "fallback") return t;
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is neither prefer nor fallback", t));
  });
}

void read_rules(FlagReader& flags, const Surroundings& around, Submission& out) {
  const auto duration = [](const std::string& t) { return parse_duration(t); };
  const auto time = [&](const std::string& t) {
    const Seconds offset = around.offset_at == nullptr ? Seconds{0} : around.offset_at(around.now);
    return parse_time(t, around.now, offset);
  };
  static constexpr std::array<std::string_view, 3> kPreempt = {"auto", "cooperative", "never"};
  flags.read("--priority", out.priority, parse_priority);
  flags.read("--time", out.time_limit, duration);
  flags.read("--signal", out.signal, parse_signal);
  flags.read("--checkpoint", out.checkpoint, parse_checkpoint);
  flags.read("--grace", out.grace, duration);
  flags.read("--back-off", out.back_off, duration);
  flags.read("--begin", out.begin, time);
  flags.read("--expire", out.expire, time);
  flags.read("--deadline", out.deadline, time);
  flags.fact("--restartable", out.restartable);
  flags.fact("--hold", out.hold);
  flags.word("--preempt", out.preempt, kPreempt);
  flags.read("--retries", out.retries, [&](const std::string& t) -> Result<int> {
    const std::size_t colon = t.find(':');
    if (colon != std::string::npos) {
      auto causes = parse_causes(t.substr(colon + 1));
      if (!causes) return failure(causes.error());
      out.retry_causes = std::move(*causes);
    }
    return parse_whole(t.substr(0, colon), 0, 1000);
  });
  flags.read("--retry-on", out.retry_causes, parse_causes);
  flags.each("--after", [&](const std::string& t) -> Result<void> {
    auto entries = parse_after(t);
    if (!entries) return failure(entries.error());
    out.after.insert(out.after.end(), entries->begin(), entries->end());
    return {};
  });
}

void set_variable(std::vector<std::string>& environment, const std::string& pair) {
  const std::string name = pair.substr(0, pair.find('=') + 1);
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name); });
  environment.push_back(pair);
}

void read_identity(FlagReader& flags, const Arguments& arguments, const Surroundings& around,
                   Submission& out) {
  flags.text("--name", out.name);
  flags.text("--group", out.group);
  flags.text("--project", out.project);
  flags.text("--key", out.key);
  flags.text("--output", out.output);
  flags.text("--error", out.error);
  flags.each("--tag", [&](const std::string& t) -> Result<void> {
    for (std::string& tag : split_list(t)) {
      if (tag.empty()) return failure(ErrorCode::kInvalid, "a tag is empty");
      out.tags.push_back(std::move(tag));
    }
    return {};
  });
  if (!arguments.has("--no-env") && !arguments.has("--env-none")) {
    out.environment = around.environment;
  }
  flags.each("--env", [&](const std::string& t) -> Result<void> {
    if (t.empty() || t.front() == '=') {
      return failure(ErrorCode::kInvalid, fmt::format("'{}' is not NAME=VALUE", t));
    }
    if (t.find('=') != std::string::npos) {
      set_variable(out.environment, t);
      return {};
    }
    for (const std::string& entry : around.environment) {  // The name alone: as it is here.
      if (entry.starts_with(t + "=")) {
        set_variable(out.environment, entry);
        return {};
      }
    }
    return failure(ErrorCode::kInvalid, fmt::format("{} is not set here; write {}=VALUE", t, t));
  });
  out.working_directory = around.working_directory;
  flags.read("--cwd", out.working_directory, [&](const std::string& t) -> Result<std::string> {
    if (t.empty()) return failure(ErrorCode::kInvalid, "is empty");
    return t.front() == '/' ? t : around.working_directory + "/" + t;
  });
}

void read_sweep(FlagReader& flags, Submission& out) {
  flags.read("--array", out.array, [](const std::string& t) { return parse_array(t); });
  flags.each("--param", [&](const std::string& t) -> Result<void> {
    auto parameter = parse_parameter(t);
    if (!parameter) return failure(parameter.error());
    out.parameters.push_back(std::move(*parameter));
    return {};
  });
}

Result<void> choose_command(const Arguments& arguments, bool each_line, Submission& out) {
  if (const FlagValue* line = arguments.find("--cmd"); line != nullptr) {
    if (!arguments.command.empty()) {
      return bad_value(*line, "the command is given twice; use --cmd or '-- COMMAND', not both");
    }
    if (line->text.find_first_not_of(" \t\n") == std::string::npos) {
      return bad_value(*line, "the shell line is empty");
    }
    out.command = {line->text};
    out.shell = true;
  } else if (!arguments.command.empty()) {
    out.command = arguments.command;
    if (out.command[0].empty()) {
      return failure(ErrorCode::kInvalid, "the command is an empty word");
    }
  } else if (each_line) {  // Every line is a command of its own.
    out.command = {"{line}"};
    out.shell = true;
  } else {
    return failure(ErrorCode::kInvalid,
                   "there is no command to run; write it after '--': gpusched submit -- python "
                   "train.py");
  }
  return {};
}

Result<void> check_together(const Submission& out, bool each_line) {
  const auto wrong = [](std::string why) { return failure(ErrorCode::kInvalid, std::move(why)); };
  if (out.array && !out.parameters.empty()) {
    return wrong("--array and --param or --each-line exclude each other; use --param index=0:99");
  }
  if (out.gpus && out.gpus->most == 0 && !out.gpus->all &&
      (out.vram_bytes || out.share_percent || out.exclusive || !out.only_cards.empty())) {
    return wrong("--gpus 0 asks for no card, the other flags ask for one; leave one out");
  }
  if (out.vram_limit_bytes && *out.vram_limit_bytes > 0) {
    if (out.gpus && out.gpus->most == 0 && !out.gpus->all) {
      return wrong("--vram-limit needs a card, but --gpus is 0");
    }
    if (*out.vram_limit_bytes < out.vram_bytes.value_or(0)) {
      return wrong("--vram-limit must not be less than --vram");
    }
  }
  if (out.signal && (!out.time_limit || out.time_limit->count() == 0)) {
    return wrong("--signal needs a time limit to come before; add --time");
  }
  if (each_line && std::ranges::none_of(out.command, [](const std::string& word) {
        return word.find("{line}") != std::string::npos;
      })) {
    return wrong("the command does not say where the line belongs; write {line} in it");
  }
  return {};
}

}  // namespace

Result<Submission> read_submission(const Arguments& arguments, const Surroundings& around,
                                   std::vector<std::string> lines) {
  Submission out;
  const bool each_line = arguments.has("--each-line");
  if (auto chosen = choose_command(arguments, each_line, out); !chosen) {
    return failure(chosen.error());
  }
  FlagReader flags(arguments);
  read_needs(flags, out);
  read_rules(flags, around, out);
  read_identity(flags, arguments, around, out);
  read_sweep(flags, out);
  if (flags.error()) return failure(*flags.error());
  if (each_line) {
    if (lines.empty()) return failure(ErrorCode::kInvalid, "--each-line: there is no line to run");
    out.parameters.insert(out.parameters.begin(), Parameter{"line", std::move(lines)});
  }
  out.umask = around.umask;
  out.limits = around.limits;
  if (auto good = check_together(out, each_line); !good) return failure(good.error());
  return out;
}

Result<std::vector<SweepTask>> tasks_of(const Submission& submission) {
  if (submission.parameters.empty()) return std::vector<SweepTask>();
  return cross_product(submission.parameters);
}

std::vector<std::string> unused_parameters(const Submission& submission) {
  std::vector<std::string> unused;
  for (const Parameter& parameter : submission.parameters) {
    const std::string placeholder = "{" + parameter.name + "}";
    if (std::ranges::none_of(submission.command, [&](const std::string& word) {
          return word.find(placeholder) != std::string::npos;
        })) {
      unused.push_back(placeholder);
    }
  }
  return unused;
}

}  // namespace gpusched::cli
