// What stands behind the scheduler library: in this process (embedded.h) or the daemon
// (daemon_backend.h). Values only: neither the public header nor the core shows here, because both
// have names that the other has too. Every call is safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace gpusched::library {

// The same words as the public header's; desk.cc translates one by one.
enum class FaultKind : std::uint8_t {
  kInvalid,
  kNeverFits,
  kTimeout,
  kReset,
  kUnknown,
  kCardLost,
  kUnavailable,
  kInternal,
};
struct Fault {
  FaultKind kind = FaultKind::kInternal;
  std::string message;
};
template <class T>
using Reply = tl::expected<T, Fault>;
inline tl::unexpected<Fault> fault(FaultKind kind, std::string message) {
  return tl::unexpected<Fault>(Fault{kind, std::move(message)});
}

enum class MayUseCpus : std::uint8_t { kNever, kPrefer, kFallback };

struct Wish {
  std::string name;
  int gpus = 1;
  std::uint64_t vram_bytes = 0;
  int share_percent = 0;
  bool critical = false;
  MayUseCpus cpus = MayUseCpus::kNever;
  std::chrono::milliseconds timeout{0};
};

struct HeldCard {
  int number = 0;
  std::string uuid;
  std::uint64_t vram_bytes = 0;
  int share_percent = 0;
};

// Where a request stands: it waits, or has what is listed.
struct Standing {
  std::uint64_t id = 0;
  bool granted = false;
  bool aside = false;  // Granted, but its process is not on its cards now.
  std::vector<HeldCard> cards;
  int cpus = 0;
  std::string devices;  // For CUDA_VISIBLE_DEVICES.
  // Of what was asked, as far as the backend has kept it.
  Wish wish;
  // While it waits, and only where it was asked for (live()).
  std::string reason;
  int position = 0;
  std::optional<std::chrono::system_clock::time_point> estimated_start;
};

class Backend {
 public:
  virtual ~Backend() = default;
  // All of them are accepted, or none.
  virtual Reply<std::vector<Standing>> ask(const std::vector<Wish>& wishes) = 0;
  // Until it is granted, at most this long; then as it stands. A fault once it has ended.
  virtual Reply<Standing> wait(std::uint64_t id, std::chrono::milliseconds at_most) = 0;
  // Until its process is on its cards, at most this long; then as it stands. A fault once it has
  // ended.
  virtual Reply<Standing> resume(std::uint64_t id, std::chrono::milliseconds at_most) = 0;
  // One that has ended already is no fault.
  virtual Reply<void> release(std::uint64_t id) = 0;
  virtual Reply<void> reset() = 0;
  // All of the application that wait or are granted, by id.
  virtual Reply<std::vector<Standing>> live() = 0;
  // In the child of a fork, whose parent this is of: lets go of what is the parent's, without a
  // lock.
  virtual void abandon() {}
};

struct CardFact {
  int number = 0;
  std::string uuid;
  std::string model;
  std::uint64_t vram_bytes = 0;
  std::uint64_t used_bytes = 0;
  bool usable = true;
};

}  // namespace gpusched::library
