// gpusched-sampler: the only program that loads GPU driver libraries. The daemon starts it with
// pipes as stdin (orders) and stdout (reports), one JSON object per line: docs/sampler-protocol.md.
//   gpusched-sampler           looks until stdin ends
//   gpusched-sampler --once    says the same about one look at every card, and ends
// Exit codes: 0 done, 3 there is no driver or no card, 1 a driver has a problem, 4 the driver was
// replaced while it was in use. Complaints go to stderr too with --once, for people who try it.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "nvml/nvml_backend.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "sampler/sampler.h"

namespace gpusched {
namespace {

int run(int argc, char** argv) {
  SamplerOptions options;
  if (argc > 1) options.once = std::strcmp(argv[1], "--once") == 0;
  if (argc > 2 || (argc == 2 && !options.once)) {
    std::fputs("usage: gpusched-sampler [--once]\n", stderr);
    return 64;
  }
  std::signal(SIGPIPE, SIG_IGN);
  // One per process on the cards; the usual soft limit is for select(), not for us.
  raise_descriptor_limit();
  options.clock = read_clock;
  options.open = [] { return watch::open_backends(watch::Host{}, [] { return nvml::probe(); }); };
  // Never destroyed: that would wait for a driver that may never answer.
  return (new Sampler(std::move(options)))->run();
}

}  // namespace
}  // namespace gpusched

// Without destructors and exit handlers, for the same reason.
int main(int argc, char** argv) { ::_exit(gpusched::run(argc, argv)); }
