#include "cli/submit/submission.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flag_body.h"
#include "cli/submit/submit_flags.h"
#include "wire/submit.h"

namespace gpusched::cli {
namespace {

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

void set_variable(std::vector<std::string>& environment, const std::string& pair) {
  const std::string name = pair.substr(0, pair.find('=') + 1);
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name); });
  environment.push_back(pair);
}

void read_process(FlagReader& flags, const Arguments& arguments, const Surroundings& around,
                  Submission& out) {
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
  flags.each("--after", [&](const std::string& t) -> Result<void> {
    auto entries = parse_after(t);
    if (!entries) return failure(entries.error());
    out.after.insert(out.after.end(), entries->begin(), entries->end());
    return {};
  });
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
  if (each_line && std::ranges::none_of(out.command, [](const std::string& word) {
        return word.find("{line}") != std::string::npos;
      })) {
    return wrong("the command does not say where the line belongs; write {line} in it");
  }
  return {};
}

}  // namespace

std::string_view flag_of(std::string_view field) {
  const std::string_view name = field.substr(0, field.find('.'));
  for (const FlagSection& section : kSubmitSections) {
    const auto flag = std::ranges::find(section.flags, name, &Flag::field);
    if (flag != section.flags.end()) return flag->name;
  }
  return field;
}

Result<Submission> read_submission(const Arguments& arguments, const Surroundings& around,
                                   std::vector<std::string> lines) {
  Submission out;
  const bool each_line = arguments.has("--each-line");
  if (auto chosen = choose_command(arguments, each_line, out); !chosen) {
    return failure(chosen.error());
  }
  FlagBody fields({.arguments = arguments, .now = around.now, .offset_at = around.offset_at});
  fields.add(kSubmitSections);
  auto said = fields.fields();
  if (!said) return failure(said.error());
  out.fields = std::move(*said);
  FlagReader flags(arguments);
  read_process(flags, arguments, around, out);
  read_sweep(flags, out);
  if (flags.error()) return failure(*flags.error());
  if (each_line) {
    if (lines.empty()) return failure(ErrorCode::kInvalid, "--each-line: there is no line to run");
    out.parameters.insert(out.parameters.begin(), Parameter{"line", std::move(lines)});
  }
  out.umask = around.umask;
  out.limits = around.limits;
  if (auto good = check_together(out, each_line); !good) return failure(good.error());
  // With the daemon's own eyes, but for what only the daemon knows.
  if (auto good = parse_submit(write_single(out), {}, flag_of); !good) {
    return failure(good.error());
  }
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
