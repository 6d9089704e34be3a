// gpuschedd: settings from the file and the command line, then the daemon until a signal ends it.
#include <cstdio>
#include <string>
#include <system_error>

#include "daemon/daemon.h"
#include "daemon/options.h"
#include "daemon/read_settings.h"
#include "os/log.h"
#include "os/private_memory.h"

namespace gpusched {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "gpuschedd: %s\n", error.message.c_str());
  return exit_code_of(error.code);
}

int serve(const DaemonOptions& options, const FoundConfig& found) {
  if (auto opened = open_log(found.config.log); !opened) return fail(opened.error());
  // Tokens, keys and the environments of all users pass through it.
  if (!keep_memory_private()) log_warning("the memory of this daemon can be read in core files");
  try {
    Daemon daemon(found, [&options] { return read_settings(options); });
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
  const auto found = read_settings(*options);
  if (!found) return fail(found.error());
  return serve(*options, *found);
}
