#include "wire/submit_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/model/notify_wish.h"
#include "core/model/spec_conflicts.h"
#include "wire/labels.h"
#include "wire/shared_files.h"

namespace gpusched {
namespace {

// The kernel takes no longer argument or variable (MAX_ARG_STRLEN, 32 pages of 4 KiB).
constexpr std::size_t kArgumentMost = 128 * 1024 - 1;
constexpr std::size_t kPathMost = 4095;
constexpr std::size_t kChangeMost = 16U << 10;

// SIGKILL and SIGSTOP as every Linux numbers them.
constexpr int kSignalKill = 9;
constexpr int kSignalStop = 19;

using Fault = std::optional<std::string>;

Fault fault_of_command(const JobSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty()) return "command must not be empty";
  if (spec.shell && spec.argv.size() > 1) {
    return "command must be one line when shell is true";
  }
  for (const std::string& argument : spec.argv) {
    if (argument.size() > kArgumentMost) {
      return fmt::format("command has an argument of {} bytes; the kernel takes at most {}",
                         argument.size(), kArgumentMost);
    }
  }
  return std::nullopt;
}

Fault fault_of_path(std::string_view field, const std::string& path) {
  if (path.size() > kPathMost) {
    return fmt::format("{} has {} bytes; the kernel takes at most {}", field, path.size(),
                       kPathMost);
  }
  return std::nullopt;
}

Fault fault_of_paths(const JobSpec& spec, FieldName name) {
  if (spec.working_directory.empty()) {
    return fmt::format("{} is missing", name("working_directory"));
  }
  if (spec.working_directory[0] != '/') {
    return fmt::format("{} must be an absolute path, not \"{}\"", name("working_directory"),
                       spec.working_directory);
  }
  for (const auto& [field, path] : {std::pair("working_directory", &spec.working_directory),
                                    std::pair("output_path", &spec.extras->output_path),
                                    std::pair("error_path", &spec.extras->error_path)}) {
    if (Fault fault = fault_of_path(name(field), *path)) return fault;
  }
  return std::nullopt;
}

Fault fault_of_environment(const JobSpec& spec) {
  if (spec.environment == nullptr) return std::nullopt;
  for (const std::string& variable : spec.environment->variables) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) {
      return "environment must be a list of NAME=value";
    }
    if (variable.size() > kArgumentMost) {
      return fmt::format("environment has a variable {} of {} bytes; the kernel takes at most {}",
                         variable.substr(0, std::min<std::size_t>(equals, 60)), variable.size(),
                         kArgumentMost);
    }
  }
  return std::nullopt;
}

Fault fault_of_variables(const JobSpec& spec, FieldName name) {
  for (const std::string& variable : spec.extras->variables) {
    if (variable.empty() || variable[0] == '=') {
      return fmt::format("{} must be a list of NAME=value, or of NAME to take it away",
                         name("variables"));
    }
    if (variable.size() > kArgumentMost) {
      return fmt::format("{} has a variable of {} bytes; the kernel takes at most {}",
                         name("variables"), variable.size(), kArgumentMost);
    }
  }
  return std::nullopt;
}

Fault fault_of_signals(const JobSpec& spec, FieldName name) {
  if (spec.time.warn_signal != 0) {
    if (spec.time.limit == Seconds{0}) {
      return fmt::format("{} needs a {} to come before", name("signal"), name("time_limit_s"));
    }
    if (spec.time.warn_before >= spec.time.limit) {
      return fmt::format("{} must be less than {}", name("signal.before_s"), name("time_limit_s"));
    }
  }
  if (spec.saves && (spec.saves->signal == kSignalKill || spec.saves->signal == kSignalStop)) {
    return fmt::format("{} must be one that a program can catch", name("checkpoint.signal"));
  }
  return std::nullopt;
}

Fault fault_of_after(const JobSpec& spec, FieldName name) {
  std::set<JobId> seen;
  for (const Dependency& dependency : spec.extras->after) {
    if (!seen.insert(dependency.job).second) {
      return fmt::format("{} names job {} twice", name("after"), number_of(dependency.job));
    }
  }
  return std::nullopt;
}

Fault fault_of_notify(const JobSpec& spec, FieldName name) {
  const std::vector<std::string>& wishes = spec.extras->notify;
  if (wishes.size() > kNotifyWishesMost) {
    return fmt::format("{} has {} entries; at most {} are kept", name("notify"), wishes.size(),
                       kNotifyWishesMost);
  }
  for (const std::string& wish : wishes) {
    if (const auto fault = fault_of_notify_wish(wish)) {
      return fmt::format("{}: {}", name("notify"), *fault);
    }
  }
  return std::nullopt;
}

Fault fault_of_tasks(const SubmitBody& body, FieldName name) {
  for (const SubmitAsked::Task& task : body.tasks) {
    for (const auto& [parameter, value] : task.values) {
      if (value.size() > kArgumentMost) {
        return fmt::format("tasks has a value for {} of {} bytes; the kernel takes at most {}",
                           parameter, value.size(), kArgumentMost);
      }
    }
  }
  if (body.spec.attach != Attach::kNone && body.array) {
    return "attach is for a single job, not for an array or sweep";
  }
  const SpecExtras& extras = *body.spec.extras;
  return fault_of_shared_files({body.spec.working_directory, extras.output_path, extras.error_path},
                               {body.tasks.size(),
                                [&](std::size_t i) {
                                  return TaskRef{body.tasks[i].index, body.tasks[i].values};
                                }},
                               name);
}

// A change is kept for each job it names, so it may not be large.
Fault fault_of_change_size(const JobSpec& values) {
  std::size_t bytes = 0;
  for (const auto* texts : {&values.argv, &values.extras->variables}) {
    for (const std::string& text : *texts) bytes += text.size();
  }
  if (bytes <= kChangeMost) return std::nullopt;
  return fmt::format("a new command and its variables may have at most {} bytes; these have {}",
                     kChangeMost, bytes);
}

}  // namespace

std::optional<std::string> fault_of(const JobPatch& patch, FieldName name) {
  const JobSpec& values = patch.values();
  Fault fault;
  if (patch.has(&JobSpec::argv)) fault = fault_of_command(values);
  if (!fault && patch.has(&JobSpec::working_directory)) fault = fault_of_paths(values, name);
  if (!fault) fault = fault_of_variables(values, name);
  if (!fault) fault = fault_of_change_size(values);
  if (!fault) fault = fault_of_labels(values, name);
  if (!fault) fault = fault_of_after(values, name);
  if (!fault) fault = fault_of_notify(values, name);
  return fault;
}

std::optional<std::string> fault_of(const SubmitBody& body, FieldName name) {
  Fault fault = fault_of_command(body.spec);
  if (!fault) fault = fault_of_paths(body.spec, name);
  if (!fault) fault = fault_of_environment(body.spec);
  if (!fault) fault = fault_of_variables(body.spec, name);
  if (!fault) fault = fault_of_labels(body.spec, name);
  if (!fault) fault = conflict_in(body.spec, name);
  if (!fault) fault = fault_of_signals(body.spec, name);
  if (!fault) fault = fault_of_after(body.spec, name);
  if (!fault) fault = fault_of_notify(body.spec, name);
  if (!fault) fault = fault_of_tasks(body, name);
  return fault;
}

}  // namespace gpusched
