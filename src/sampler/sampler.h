// The sampler: one thread per card, one per backend for its events, one that watches over
// deadlines, and the loop that reads orders. docs/sampler-protocol.md says what goes in and out.
//   stdin --> loop --> wakes cards           watchdog --> "unknown" for cards whose call is late
//   pidfds --> loop --> wakes cards          cards, events --> lines on stdout
// A stuck driver call can be neither ended nor waited for: whoever wants to leave in spite of one
// ends the process. Destroying a Sampler waits for all its threads.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sampler/pace.h"
#include "watch/open_backends.h"

namespace gpusched {

struct SamplerOptions {
  bool once = false;
  int input = 0;   // Orders; not read with `once`.
  int output = 1;  // Lines.
  Pace pace;
  std::chrono::milliseconds open_deadline{30'000};
  std::string proc = "/proc";
  std::string sysfs = "/sys";
  std::function<Now()> clock;
  std::function<watch::Backends()> open;  // May block.
};

enum SamplerExit : int {
  kSamplerDone = 0,
  kSamplerTrouble = 1,
  kSamplerNoCards = 3,
  kSamplerDriverReplaced = 4
};

class Sampler {
 public:
  explicit Sampler(SamplerOptions options);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Until told to end; the exit code.
  int run();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gpusched
