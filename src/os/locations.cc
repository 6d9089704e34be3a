#include "os/locations.h"

#include <algorithm>
#include <cstdlib>

namespace gpusched {
namespace {

constexpr const char* kSystemSocket = "/run/gpusched/gpusched.sock";
constexpr const char* kSystemState = "/var/lib/gpusched";
constexpr const char* kSystemConfig = "/etc/gpusched/gpusched.yaml";

// The XDG rules: a relative path counts as not set.
std::optional<std::string> directory_from(const EnvironmentLookup& env, const char* name) {
  auto value = env(name);
  if (!value || value->empty() || value->front() != '/') return std::nullopt;
  while (value->size() > 1 && value->back() == '/') value->pop_back();
  return value;
}

// $NAME, else $HOME/FALLBACK, else nothing.
std::optional<std::string> home_directory(const EnvironmentLookup& env, const char* name,
                                          const char* fallback) {
  if (auto given = directory_from(env, name)) return given;
  if (auto home = directory_from(env, "HOME")) return *home + "/" + fallback;
  return std::nullopt;
}

void add_once(std::vector<std::string>& list, std::string item) {
  if (item.empty() || std::find(list.begin(), list.end(), item) != list.end()) return;
  list.push_back(std::move(item));
}

}  // namespace

EnvironmentLookup process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

std::string default_state_directory(const EnvironmentLookup& env, bool root) {
  if (root) return kSystemState;
  const auto base = home_directory(env, "XDG_STATE_HOME", ".local/state");
  return base ? *base + "/gpusched" : std::string();
}

std::string default_socket(const EnvironmentLookup& env, bool root) {
  if (root) return kSystemSocket;
  if (const auto runtime = directory_from(env, "XDG_RUNTIME_DIR")) {
    return *runtime + "/gpusched/gpusched.sock";
  }
  const std::string state = default_state_directory(env, false);
  return state.empty() ? std::string() : state + "/gpusched.sock";
}

std::vector<std::string> client_sockets(const EnvironmentLookup& env) {
  if (const auto given = env("GPUSCHED_SOCKET"); given && !given->empty()) return {*given};
  std::vector<std::string> sockets;
  add_once(sockets, default_socket(env, false));
  // A daemon that was started without a session, by cron for example, listens there.
  const std::string state = default_state_directory(env, false);
  if (!state.empty()) add_once(sockets, state + "/gpusched.sock");
  add_once(sockets, kSystemSocket);
  return sockets;
}

std::vector<std::string> config_files(const EnvironmentLookup& env, bool root) {
  std::vector<std::string> files;
  // The system's daemon must not change with whose HOME it was started.
  if (!root) {
    if (const auto base = home_directory(env, "XDG_CONFIG_HOME", ".config")) {
      files.push_back(*base + "/gpusched/gpusched.yaml");
    }
  }
  files.emplace_back(kSystemConfig);
  return files;
}

}  // namespace gpusched
