#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "cli/commands/verbs.h"
#include "cli/own_programs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

constexpr std::array kServeFlags = {
    Flag{"--config", 0, FlagKind::kValue, "FILE", "configuration", Offer::kFiles},
    Flag{"--state-dir", 0, FlagKind::kValue, "DIR", "where jobs are kept", Offer::kFiles},
    Flag{"--socket", 0, FlagKind::kValue, "PATH", "where clients connect", Offer::kFiles},
    Flag{"--sim", 0, FlagKind::kValue, "2x24G", "simulated cards instead of the machine's"},
};
constexpr std::array<FlagSection, 1> kServeSections = {
    FlagSection{"Flags of gpuschedd", kServeFlags}};

int run_serve(const Arguments& arguments) {
  std::vector<char*> words;
  std::string name = "gpuschedd";
  words.push_back(name.data());
  std::vector<std::string> rest = arguments.command;
  for (std::string& word : rest) words.push_back(word.data());
  words.push_back(nullptr);
  // Beside this program first: a build directory or a second installation stays in itself.
  if (const auto program = program_beside(name)) ::execv(program->c_str(), words.data());
  ::execvp(name.c_str(), words.data());
  return fail({ErrorCode::kUnavailable,
               fmt::format("start gpuschedd: {}; it should be beside this program or in PATH",
                           std::strerror(errno))});
}

}  // namespace

// The words after it go to gpuschedd as they are, which knows its flags best.
constinit const Verb kServeVerb = {
    .name = "serve",
    .summary = "run the daemon",
    .usage = "serve [FLAGS]",
    .about =
        "Starts gpuschedd with these flags, in the foreground. As a service it is started by "
        "systemd:\n"
        "systemctl --user enable --now gpuschedd.",
    .examples =
        "gpusched serve\n"
        "gpusched serve --sim 2x24G --state-dir /tmp/try",
    .sections = kServeSections,
    .operands = Operands::kCommand,
    .run = run_serve,
};

}  // namespace gpusched::cli
