// Ends the command of `lease -- COMMAND` when its lease ends first. The client becomes the command,
// so somebody else has to look: a process of its own, which is no child of the command (a program
// that waits for all its children would wait for it) and is gone as soon as the command is.
#pragma once

#include <cstdint>
#include <string>

#include "client/client.h"
#include "os/fd.h"

namespace gpusched::cli {

class LeaseWatch {
 public:
  explicit LeaseWatch(Fd begins) : begins_(std::move(begins)) {}
  // The command could not be started after all.
  void call_off();

 private:
  Fd begins_;  // Closed when the command begins: then the watch does, too.
};

// Of the calling process, which is about to become `command`. If it cannot be watched that is said,
// and nothing else happens.
LeaseWatch watch_lease(const Client& client, std::uint64_t lease, const std::string& command);

}  // namespace gpusched::cli
