// gpuschedd: settings from the file and the command line, then the daemon until a signal ends it.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "config/config_file.h"
#include "daemon/daemon.h"
#include "daemon/options.h"
#include "os/locations.h"
#include "os/log.h"

namespace gpusched {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "gpuschedd: %s\n", error.message.c_str());
  return exit_code_of(error.code);
}

// The configuration file, with the command line on top.
Result<Config> settings(const DaemonOptions& options) {
  const EnvironmentLookup environment = process_environment();
  const bool root = ::geteuid() == 0;
  auto found = find_config(options.config, environment, root);
  if (!found) return failure(found.error());
  Config config = std::move(found->config);
  if (!options.sim.empty()) config.sim = options.sim;
  if (!options.socket.empty()) config.socket = options.socket;
  if (!options.state_directory.empty()) config.state_directory = options.state_directory;
  if (!options.log_level.empty()) {
    const auto level = log_level_named(options.log_level);
    if (!level) {
      return failure(ErrorCode::kInvalid, "'" + options.log_level +
                                              "' is not a log level (error, warning, info, debug)");
    }
    config.log.level = *level;
  }
  if (config.state_directory.empty()) {
    config.state_directory = default_state_directory(environment, root);
  }
  config.state_directory = std::filesystem::absolute(config.state_directory).lexically_normal();
  if (config.state_directory.size() > 1 && config.state_directory.back() == '/') {
    config.state_directory.pop_back();
  }
  if (config.socket.empty()) {
    // A daemon with a state directory of its own answers there, so that two can run side by side.
    config.socket = options.state_directory.empty() ? default_socket(environment, root)
                                                    : config.state_directory + "/gpusched.sock";
  }
  return config;
}

int serve(const Config& config) {
  if (auto opened = open_log(config.log); !opened) return fail(opened.error());
  try {
    Daemon daemon(config);
    if (auto started = daemon.start(); !started) return fail(started.error());
    const auto ended = daemon.run();
    return ended ? 0 : fail(ended.error());
  } catch (const std::system_error& error) {
    // Threads and descriptors that the machine does not have to give.
    return fail({ErrorCode::kIo, std::string("the daemon cannot run: ") + error.what()});
  }
}

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  using namespace gpusched;
  const auto options = parse_daemon_options({argv + 1, argv + argc});
  if (!options) return fail(options.error());
  if (options->show_help) {
    std::fputs(daemon_help().c_str(), stdout);
    return 0;
  }
  if (options->show_version) {
    std::puts("gpuschedd " GPUSCHED_VERSION);
    return 0;
  }
  const auto config = settings(*options);
  if (!config) return fail(config.error());
  return serve(*config);
}
