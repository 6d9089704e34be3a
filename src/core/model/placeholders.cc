#include "core/model/placeholders.h"

#include <map>
#include <set>

#include "core/model/spec_fields.h"

namespace gpusched {
namespace {

// The kernel takes no longer variable (MAX_ARG_STRLEN, 32 pages of 4 KiB).
constexpr std::size_t kVariableMost = 128 * 1024 - 1;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// A value may be longer than a label, and may hold anything.
std::string label_in(const std::string& text, const Job& job) {
  if (!job.task) return text;
  std::string label = fill_in(text, *job.task);
  std::ranges::replace_if(label, is_control, '?');
  std::size_t end = std::min<std::size_t>(label.size(), spec_fields::kLabelMost);
  while (end > 0 && end < label.size() &&
         (static_cast<unsigned char>(label[end]) & 0xc0U) == 0x80U) {
    --end;
  }
  label.resize(end);
  return label;
}

// Of "NAME=value", or of "NAME".
std::string_view name_in(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::string path_in(const std::string& path, const Job& job) {
  std::string filled = fill_in(path, job);
  if (filled.empty() || filled[0] == '/') return filled;
  return working_directory_of(job) + "/" + filled;
}

}  // namespace

std::string fill_in(std::string_view text, const ArrayTask& task) {
  std::string filled;
  fill_in_pieces(text, task.index, task.values, [&](std::string_view piece) { filled += piece; });
  return filled;
}

std::string fill_in(std::string_view text, const Job& job) {
  return job.task ? fill_in(text, *job.task) : std::string(text);
}

std::string name_of(const Job& job) { return label_in(job.spec->name, job); }

std::vector<std::string> tags_of(const Job& job) {
  std::vector<std::string> tags = job.spec->extras->tags;
  for (std::string& tag : tags) tag = label_in(tag, job);
  return tags;
}

std::string name_of(const Job& job, Values values) {
  return values == Values::kShown ? name_of(job) : job.spec->name;
}

std::vector<std::string> tags_of(const Job& job, Values values) {
  return values == Values::kShown ? tags_of(job) : job.spec->extras->tags;
}

std::string working_directory_of(const Job& job) {
  return fill_in(job.spec->working_directory, job);
}

std::string output_path_of(const Job& job) { return path_in(job.spec->extras->output_path, job); }

std::string error_path_of(const Job& job) { return path_in(job.spec->extras->error_path, job); }

std::vector<std::string> with_own_variables(std::vector<std::string> variables, const Job& job) {
  const std::vector<std::string>& own = job.spec->extras->variables;
  if (own.empty()) return variables;
  // There may be very many of both: each is looked at once. Of one name the last counts.
  std::map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; i < own.size(); ++i) last[name_in(own[i])] = i;
  std::erase_if(variables, [&](const std::string& one) {
    return one.find('=') != std::string::npos && last.contains(name_in(one));
  });
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::string_view name = name_in(own[i]);
    if (last[name] != i || name.size() == own[i].size()) continue;
    const std::string_view value = std::string_view(own[i]).substr(name.size() + 1);
    variables.push_back(std::string(name) + "=" + fill_in(value, job));
  }
  return variables;
}

JobSpec filled_in_spec(const Job& job) {
  JobSpec spec = *job.spec;
  spec.name = name_of(job);
  spec.working_directory = working_directory_of(job);
  if (spec.extras.unset()) return spec;
  SpecExtras& extras = spec.extras.edit();
  extras.tags = tags_of(job);
  extras.output_path = fill_in(extras.output_path, job);
  extras.error_path = fill_in(extras.error_path, job);
  return spec;
}

std::string parameter_variable(std::string_view name) {
  std::string variable(kParameterPrefix);
  for (const char c : name) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool kept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    variable += lower ? static_cast<char>(c - 'a' + 'A') : kept ? c : '_';
  }
  return variable;
}

std::vector<std::pair<std::string, std::string>> parameter_variables(const ArrayTask& task) {
  std::vector<std::pair<std::string, std::string>> variables;
  std::set<std::string> taken;  // A task may have very many.
  for (const auto& [name, value] : task.values) {
    std::string variable = parameter_variable(name);
    if (variable.size() + 1 + value.size() > kVariableMost) continue;
    if (!taken.insert(variable).second) continue;
    variables.emplace_back(std::move(variable), value);
  }
  return variables;
}

}  // namespace gpusched
