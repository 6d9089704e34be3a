// Names that people give: of jobs, groups, projects, tags, keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpusched {

// The first thing wrong with a name, tag, group, project or key; `field` begins the sentence.
std::optional<std::string> fault_of_label(std::string_view field, std::string_view text);

}  // namespace gpusched
