// The scheduler in this process: the same core as the daemon's, under one mutex, without a thread
// of its own. All objects of a process that use one lock share one machine; each acts for its
// application.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/backend.h"

namespace gpusched::library {

struct EmbeddedOptions {
  std::string application;
  std::vector<CardFact> cards;  // Empty: what the management library lists.
  std::function<std::vector<CardFact>()> look;
  std::chrono::milliseconds look_every{1000};
  int cpus = 0;
  std::string lock_path;
};
Reply<std::unique_ptr<Backend>> open_embedded(const EmbeddedOptions& options);

}  // namespace gpusched::library
