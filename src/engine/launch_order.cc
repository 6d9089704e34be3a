#include "engine/launch_order.h"

#include <string_view>

#include "core/check.h"

namespace gpusched {
namespace {

// The driver counts the cards that are there now; people's numbers stay with their cards.
std::string device_of(const State& state, CardNumber number, bool by_uuid) {
  const auto position = state.index_of(number);
  if (!position) return std::to_string(number_of(number));
  const Card& card = state.cards()[*position];
  if (by_uuid) return card.uuid;
  return std::to_string(card.driver_index ? static_cast<int>(*card.driver_index)
                                          : number_of(number));
}

std::string visible_devices(const State& state, const Grant& grant, bool by_uuid) {
  std::string list;
  for (const CardGrant& held : grant.cards) {
    if (!list.empty()) list += ',';
    list += device_of(state, held.card, by_uuid);
  }
  return list;
}

std::string before_own_libraries(const std::string& directory, const JobSpec& spec) {
  constexpr std::string_view kName = "LD_LIBRARY_PATH=";
  for (const std::string& variable : spec.environment->variables) {
    if (variable.starts_with(kName) && variable.size() > kName.size()) {
      return directory + ":" + variable.substr(kName.size());
    }
  }
  return directory;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> card_variables_of(const State& state,
                                                                   const Grant& grant,
                                                                   const Engine::Options& options) {
  const std::string devices = visible_devices(state, grant, options.devices_by_uuid);
  // Indices mean PCI order to us; CUDA's own default is "fastest first".
  return {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
          {"CUDA_VISIBLE_DEVICES", devices},
          {"NVIDIA_VISIBLE_DEVICES", devices.empty() ? "void" : devices}};
}

LaunchOrder launch_order_of(const State& state, const Job& job, const Engine::Options& options) {
  const auto* starting = std::get_if<Starting>(&job.state);
  CHECK(starting != nullptr);
  const JobSpec& spec = *job.spec;
  LaunchOrder order;
  order.attempt = job.current_attempt();
  order.argv = command_of(job);
  order.environment = spec.environment;
  order.added_variables = card_variables_of(state, starting->grant, options);
  const std::pair<std::string, std::string> own[] = {
      {"GPUSCHED_JOB_ID", to_string(job.id)},
      {"GPUSCHED_ATTEMPT", std::to_string(job.attempt)},
      {"GPUSCHED_CHECKPOINT_DIR", options.jobs_directory + "/" + to_string(job.id) + "/checkpoint"},
      {"GPUSCHED_PROGRESS",
       options.jobs_directory + "/" + to_string(job.id) + "/checkpoint/progress"},
      {"GPUSCHED_RESUME", job.attempt > 1 ? "1" : "0"},
  };
  order.added_variables.insert(order.added_variables.end(), std::begin(own), std::end(own));
  if (!options.sim_world.empty()) {
    order.added_variables.emplace_back("GPUSCHED_SIM_WORLD", options.sim_world);
    order.added_variables.emplace_back("LD_LIBRARY_PATH",
                                       before_own_libraries(options.sim_libraries, spec));
  }
  if (job.task) {
    order.added_variables.emplace_back("GPUSCHED_ARRAY_ID", to_string(job.task->array));
    order.added_variables.emplace_back("GPUSCHED_ARRAY_INDEX", std::to_string(job.task->index));
  }
  order.working_directory = spec.working_directory;
  order.owner = job.owner;
  order.umask = spec.umask;
  if (spec.limits) order.limits = *spec.limits;
  order.output_path = spec.rare->output_path;
  order.error_path = spec.rare->error_path;
  order.log_limit_bytes = options.log_limit_bytes;
  order.time = spec.time;
  order.attach = spec.attach;
  order.terminal_rows = spec.rare->terminal_rows;
  order.terminal_columns = spec.rare->terminal_columns;
  order.cpus = starting->grant.cpus;
  order.ram_bytes = starting->grant.ram_bytes;
  return order;
}

}  // namespace gpusched
