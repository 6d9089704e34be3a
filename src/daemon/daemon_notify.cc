// Messages to people: the outbox is the engine's, the courier carries what is due.
#include <unistd.h>

#include <array>

#include "daemon/daemon.h"
#include "os/clock.h"

namespace gpusched {

void Daemon::start_courier() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
  courier_ = std::make_unique<Courier>(loop_, *engine_,
                                       Courier::Options{.program = find_notifier_program(),
                                                        .state_directory = config_.state_directory,
                                                        .machine = name.data(),
                                                        .now = read_clock});
}

}  // namespace gpusched
