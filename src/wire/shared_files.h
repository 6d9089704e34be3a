// Two jobs of one sweep that would write to the same file: each would destroy what the other says.
// Costs no string per job, so that a sweep of a hundred thousand is judged in passing.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "core/model/placeholders.h"
#include "wire/labels.h"

namespace gpusched {

struct TaskRef {
  std::uint32_t index = 0;
  const TaskValues& values;
};
struct SweepRef {
  std::size_t count = 0;
  std::function<TaskRef(std::size_t)> at;
};

// The paths as they are asked for, with placeholders; empty: the job's own log.
struct WrittenPaths {
  const std::string& working_directory;
  const std::string& output;
  const std::string& error;
};

// One sentence, or nothing. Devices such as /dev/null may be shared.
std::optional<std::string> fault_of_shared_files(const WrittenPaths& paths, const SweepRef& sweep,
                                                 FieldName name = as_in_json);

}  // namespace gpusched
