// `relay`: the far end of a connection from another machine (client/through_ssh.h). It says what a
// job would inherit here, then passes bytes between its own input and output and the daemon.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "cli/commands/verbs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/submit/submission.h"
#include "cli/write_all.h"
#include "client/carrier.h"
#include "client/through_ssh.h"
#include "json/error_json.h"
#include "json/json_writer.h"
#include "os/locations.h"

namespace gpusched::cli {
namespace {

std::string greeting_with(const Surroundings& around) {
  std::string line(kRelayGreeting);
  line += "\"directory\":";
  append_json_string(line, around.working_directory);
  line += ",\"umask\":" + std::to_string(around.umask) + ",\"environment\":[";
  const char* comma = "";
  for (const std::string& variable : around.environment) {
    line += comma;
    append_json_string(line, variable);
    comma = ",";
  }
  return line + "]}\n";
}

std::string greeting_with(const Error& error) {
  return std::string(kRelayGreeting) + error_json(error).substr(1) + "\n";
}

// False: there is nothing more to come, or nobody to take it.
bool pass_on(int from, int to, std::vector<char>& buffer) {
  ssize_t got = 0;
  do {
    got = ::read(from, buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  return got > 0 && write_all(to, {buffer.data(), static_cast<std::size_t>(got)}).has_value();
}

int run_relay(const Arguments& arguments) {
  const FlagValue* given = arguments.find("--socket");
  auto around = surroundings();
  auto carrier = Carrier::connect(given != nullptr ? std::vector<std::string>{given->text}
                                                   : client_sockets(process_environment()));
  if (!around || !carrier) {
    (void)print(greeting_with(around ? carrier.error() : around.error()));
    return kExitOk;  // Said where it will be read.
  }
  if (auto said = print(greeting_with(*around)); !said) return fail(said.error());
  std::vector<char> buffer(64 * 1024);
  const int daemon = carrier->fd();
  while (true) {
    std::array<pollfd, 2> waits{{{STDIN_FILENO, POLLIN, 0}, {daemon, POLLIN, 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
    if (waits[1].revents != 0 && !pass_on(daemon, STDOUT_FILENO, buffer)) break;
    // Who asked is gone: the daemon notices by our end.
    if (waits[0].revents != 0 && !pass_on(STDIN_FILENO, daemon, buffer)) break;
  }
  return kExitOk;
}

}  // namespace

constinit const Verb kRelayVerb = {
    .name = "relay",
    .summary = "pass a connection from another machine on to the daemon; --server starts it",
    .usage = "relay",
    .sections = kPlainSections,
    .run = run_relay,
    .hidden = true,
};

}  // namespace gpusched::cli
