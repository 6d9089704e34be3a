#include "daemon/options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/text.h"

namespace gpusched {
namespace {

struct Flag {
  std::string_view name;
  std::string DaemonOptions::*value;
};

constexpr std::array kFlags = {
    Flag{"--config", &DaemonOptions::config},
    Flag{"--state-dir", &DaemonOptions::state_directory},
    Flag{"--socket", &DaemonOptions::socket},
    Flag{"--sim", &DaemonOptions::sim},
    Flag{"--log-level", &DaemonOptions::log_level},
};

std::string unknown(const std::string& argument) {
  std::array<std::string_view, kFlags.size()> names;
  for (std::size_t i = 0; i < kFlags.size(); ++i) names[i] = kFlags[i].name;
  const std::string near = nearest_word(argument, names.data(), names.size());
  const std::string hint = near.empty() ? std::string("see --help") : "did you mean " + near + "?";
  return fmt::format("unknown argument '{}'; {}", argument, hint);
}

}  // namespace

Result<DaemonOptions> parse_daemon_options(const std::vector<std::string>& arguments) {
  DaemonOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.show_help = true;
      continue;
    }
    if (argument == "--version") {
      options.show_version = true;
      continue;
    }
    std::optional<std::string> value;
    if (const std::size_t equals = argument.find('='); equals != std::string::npos) {
      value = argument.substr(equals + 1);
      argument.resize(equals);
    }
    const Flag* found = nullptr;
    for (const Flag& flag : kFlags) {
      if (flag.name == argument) found = &flag;
    }
    if (found == nullptr) return failure(ErrorCode::kInvalid, unknown(argument));
    if (!value && i + 1 < arguments.size()) value = arguments[++i];
    if (!value || value->empty()) {
      return failure(ErrorCode::kInvalid, fmt::format("{} needs a value", argument));
    }
    options.*(found->value) = *value;
  }
  return options;
}

std::string daemon_help() {
  return "usage: gpuschedd [--config FILE] [--state-dir DIR] [--socket PATH] [--sim 2x24G]\n"
         "                 [--log-level error|warning|info|debug] [--version]\n"
         "\n"
         "Runs the gpusched daemon in the foreground. Without --config the standard places are\n"
         "looked at; `gpusched config show --defaults` prints every setting.\n";
}

}  // namespace gpusched
