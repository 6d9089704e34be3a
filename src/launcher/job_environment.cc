// The variables that a job's command gets.
#include <algorithm>
#include <string_view>

#include "launcher/command.h"

namespace gpusched {
namespace {

// Not every job gets these. A job that submits another must not hand on its own.
constexpr std::string_view kOursAlone[] = {"GPUSCHED_ARRAY_ID",
                                           "GPUSCHED_ARRAY_INDEX",
                                           "GPUSCHED_CHECKPOINT_REQUEST",
                                           "GPUSCHED_CHECKPOINT_SIGNAL",
                                           "GPUSCHED_GRACE",
                                           "GPUSCHED_RESUME",
                                           "GPUSCHED_MPS"};
constexpr std::string_view kOfSweeps = "GPUSCHED_PARAM_";
// What came with GPUSCHED_MPS; without it they are the submitter's own.
constexpr std::string_view kOfMpsJobs[] = {"CUDA_MPS_PIPE_DIRECTORY",
                                           "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                           "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"};

}  // namespace

std::vector<std::string> merged_environment(const CommandOrder& order) {
  std::vector<std::string> merged;
  const auto has_name = [](const std::string& variable, std::string_view name) {
    return variable.size() > name.size() && variable[name.size()] == '=' &&
           variable.compare(0, name.size(), name) == 0;
  };
  const bool by_mps_job =
      order.environment &&
      std::ranges::any_of(order.environment->variables, [&](const std::string& variable) {
        return has_name(variable, "GPUSCHED_MPS");
      });
  const auto replaced = [&](const std::string& variable) {
    for (const std::string_view name : kOfMpsJobs) {
      if (by_mps_job && has_name(variable, name)) return true;
    }
    if (variable.starts_with(kOfSweeps)) return true;
    for (const std::string_view name : kOursAlone) {
      if (has_name(variable, name)) return true;
    }
    for (const auto& [name, value] : order.added_variables) {
      if (has_name(variable, name)) return true;
    }
    return false;
  };
  if (order.environment) {
    merged.reserve(order.environment->variables.size() + order.added_variables.size());
    for (const std::string& variable : order.environment->variables) {
      if (!replaced(variable)) merged.push_back(variable);
    }
  }
  for (const auto& [name, value] : order.added_variables) merged.push_back(name + "=" + value);
  return merged;
}

}  // namespace gpusched
