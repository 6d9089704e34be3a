// Running nvidia-cuda-mps-control as the user whose server it is: once to become the daemon, and
// for each command to it. Every run has a deadline.
#pragma once

#include <string>

#include "base/result.h"
#include "jobdir/mps_place.h"

namespace gpusched {

struct MpsControl {
  const MpsPlan& plan;
  const std::string& place;  // With pipe/ and log/ in it.
  int group_fd;              // The control group that its processes are born in; -1: none.
};

// Starts the daemon. Returns when it listens; from then on it is a child of the calling process,
// which must be a sub-reaper.
Result<void> start_mps_daemon(const MpsControl& control);
// Gives it one command. The answer is what it printed.
Result<std::string> tell_mps_daemon(const MpsControl& control, const std::string& command);

// What it printed, as part of a sentence.
std::string one_line(std::string text);

}  // namespace gpusched
