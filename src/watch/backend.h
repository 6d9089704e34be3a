// The one interface to every way of looking at cards. A backend is made by its probe(), which says
// in one sentence why it is not there. Calls may block for as long as a driver likes: only the
// sampler and `gpus --local` make them, never the daemon. sample() and processes() may be called
// for different cards from different threads at the same time; calls for one card come one after
// another.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "watch/sample.h"

namespace gpusched::watch {

class Backend {
 public:
  virtual ~Backend() = default;
  // "nvml", "nvidia-smi", "powermetrics", "ioreg", "amdgpu", "intel".
  virtual std::string name() const = 0;
  // Version of the driver, for people; empty: unknown.
  virtual std::string driver_version() const { return {}; }

  // In PCI order. `complaints` gets a sentence for each card that does not answer as it should;
  // such a card is listed all the same if it has a UUID.
  virtual Result<std::vector<CardIdentity>> cards(std::vector<std::string>& complaints) = 0;
  // kNotFound: the card is gone for good (fell off the bus). kUnavailable: it does not answer now.
  virtual Result<CardSample> sample(const CardIdentity& card) = 0;
  // kUnsupported: this way of looking knows no processes.
  virtual Result<std::vector<ProcessSample>> processes(const CardIdentity& card) = 0;
  // What the driver has on record about processes that ended since the last call. Empty where the
  // driver keeps no accounts.
  virtual std::vector<ProcessAccount> ended_processes(const CardIdentity&) { return {}; }
  // Waits for events of any card, at most this long. Called from one thread of its own.
  virtual Result<std::vector<CardEvent>> events(std::chrono::milliseconds wait) = 0;
  // False: events() has nothing to tell and is not called.
  virtual bool has_events() const { return false; }
};

// A backend, or the reason why there is none.
struct Probed {
  std::unique_ptr<Backend> backend;
  bool absent = false;  // Nothing is wrong with this machine: no such hardware or driver.
  std::string reason;
};

}  // namespace gpusched::watch
