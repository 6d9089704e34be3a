#include "engine/launch_order.h"

#include <string_view>

#include "base/check.h"
#include "core/model/kind.h"
#include "core/model/placeholders.h"

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

std::string before_own_libraries(const std::string& directory, const Environment& environment) {
  constexpr std::string_view kName = "LD_LIBRARY_PATH=";
  for (const std::string& variable : environment.variables) {
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
                       DevicesOrder& devices) {
  devices.open = options.devices_open;
  if (!options.filter_devices) return;
  DeviceFilter filter;
  filter.guarded.assign(std::begin(kCardNodes), std::end(kCardNodes));
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    const Card* card = position ? &state.cards()[*position] : nullptr;
    if (card == nullptr || card->nodes.empty()) {
      // To keep a job from its own card would be worse than to leave the others open.
      devices.open =
          "the device node of card " + std::to_string(number_of(held.card)) + " is not known";
      return;
    }
    filter.allowed.insert(filter.allowed.end(), card->nodes.begin(), card->nodes.end());
  }
  devices.filter = std::move(filter);
}

// What it asked for and has a mechanism that binds it; which one it is, its shim finds out.
void add_limits(const StateView& state, const Job& job, const EngineOptions& options,
                DevicesOrder& devices) {
  const Grant& grant = std::get<Starting>(job.state).grant;
  const std::uint64_t limit = job.spec->extras->vram_limit_bytes;
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    const Card& card = state.cards()[*position];
    if (limit > 0) devices.vram_limits.push_back({card.pci, limit});
    if (!grant.mps || devices.mps) continue;
    const int share = job.spec->needs.share_percent;
    devices.mps = MpsOrder{.card = held.card,
                           .uuid = card.uuid,
                           .program = options.mps_control,
                           .variables = options.mps_variables,
                           .linger = options.mps_linger,
                           .thread_percent = share < 100 ? share : 0,
                           .vram_limit_bytes = limit};
  }
}

// What a job that saves itself is told of that.
void add_save_variables(const Job& job, const EngineOptions& options, CommandOrder& command) {
  const SaveTerms& terms = *job.spec->saves;
  auto& variables = command.added_variables;
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

namespace {

// The submitter's, shared by many, unless this job has something of its own in it.
std::shared_ptr<const Environment> environment_of(const Job& job) {
  const auto& shared = job.spec->environment;
  if (shared == nullptr || job.spec->extras->variables.empty()) return shared;
  auto own = std::make_shared<Environment>();
  own->variables = with_own_variables(shared->variables, job);
  return own;
}

// What runs, with the words that tell it what it was given.
CommandOrder command_order_of(const StateView& state, const Job& job, const Grant& grant,
                              const EngineOptions& options) {
  const JobSpec& spec = *job.spec;
  CommandOrder command;
  command.argv = command_of(job);
  command.environment = environment_of(job);
  command.working_directory = working_directory_of(job);
  command.owner = job.owner;
  // What a process that is adopted is and has stays its own.
  if (!kind_of(job).started_here) return command;
  command.added_variables = card_variables_of(state, grant, options);
  const std::string directory = options.jobs_directory + "/" + to_string(job.id);
  const std::pair<std::string, std::string> own[] = {
      {"GPUSCHED_JOB_ID", to_string(job.id)},
      {"GPUSCHED_ATTEMPT", std::to_string(job.attempt)},
      {"GPUSCHED_CHECKPOINT_DIR", directory + "/checkpoint"},
      {"GPUSCHED_PROGRESS", directory + "/checkpoint/progress"},
  };
  command.added_variables.insert(command.added_variables.end(), std::begin(own), std::end(own));
  if (spec.saves) add_save_variables(job, options, command);
  if (!options.sim_world.empty()) {
    command.added_variables.emplace_back("GPUSCHED_SIM_WORLD", options.sim_world);
    command.added_variables.emplace_back(
        "LD_LIBRARY_PATH", before_own_libraries(options.sim_libraries, *command.environment));
  }
  if (job.task) {
    command.added_variables.emplace_back("GPUSCHED_ARRAY_ID", to_string(job.task->array));
    command.added_variables.emplace_back("GPUSCHED_ARRAY_INDEX", std::to_string(job.task->index));
    for (auto& variable : parameter_variables(*job.task)) {
      command.added_variables.push_back(std::move(variable));
    }
  }
  command.umask = spec.umask;
  if (spec.limits) command.limits = *spec.limits;
  command.output_path = fill_in(spec.extras->output_path, job);
  command.error_path = fill_in(spec.extras->error_path, job);
  command.log_limit_bytes = options.log_limit_bytes;
  command.attach = spec.attach;
  command.detached = spec.extras->detached;
  command.terminal_rows = spec.extras->terminal_rows;
  command.terminal_columns = spec.extras->terminal_columns;
  return command;
}

}  // namespace

LaunchOrder launch_order_of(const StateView& state, const Job& job, const EngineOptions& options) {
  const auto* starting = std::get_if<Starting>(&job.state);
  CHECK(starting != nullptr);
  const JobSpec& spec = *job.spec;
  const Grant& grant = starting->grant;
  CHECK(spec.environment == nullptr || !spec.environment->away);
  LaunchOrder order{.attempt = job.current_attempt(), .time = spec.time};
  order.command = command_order_of(state, job, grant, options);
  if (options.note_of) order.note = options.note_of(job);
  if (options.holds_of) order.holds = options.holds_of(job);
  if (spec.adopted) {
    order.adopted = *spec.adopted;
    return order;
  }
  order.isolation = {grant.cpus, grant.ram_bytes, near_of(state, grant, options)};
  if (!order.isolation.near.cpus.empty()) {
    order.command.added_variables.emplace_back("GPUSCHED_NEAR_CPUS", order.isolation.near.cpus);
  }
  add_device_filter(state, grant, options, order.devices);
  add_limits(state, job, options, order.devices);
  return order;
}

}  // namespace gpusched
