// What a job asks for that cannot be had together. One list for new jobs and for changed ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/job.h"

namespace gpusched {

// What a field is called in a sentence to whoever gave it.
using FieldName = std::string_view (*)(std::string_view field);

std::optional<std::string> conflict_in(const JobSpec& spec, FieldName name);

}  // namespace gpusched
