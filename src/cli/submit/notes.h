// What is odd about a submission that is accepted all the same: placeholders that nothing fills in,
// parameters that nothing uses, directories that are not there. For notes to the user.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/submit/submission.h"

namespace gpusched::cli {

// Whether a directory is there, as far as that can be seen.
using DirectoryLook = std::function<bool(const std::string& path)>;
bool is_directory_or_hidden(const std::string& path);

// Sentences. `tasks` are those of the sweep; of many only the first are looked at.
std::vector<std::string> notes_on(const Submission& submission, const std::vector<SweepTask>& tasks,
                                  const DirectoryLook& is_there = is_directory_or_hidden);

// The placeholders of a text that have none of these names: "{indx}".
std::vector<std::string> unknown_placeholders(std::string_view text,
                                              std::span<const std::string_view> names);
// "--name: nothing fills in {indx}; did you mean {index}?"
std::vector<std::string> notes_on_placeholders(const Written& written,
                                               std::span<const std::string_view> names);

}  // namespace gpusched::cli
