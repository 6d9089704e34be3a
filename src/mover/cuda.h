// The calls of the CUDA driver by which one process moves another off its cards and back, found at
// run time: nothing of it is linked. Layouts are written down from the documented interface; what
// is not used stays zero, which older and newer drivers understand alike.
// Law: a call on a stopped process does not return, and Checkpoint and Restore are never
// interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "base/time.h"

namespace gpusched::mover {

enum Code : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kOperatingSystem = 304,
  kIllegalState = 401,
  kNotReady = 600,  // Lock: the time is over, and nothing was changed.
  kNotSupported = 801,
};
// "out of memory (2)".
std::string words_of(int code);

enum class ProcessState { kRunning = 0, kLocked = 1, kCheckpointed = 2, kFailed = 3 };

// Why there is no driver to ask. `never`: there will be none for as long as nobody changes it.
struct NoDriver {
  std::string error;
  bool never = false;
};

class Cuda {
 public:
  static tl::expected<Cuda, NoDriver> open();

  // Each returns the driver's code.
  // The thread of the process in which the driver does all of this.
  int find_restore_thread(int pid, int& thread) const;
  int read_state(int pid, ProcessState& state) const;
  int lock(int pid, std::chrono::milliseconds timeout) const;
  int checkpoint(int pid) const;
  int restore(int pid) const;
  int unlock(int pid) const;

  // Host memory of a simulated world that VRAM may go to. Nullopt: the driver is a real one.
  std::optional<std::uint64_t> simulated_ram() const;

 private:
  struct LockArguments;
  struct OtherArguments;
  struct Calls {
    int (*init)(unsigned) = nullptr;
    int (*restore_thread)(int, int*) = nullptr;
    int (*state)(int, int*) = nullptr;
    int (*lock)(int, LockArguments*) = nullptr;
    int (*checkpoint)(int, OtherArguments*) = nullptr;
    int (*restore)(int, OtherArguments*) = nullptr;
    int (*unlock)(int, OtherArguments*) = nullptr;
    int (*simulated_ram)(std::uint64_t*) = nullptr;
  };
  explicit Cuda(const Calls& calls) : calls_(calls) {}
  Calls calls_;
};

}  // namespace gpusched::mover
