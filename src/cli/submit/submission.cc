#include "cli/submit/submission.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flag_body.h"
#include "cli/submit/origin.h"
#include "cli/submit/submit_flags.h"
#include "core/model/placeholders.h"
#include "core/model/spec_fields.h"
#include "wire/shared_files.h"
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

bool has_placeholder(std::string_view text, const Submission& of) {
  const auto has = [text](std::string_view name) {
    return text.find(fmt::format("{{{}}}", name)) != std::string_view::npos;
  };
  const bool sweep = of.array || !of.parameters.empty();
  return (sweep && has("index")) ||
         std::ranges::any_of(of.parameters, has, [](const Parameter& p) { return p.name; });
}

// What differs from job to job goes on top of what they share.
void set_own_variable(Submission& out, const std::string& pair) {
  const bool own = has_placeholder(std::string_view(pair).substr(pair.find('=')), out);
  set_variable(own ? out.variables : out.environment, pair);
  auto& other = own ? out.environment : out.variables;
  const std::string name = pair.substr(0, pair.find('=') + 1);
  std::erase_if(other, [&](const std::string& entry) { return entry.starts_with(name); });
}

void read_process(FlagReader& flags, const Arguments& arguments, const Surroundings& around,
                  Submission& out) {
  if (!arguments.has("--no-env") && !arguments.has("--env-none")) {
    out.environment = around.environment;
  }
  flags.each("--env", [&](const std::string& t) -> Result<void> {
    auto variable = variable_of(t, around);
    if (!variable) return failure(variable.error());
    if (t.find('=') == std::string::npos) {
      set_variable(out.environment, *variable);
    } else {
      set_own_variable(out, *variable);
    }
    return {};
  });
  out.working_directory = around.working_directory;
  flags.read("--cwd", out.working_directory, [&](const std::string& t) -> Result<std::string> {
    if (t.empty()) return failure(ErrorCode::kInvalid, "is empty");
    if (t.front() != '/' && around.working_directory.empty()) {
      return failure(ErrorCode::kInvalid, "must be a whole path of the daemon's machine");
    }
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

// The shell of a file with defaults waits for a line; one that was typed has nothing to do.
Result<Arguments> with_shell_if_used(Arguments arguments, bool line) {
  const FlagValue* shell = arguments.find("--shell");
  if (line || shell == nullptr) return arguments;
  if (shell->where.empty()) {
    return bad_value(*shell, "there is no line for it; write the command as --cmd 'LINE'");
  }
  arguments.remove("--shell");
  return arguments;
}

// All that may hold placeholders.
std::vector<Written> texts_of(const Arguments& arguments, const Submission& of) {
  std::vector<Written> texts;
  for (const std::string& word : of.command) texts.push_back({"", word});
  for (const std::string_view flag : {"--output", "--error", "--name", "--tag", "--cwd", "--env"}) {
    for (const FlagValue* value : arguments.all(flag)) texts.push_back({flag, value->text});
  }
  return texts;
}

Result<void> check_names(const std::vector<Parameter>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const std::string variable = parameter_variable(parameters[i].name);
      if (variable != parameter_variable(parameters[k].name)) continue;
      return failure(ErrorCode::kInvalid,
                     fmt::format("--param: {} and {} would both be the variable {}; rename one",
                                 parameters[k].name, parameters[i].name, variable));
    }
  }
  return {};
}

Result<void> check_together(const Submission& out, bool each_line) {
  const auto wrong = [](std::string why) { return failure(ErrorCode::kInvalid, std::move(why)); };
  if (out.array && !out.parameters.empty()) {
    return wrong("--array and --param or --each-line exclude each other; use --param index=0:99");
  }
  if (each_line && std::ranges::none_of(out.written, [](const Written& one) {
        return one.text.find("{line}") != std::string::npos;
      })) {
    return wrong("the command does not say where the line belongs; write {line} in it");
  }
  if (out.parameters.size() > spec_fields::kParametersMost) {
    return wrong(fmt::format("a sweep may have at most {} parameters; this one has {}",
                             spec_fields::kParametersMost, out.parameters.size()));
  }
  return check_names(out.parameters);
}

}  // namespace

Result<std::string> variable_of(const std::string& text, const Surroundings& around) {
  if (text.empty() || text.front() == '=') {
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is not NAME=VALUE", text));
  }
  if (text.find('=') != std::string::npos) return text;
  for (const std::string& entry : around.named.empty() ? around.environment : around.named) {
    if (entry.starts_with(text + "=")) return entry;
  }
  return failure(ErrorCode::kInvalid,
                 fmt::format("{} is not set here; write {}=VALUE", text, text));
}

std::string_view flag_of(std::string_view field) {
  const std::string_view name = field.substr(0, field.find('.'));
  if (name == "variables") return "--env";
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
  auto used = with_shell_if_used(arguments, out.shell);
  if (!used) return failure(used.error());
  FlagBody fields({.arguments = *used, .now = around.now, .offset_at = around.offset_at});
  fields.add(kSubmitSections);
  auto said = fields.fields();
  if (!said) return failure(said.error());
  out.fields = std::move(*said);
  FlagReader flags(arguments);
  read_sweep(flags, out);
  if (each_line) {
    if (lines.empty()) return failure(ErrorCode::kInvalid, "--each-line: there is no line to run");
    out.parameters.insert(out.parameters.begin(), Parameter{"line", std::move(lines)});
  }
  read_process(flags, arguments, around, out);
  if (flags.error()) return failure(*flags.error());
  out.output = arguments.text("--output");
  out.error = arguments.text("--error");
  out.written = texts_of(arguments, out);
  out.has_key = !arguments.text("--key").empty();
  out.umask = around.umask;
  out.elsewhere = around.elsewhere;
  out.limits = around.limits;
  if (auto good = check_together(out, each_line); !good) return failure(good.error());
  // A sweep is spread out from here on: better not from what is wrong.
  if (out.array || !out.parameters.empty()) {
    if (auto good = check_submission(out); !good) return failure(good.error());
  }
  return out;
}

Result<void> check_submission(const Submission& submission) {
  if (auto good = parse_submit(write_single(submission), {}, flag_of); !good) {
    return failure(good.error());
  }
  return {};
}

Error refused(const Submission& submission, Error by_daemon) {
  const auto good = check_submission(submission);
  return with_origin(good ? std::move(by_daemon) : good.error(), submission.defaults);
}

namespace {

// The daemon would say the same, with the names of its fields.
Result<void> check_files(const Submission& of, const std::vector<SweepTask>& tasks) {
  std::vector<std::uint32_t> indices;
  if (of.array) {
    auto read = parse_indices(of.array->indices, kSweepTasksMost, "--array");
    if (!read) return failure(read.error());
    indices = std::move(*read);
  }
  if (of.output.empty() && of.error.empty()) return {};
  static const TaskValues kNoValues;
  const auto at = [&](std::size_t i) {
    return of.array ? TaskRef{indices[i], kNoValues}
                    : TaskRef{static_cast<std::uint32_t>(i), tasks[i]};
  };
  const std::size_t count = of.array ? indices.size() : tasks.size();
  auto fault =
      fault_of_shared_files({of.working_directory, of.output, of.error}, {count, at}, flag_of);
  if (fault) return failure(ErrorCode::kInvalid, std::move(*fault));
  return {};
}

}  // namespace

Result<std::vector<SweepTask>> tasks_of(const Submission& submission) {
  std::vector<SweepTask> tasks;
  if (!submission.parameters.empty()) {
    auto product = cross_product(submission.parameters);
    if (!product) return product;
    tasks = std::move(*product);
  }
  if (auto good = check_files(submission, tasks); !good) return failure(good.error());
  return tasks;
}

}  // namespace gpusched::cli
