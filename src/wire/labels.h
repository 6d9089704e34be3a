// Texts that people give: names of jobs, groups and projects, tags, keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/spec_conflicts.h"
#include "core/model/spec_fields.h"

namespace gpusched {

// A field is called by its name in JSON, or by its flag.
inline std::string_view as_in_json(std::string_view field) { return field; }

// The first thing wrong with a name, tag, group, project or key; `field` begins the sentence.
std::optional<std::string> fault_of_label(std::string_view field, std::string_view text,
                                          std::uint64_t most = spec_fields::kLabelMost);
// With any text of a spec that has a limit.
std::optional<std::string> fault_of_labels(const JobSpec& spec, FieldName name = as_in_json);

}  // namespace gpusched
