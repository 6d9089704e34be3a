#include "cli/servers.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/number.h"
#include "base/text.h"
#include "cli/files.h"
#include "cli/own_programs.h"
#include "cli/shared_flags.h"
#include "client/known_servers.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kServersFileMost = 1U << 20U;
constexpr std::size_t kTokenFileMost = 4096;

std::string own_file(const EnvironmentLookup& env, const std::string& name) {
  if (const auto base = env("XDG_CONFIG_HOME"); base && base->starts_with('/')) {
    return *base + "/gpusched/" + name;
  }
  return env("HOME").value_or("") + "/.config/gpusched/" + name;
}

// A secret that others can read is none. Empty: nothing is wrong.
std::string why_not_secret(const std::string& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return std::strerror(errno);
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) == 0) return "";
  return "others can read it; take that away with chmod go=";
}

Result<std::string> token_in(const std::string& file) {
  const auto wrong = [&](const std::string& why) {
    return failure(ErrorCode::kInvalid, fmt::format("the token in {}: {}", file, why));
  };
  if (const std::string trouble = why_not_secret(file); !trouble.empty()) return wrong(trouble);
  auto text = read_head(file, kTokenFileMost);
  if (!text) return failure(text.error());
  std::string token(trimmed(*text));
  if (!is_token(token)) return wrong("it is not a single word");
  return token;
}

// tokens/HOST:PORT; tokens/HOST is that of the usual port. Empty: there is none.
std::string own_token_file(const Server& server, const EnvironmentLookup& env) {
  const std::string exact = own_file(env, "tokens/" + server.name());
  if (::access(exact.c_str(), F_OK) == 0) return exact;
  const std::string usual = own_file(env, "tokens/" + server.host);
  const bool fits = server.port == kUsualPort && ::access(usual.c_str(), F_OK) == 0;
  return fits ? usual : "";
}

// GPUSCHED_TOKEN, else what servers.yaml says, else a file for this very host and port.
Result<std::string> token_for(const Server& server, const NamedServer& named,
                              const EnvironmentLookup& env) {
  std::string token = env("GPUSCHED_TOKEN").value_or("");
  if (token.empty() && !named.token_file.empty()) return token_in(named.token_file);
  if (token.empty()) token = named.token;
  const std::string file = token.empty() ? own_token_file(server, env) : "";
  if (!file.empty()) return token_in(file);
  if (token.empty()) return token;
  if (is_token(token)) return token;
  return failure(ErrorCode::kInvalid, "the token for " + server.name() + " is not a single word");
}

Result<Seconds> patience_in(const EnvironmentLookup& env) {
  const std::string text = env("GPUSCHED_PATIENCE").value_or("");
  constexpr unsigned kMost = 3600;
  unsigned seconds = 0;
  if (text.empty()) return kAwayMost;
  if (whole_number(text, seconds) && seconds <= kMost) return Seconds{seconds};
  return failure(ErrorCode::kInvalid,
                 "GPUSCHED_PATIENCE is a number of seconds from 0 to 3600, such as 30");
}

Result<Server> ready_for_network(Result<Server> server, const NamedServer& named,
                                 const EnvironmentLookup& env) {
  if (!server) return server;
  auto patience = patience_in(env);
  if (!patience) return failure(patience.error());
  server->patience = *patience;
  const bool secret = !named.token.empty() || !named.token_file.empty();
  if (!server->tls && (!named.fingerprint.empty() || (secret && !server->on_network()))) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("the server '{}' in servers.yaml has a {}, which is for https://",
                               named.address, secret ? "token" : "fingerprint"));
  }
  if (!server->on_network()) return server;
  server->fingerprint = named.fingerprint;
  server->insecure = named.insecure;
  auto token = token_for(*server, named, env);
  if (!token) return failure(token.error());
  server->token = std::move(*token);
  server->tls_program = program_beside("gpusched-tls").value_or("gpusched-tls");
  server->known_servers = own_file(env, "known_servers");
  return server;
}

Result<Server> server_called(const std::string& text, const EnvironmentLookup& env) {
  if (text.find('/') != std::string::npos) return ready_for_network(parse_server(text), {}, env);
  auto named = named_server(text, env);
  if (!named) return failure(named.error());
  return ready_for_network(parse_server(named->address), *named, env);
}

// An error says what is wrong with it, without the place.
Result<NamedServer> read_entry(const YAML::Node& entry, const std::string& file) {
  const auto wrong = [](std::string why) { return failure(ErrorCode::kInvalid, std::move(why)); };
  if (entry.IsScalar()) return NamedServer{.address = entry.Scalar()};
  if (!entry.IsMap()) return wrong("is not like 'box: ssh://ml1@box'");
  NamedServer named;
  for (const auto& field : entry) {
    if (!field.first.IsScalar() || !field.second.IsScalar()) return wrong("has a list or a map");
    const std::string& key = field.first.Scalar();
    const std::string& value = field.second.Scalar();
    if (key == "server") {
      named.address = value;
    } else if (key == "token") {
      named.token = value;
    } else if (key == "token_file") {
      named.token_file = value;
    } else if (key == "fingerprint") {
      auto read = parse_fingerprint(value);
      if (!read) return wrong("has a fingerprint that " + read.error().message);
      named.fingerprint = std::move(*read);
    } else if (key == "insecure" && (value == "true" || value == "false")) {
      named.insecure = value == "true";
    } else {
      return wrong(fmt::format(
          "has '{}'; there are server, token, token_file, fingerprint, and insecure: true", key));
    }
  }
  if (named.address.empty()) return wrong("has no 'server: https://HOST'");
  if (!named.token.empty() && !named.token_file.empty()) {
    return wrong("has token and token_file; give one");
  }
  if (!named.token_file.empty() && !named.token_file.starts_with('/')) {
    return wrong("has a token_file that is not an absolute path");
  }
  if (named.token.empty()) return named;
  const std::string trouble = why_not_secret(file);
  if (!trouble.empty()) return wrong("has a token, but of this file " + trouble);
  return named;
}

}  // namespace

Result<NamedServer> named_server(const std::string& name, const EnvironmentLookup& env) {
  const std::string file = own_file(env, "servers.yaml");
  const auto wrong = [&](const std::string& why) {
    return failure(ErrorCode::kInvalid, fmt::format("{}: {}", file, why));
  };
  auto text = read_head(file, kServersFileMost);
  // What people write who mean an address.
  const bool address = name.find_first_of(".:@") != std::string::npos;
  if (!text && address) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("no server is called '{}'; if that is an address, write https://{} "
                               "or ssh://{}",
                               name, name, name.substr(0, name.find(':'))));
  }
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
      const int line = entry.first.Mark().line + 1;
      if (!entry.first.IsScalar()) {
        return wrong(fmt::format("line {}: is not like 'box: ssh://ml1@box'", line));
      }
      auto read = read_entry(entry.second, file);
      if (!read) return wrong(fmt::format("line {}: {}", line, read.error().message));
      if (entry.first.Scalar() == name) return read;
      names += (names.empty() ? "" : ", ") + entry.first.Scalar();
    }
    return wrong(fmt::format("no server is called '{}'; there are: {}{}", name,
                             names.empty() ? "none" : names,
                             address ? "; an address is written https://HOST or ssh://HOST" : ""));
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

std::size_t leading_flags(std::span<const std::string> words) {
  std::size_t count = 0;
  while (count < words.size()) {
    const std::string& word = words[count];
    if (word == "--server" || word == "--socket") {
      count += 2;
    } else if (word.starts_with("--server=") || word.starts_with("--socket=") || word == "--json") {
      count += 1;
    } else {
      break;
    }
  }
  return std::min(count, words.size());
}

Arguments daemon_named_in(std::span<const std::string> words) {
  std::vector<std::string> named;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::size_t count = leading_flags(words.subspan(i, 1));
    if (count == 0 || words[i] == "--json") continue;
    if (words[i].find('=') == std::string::npos && i + 1 == words.size()) break;
    named.push_back(words[i]);
    if (words[i].find('=') == std::string::npos) named.push_back(words[++i]);
  }
  return parse_arguments("gpusched", kPlainSections, Operands::kNone, named).value_or(Arguments());
}

Result<Server> server_of(const Arguments& arguments) {
  return choose_server(arguments, process_environment());
}

}  // namespace gpusched::cli
