#include "cli/servers.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "cli/files.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kServersFileMost = 1U << 20U;

std::string servers_file(const EnvironmentLookup& env) {
  if (const auto base = env("XDG_CONFIG_HOME"); base && base->starts_with('/')) {
    return *base + "/gpusched/servers.yaml";
  }
  return env("HOME").value_or("") + "/.config/gpusched/servers.yaml";
}

Result<Server> server_called(const std::string& text, const EnvironmentLookup& env) {
  if (text.find('/') != std::string::npos) return parse_server(text);
  auto address = named_server(text, env);
  if (!address) return failure(address.error());
  return parse_server(*address);
}

}  // namespace

Result<std::string> named_server(const std::string& name, const EnvironmentLookup& env) {
  const std::string file = servers_file(env);
  const auto wrong = [&](const std::string& why) {
    return failure(ErrorCode::kInvalid, fmt::format("{}: {}", file, why));
  };
  auto text = read_head(file, kServersFileMost);
  if (!text) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("no server is called '{}': there is no {}; write ssh://HOST, or "
                               "'{}: ssh://HOST' into that file",
                               name, file, name));
  }
  try {
    const YAML::Node root = YAML::Load(*text);
    if (!root.IsMap()) return wrong("is a list of lines such as 'box: ssh://ml1@box'");
    std::string names;
    for (const auto& entry : root) {
      if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
        return wrong(
            fmt::format("line {}: is not like 'box: ssh://ml1@box'", entry.first.Mark().line + 1));
      }
      if (entry.first.Scalar() == name) return entry.second.Scalar();
      names += (names.empty() ? "" : ", ") + entry.first.Scalar();
    }
    return wrong(fmt::format("no server is called '{}'; there are: {}", name,
                             names.empty() ? "none" : names));
  } catch (const YAML::Exception& problem) {
    return wrong(fmt::format("line {}: {}", problem.mark.line + 1, problem.msg));
  }
}

Result<Server> choose_server(const Arguments& arguments, const EnvironmentLookup& env) {
  const FlagValue* socket = arguments.find("--socket");
  const FlagValue* server = arguments.find("--server");
  if (socket != nullptr && server != nullptr) {
    return failure(ErrorCode::kInvalid, "--socket and --server name two daemons; give one");
  }
  if (socket != nullptr) return Server{.sockets = {socket->text}};
  if (server != nullptr) return server_called(server->text, env);
  const auto in_environment = env("GPUSCHED_SOCKET").value_or("").empty()
                                  ? env("GPUSCHED_SERVER").value_or("")
                                  : std::string();
  if (!in_environment.empty()) return server_called(in_environment, env);
  return Server{.sockets = client_sockets(env)};
}

Result<Server> server_of(const Arguments& arguments) {
  return choose_server(arguments, process_environment());
}

}  // namespace gpusched::cli
