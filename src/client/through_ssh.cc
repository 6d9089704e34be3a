#include "client/through_ssh.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "base/words.h"
#include "client/carried_by.h"
#include "json/error_json.h"
#include "json/json_value.h"

namespace gpusched {
namespace {

// Somebody may have to type a password.
constexpr Carrier::Milliseconds kGreetingPatience{120'000};
// What a shell's start-up files may say before the relay's word.
constexpr std::size_t kGreetingMost = 4U << 20U;

// It has said nothing of use and its output has ended: how it ended says why.
tl::unexpected<Error> unreached(const Server& server, int exit_code) {
  if (exit_code == 127) {
    return failure(ErrorCode::kUnavailable,
                   fmt::format("there is no gpusched in the PATH of {}: install it there, or link "
                               "it into /usr/local/bin",
                               server.machine));
  }
  return failure(ErrorCode::kUnavailable,
                 fmt::format("ssh did not reach gpusched on {}; try: ssh {} gpusched --version",
                             server.machine, server.machine));
}

// What a relay says that reached no daemon.
std::optional<Error> error_in(std::string_view greeting) {
  const auto value = parse_json(greeting);
  if (!value || value->find("error") == nullptr) return std::nullopt;
  return read_error(greeting, 503);
}

}  // namespace

std::vector<std::string> ssh_command(const Server& server, const std::vector<std::string>& words,
                                     bool terminal) {
  std::vector<std::string> command{"ssh", terminal ? "-t" : "-T"};
  // One connection for all commands of a minute, where there is a place for it that is ours alone.
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/') {
    const std::string path = fmt::format("ControlPath={}/gpusched-%C", runtime);
    command.insert(command.end(),
                   {"-o", "ControlMaster=auto", "-o", path, "-o", "ControlPersist=60"});
  }
  if (server.only_known) {  // No word to whom nobody has met, and no question to the user.
    command.insert(command.end(), {"-o", "BatchMode=yes", "-o", "ConnectTimeout=3"});
  }
  if (!server.port.empty()) command.insert(command.end(), {"-p", server.port});
  command.insert(command.end(), {"--", server.machine});
  // A shell takes it apart there.
  // What may be set there would lead on to another machine, or in a circle.
  std::string line = "env GPUSCHED_SERVER= gpusched";
  for (const std::string& word : words) line += " " + shell_quoted(word);
  command.push_back(std::move(line));
  return command;
}

Result<Relayed> connect_through_ssh(const Server& server) {
  auto started = carried_by(ssh_command(server, {"relay"}, false));
  if (!started) return failure(started.error());
  Carrier carrier = std::move(*started);
  std::string said;
  std::size_t line = 0;
  while (true) {
    const std::size_t end = said.find('\n', line);
    if (end != std::string::npos) {
      std::string_view text = std::string_view(said).substr(line, end - line);
      line = end + 1;
      // A start-up file may have said something without ending its line.
      const std::size_t begins = text.find(kRelayGreeting);
      if (begins == std::string_view::npos) continue;
      text.remove_prefix(begins);
      // Nothing follows it before we have asked for something.
      if (auto error = error_in(text)) return failure(std::move(*error));
      return Relayed{std::move(carrier), std::string(text)};
    }
    if (said.size() > kGreetingMost) break;
    auto came = carrier.receive(said, kGreetingPatience);
    if (!came) return failure(came.error());
    if (*came == Carrier::Came::kNothing) break;
    if (*came == Carrier::Came::kEnd) return unreached(server, carrier.child().wait());
  }
  return failure(
      ErrorCode::kUnavailable,
      fmt::format("no relay answered on {}; is gpusched there as new as here?", server.machine));
}

}  // namespace gpusched
