#include "engine/launch_order.h"

#include <string_view>

#include "base/check.h"

namespace gpusched {
namespace {

// The driver counts the cards that are there now; people's numbers stay with their cards.
std::string device_of(const StateView& state, CardNumber number, bool by_uuid) {
  const auto position = state.index_of(number);
  if (!position) return std::to_string(number_of(number));
  const Card& card = state.cards()[*position];
  if (by_uuid) return card.uuid;
  return std::to_string(card.driver_index ? static_cast<int>(*card.driver_index)
                                          : number_of(number));
}

std::string visible_devices(const StateView& state, const Grant& grant, bool by_uuid) {
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

// Every node of a card: /dev/nvidia0 and so on, without nvidia-modeset and nvidiactl, which are
// everybody's; all of /dev/dri.
constexpr DeviceRange kCardNodes[] = {{195, 0, 253}, {226, 0, 0xfffff}};

void add_device_filter(const StateView& state, const Grant& grant, const EngineOptions& options,
                       LaunchOrder& order) {
  order.devices_open = options.devices_open;
  if (!options.filter_devices) return;
  DeviceFilter filter;
  filter.guarded.assign(std::begin(kCardNodes), std::end(kCardNodes));
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    const Card* card = position ? &state.cards()[*position] : nullptr;
    if (card == nullptr || card->nodes.empty()) {
      // To keep a job from its own card would be worse than to leave the others open.
      order.devices_open =
          "the device node of card " + std::to_string(number_of(held.card)) + " is not known";
      return;
    }
    filter.allowed.insert(filter.allowed.end(), card->nodes.begin(), card->nodes.end());
  }
  order.devices = std::move(filter);
}

// What it asked for and has a mechanism that binds it; which one it is, its shim finds out.
void add_limits(const StateView& state, const Job& job, const EngineOptions& options,
                LaunchOrder& order) {
  const Grant& grant = std::get<Starting>(job.state).grant;
  const std::uint64_t limit = job.spec->rare->vram_limit_bytes;
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    const Card& card = state.cards()[*position];
    if (limit > 0) order.vram_limits.push_back({card.pci, limit});
    if (!grant.mps || order.mps) continue;
    const int share = job.spec->needs.share_percent;
    order.mps = MpsOrder{.card = held.card,
                         .uuid = card.uuid,
                         .program = options.mps_control,
                         .variables = options.mps_variables,
                         .linger = options.mps_linger,
                         .thread_percent = share < 100 ? share : 0,
                         .vram_limit_bytes = limit};
  }
}

// What a job that saves itself is told of that.
void add_save_variables(const Job& job, const EngineOptions& options, LaunchOrder& order) {
  const SaveTerms& terms = *job.spec->saves;
  auto& variables = order.added_variables;
  variables.emplace_back("GPUSCHED_CHECKPOINT_REQUEST",
                         options.jobs_directory + "/" + to_string(job.id) + "/" +
                             std::to_string(job.attempt) + "/request");
  variables.emplace_back("GPUSCHED_GRACE", std::to_string(terms.grace.count()));
  if (terms.signal != 0) {
    variables.emplace_back("GPUSCHED_CHECKPOINT_SIGNAL", std::to_string(terms.signal));
  }
  if (job.saved_attempt > 0) {
    variables.emplace_back("GPUSCHED_RESUME", std::to_string(job.saved_attempt));
  }
}

}  // namespace

NearCpus near_of(const StateView& state, const Grant& grant, const EngineOptions& options) {
  if (!options.near_cpus || grant.cards.empty()) return {};
  std::vector<std::string> pci;
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    pci.push_back(position ? state.cards()[*position].pci : std::string());
  }
  NearCpus near = options.near_cpus(pci);
  return near.count >= grant.cpus ? near : NearCpus{};
}

std::vector<std::pair<std::string, std::string>> card_variables_of(const StateView& state,
                                                                   const Grant& grant,
                                                                   const EngineOptions& options) {
  const std::string devices = visible_devices(state, grant, options.devices_by_uuid);
  // Indices mean PCI order to us; CUDA's own default is "fastest first".
  return {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
          {"CUDA_VISIBLE_DEVICES", devices},
          {"NVIDIA_VISIBLE_DEVICES", devices.empty() ? "void" : devices}};
}

LaunchOrder launch_order_of(const StateView& state, const Job& job, const EngineOptions& options) {
  const auto* starting = std::get_if<Starting>(&job.state);
  CHECK(starting != nullptr);
  const JobSpec& spec = *job.spec;
  CHECK(spec.environment == nullptr || !spec.environment->away);
  LaunchOrder order;
  order.attempt = job.current_attempt();
  order.argv = command_of(job);
  if (spec.adopted) {
    // What the process is and has stays its own.
    order.environment = spec.environment;
    order.working_directory = spec.working_directory;
    order.owner = job.owner;
    order.time = spec.time;
    order.adopted = *spec.adopted;
    return order;
  }
  order.environment = spec.environment;
  order.added_variables = card_variables_of(state, starting->grant, options);
  const std::pair<std::string, std::string> own[] = {
      {"GPUSCHED_JOB_ID", to_string(job.id)},
      {"GPUSCHED_ATTEMPT", std::to_string(job.attempt)},
      {"GPUSCHED_CHECKPOINT_DIR", options.jobs_directory + "/" + to_string(job.id) + "/checkpoint"},
      {"GPUSCHED_PROGRESS",
       options.jobs_directory + "/" + to_string(job.id) + "/checkpoint/progress"},
  };
  order.added_variables.insert(order.added_variables.end(), std::begin(own), std::end(own));
  if (spec.saves) add_save_variables(job, options, order);
  if (!options.sim_world.empty()) {
    order.added_variables.emplace_back("GPUSCHED_SIM_WORLD", options.sim_world);
    order.added_variables.emplace_back("LD_LIBRARY_PATH",
                                       before_own_libraries(options.sim_libraries, spec));
  }
  if (job.task) {
    order.added_variables.emplace_back("GPUSCHED_ARRAY_ID", to_string(job.task->array));
    order.added_variables.emplace_back("GPUSCHED_ARRAY_INDEX", std::to_string(job.task->index));
  }
  add_device_filter(state, starting->grant, options, order);
  add_limits(state, job, options, order);
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
  order.near = near_of(state, starting->grant, options);
  if (!order.near.cpus.empty()) {
    order.added_variables.emplace_back("GPUSCHED_NEAR_CPUS", order.near.cpus);
  }
  return order;
}

}  // namespace gpusched
