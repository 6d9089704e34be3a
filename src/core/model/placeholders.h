// Placeholders in what a user wrote: {lr} from a sweep's values, {line} from --each-line, {index}
// from an array. The jobs of a sweep share one spec, so they are filled in for one job at a time,
// when it starts or is shown. What is not a known name stays as it was written, so that shell and
// JSON braces survive.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/job.h"

namespace gpusched {

using TaskValues = std::vector<std::pair<std::string, std::string>>;

// Gives `text` to `take` piece by piece, with the values in their places. Looks no further for the
// end of a name than names are long: text with many braces costs as much as text without.
template <class Take>
void fill_in_pieces(std::string_view text, std::uint32_t index, const TaskValues& values,
                    Take take) {
  std::size_t longest = std::string_view("index").size();
  for (const auto& [name, value] : values) longest = std::max(longest, name.size());
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    take(text.substr(0, open));
    if (open == std::string_view::npos) return;
    text.remove_prefix(open);
    const std::string_view name = text.substr(1, text.substr(1, longest + 1).find('}'));
    const bool closed = name.size() + 1 < text.size() && text[name.size() + 1] == '}';
    const auto value = std::ranges::find(values, name, &TaskValues::value_type::first);
    if (closed && value != values.end()) {
      take(std::string_view(value->second));
      text.remove_prefix(name.size() + 2);
    } else if (closed && name == "index") {
      std::array<char, 10> digits{};
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
      take(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
      text.remove_prefix(name.size() + 2);
    } else {
      take(text.substr(0, 1));
      text.remove_prefix(1);
    }
  }
}

std::string fill_in(std::string_view text, const ArrayTask& task);
// As it is for a single job.
std::string fill_in(std::string_view text, const Job& job);

// What is shown of a job; no longer than labels may be, and without control characters.
std::string name_of(const Job& job);
std::vector<std::string> tags_of(const Job& job);
// The same as somebody else sees them. The values of a sweep are part of what a job runs: without
// them placeholders stay as they were written.
enum class Values : std::uint8_t { kShown, kHidden };
std::string name_of(const Job& job, Values values);
std::vector<std::string> tags_of(const Job& job, Values values);
std::string working_directory_of(const Job& job);
// Empty: the job's log. Else an absolute path.
std::string output_path_of(const Job& job);
// Empty: with the output. Else an absolute path.
std::string error_path_of(const Job& job);
// `variables` with what the job has on top of them, ready for execve.
std::vector<std::string> with_own_variables(std::vector<std::string> variables, const Job& job);
// The spec with names, tags and places filled in, for those who look at one job.
JobSpec filled_in_spec(const Job& job);

// "GPUSCHED_PARAM_LR" of "lr": upper case, and every other character an underscore.
inline constexpr std::string_view kParameterPrefix = "GPUSCHED_PARAM_";
std::string parameter_variable(std::string_view name);
// Each of a sweep's values in such a variable. Of two names that give the same one the first
// counts, and what the kernel would not take is left out.
std::vector<std::pair<std::string, std::string>> parameter_variables(const ArrayTask& task);

}  // namespace gpusched
