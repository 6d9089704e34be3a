#include "wire/submit_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "wire/labels.h"

namespace gpusched {
namespace {

// The kernel takes no longer argument or variable (MAX_ARG_STRLEN, 32 pages of 4 KiB).
constexpr std::size_t kArgumentMost = 128 * 1024 - 1;
constexpr std::size_t kTagsMost = 64;
constexpr std::size_t kPathMost = 4095;

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

Fault fault_of_path(const char* field, const std::string& path) {
  if (path.size() > kPathMost) {
    return fmt::format("{} has {} bytes; the kernel takes at most {}", field, path.size(),
                       kPathMost);
  }
  return std::nullopt;
}

Fault fault_of_paths(const JobSpec& spec) {
  if (spec.working_directory.empty()) return "working_directory is missing";
  if (spec.working_directory[0] != '/') {
    return fmt::format("working_directory must be an absolute path, not \"{}\"",
                       spec.working_directory);
  }
  for (const auto& [field, path] : {std::pair("working_directory", &spec.working_directory),
                                    std::pair("output_path", &spec.rare->output_path),
                                    std::pair("error_path", &spec.rare->error_path)}) {
    if (Fault fault = fault_of_path(field, *path)) return fault;
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

Fault fault_of_labels(const JobSpec& spec) {
  for (const auto& [field, text] :
       {std::pair("name", &spec.name), std::pair("group", &spec.group),
        std::pair("project", &spec.project), std::pair("key", &spec.rare->key),
        std::pair("card_type", &spec.needs.cards->type)}) {
    if (Fault fault = fault_of_label(field, *text)) return fault;
  }
  if (spec.rare->tags.size() > kTagsMost) {
    return fmt::format("tags has {} entries; at most {} are kept", spec.rare->tags.size(),
                       kTagsMost);
  }
  for (const std::string& tag : spec.rare->tags) {
    if (tag.empty()) return "tags must not hold an empty string";
    if (Fault fault = fault_of_label("tags", tag)) return fault;
  }
  return std::nullopt;
}

Fault fault_of_needs(const Needs& needs) {
  if (!needs.wants_cards()) {
    if (needs.vram_bytes > 0) return "vram_bytes needs a card, but gpus is 0";
    if (needs.share_percent > 0) return "share_percent needs a card, but gpus is 0";
    if (needs.exclusive) return "exclusive needs a card, but gpus is 0";
    if (!needs.cards->only.empty()) return "only_cards needs a card, but gpus is 0";
  }
  const CardList& avoid = needs.cards->avoid;
  for (const CardNumber card : needs.cards->only.numbers) {
    if (std::ranges::find(avoid.numbers, card) != avoid.numbers.end()) {
      return fmt::format("only_cards and avoid_cards both name card {}", number_of(card));
    }
  }
  for (const std::string& name : needs.cards->only.names) {
    if (std::ranges::find(avoid.names, name) != avoid.names.end()) {
      return fmt::format("only_cards and avoid_cards both name '{}'", name);
    }
  }
  return std::nullopt;
}

Fault fault_of_limit(const JobSpec& spec) {
  if (spec.rare->vram_limit_bytes == 0) return std::nullopt;
  if (!spec.needs.wants_cards()) return "vram_limit_bytes needs a card, but gpus is 0";
  if (spec.rare->vram_limit_bytes < spec.needs.vram_bytes) {
    return "vram_limit_bytes must not be less than vram_bytes";
  }
  return std::nullopt;
}

Fault fault_of_times(const JobSpec& spec) {
  if (spec.rare->begin && spec.rare->expire && *spec.rare->expire <= *spec.rare->begin) {
    return "expire must be later than begin";
  }
  if (spec.rare->begin && spec.rare->deadline && *spec.rare->deadline <= *spec.rare->begin) {
    return "deadline must be later than begin";
  }
  if (spec.time.warn_signal != 0) {
    if (spec.time.limit == Seconds{0}) return "signal needs a time_limit_s to come before";
    if (spec.time.warn_before >= spec.time.limit) {
      return "signal.before_s must be less than time_limit_s";
    }
  }
  if (spec.saves && (spec.saves->signal == kSignalKill || spec.saves->signal == kSignalStop)) {
    return "checkpoint.signal must be one that a program can catch";
  }
  std::set<JobId> seen;
  for (const Dependency& dependency : spec.rare->after) {
    if (!seen.insert(dependency.job).second) {
      return fmt::format("after names job {} twice", number_of(dependency.job));
    }
  }
  return std::nullopt;
}

Fault fault_of_tasks(const SubmitBody& body) {
  for (const SubmitAsked::Task& task : body.tasks) {
    for (const auto& [name, value] : task.values) {
      if (value.size() > kArgumentMost) {
        return fmt::format("tasks has a value for {} of {} bytes; the kernel takes at most {}",
                           name, value.size(), kArgumentMost);
      }
    }
  }
  if (body.spec.attach != Attach::kNone && body.array) {
    return "attach is for a single job, not for an array or sweep";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fault_of(const SubmitBody& body) {
  Fault fault = fault_of_command(body.spec);
  if (!fault) fault = fault_of_paths(body.spec);
  if (!fault) fault = fault_of_environment(body.spec);
  if (!fault) fault = fault_of_labels(body.spec);
  if (!fault) fault = fault_of_needs(body.spec.needs);
  if (!fault) fault = fault_of_limit(body.spec);
  if (!fault) fault = fault_of_times(body.spec);
  if (!fault) fault = fault_of_tasks(body);
  return fault;
}

}  // namespace gpusched
