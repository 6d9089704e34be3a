#include "mover/cuda.h"

#include <dlfcn.h>

namespace gpusched::mover {
namespace {

template <class Function>
bool find_call(void* library, const char* name, Function& function) {
  // A pointer to a function and one to an object are the same for POSIX, not for C++.
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

const char* plain_words_of(int code) {
  switch (code) {
    case kSuccess:
      return "success";
    case kInvalidValue:
      return "invalid value";
    case kOutOfMemory:
      return "out of memory";
    case kNotInitialized:
      return "not initialized";
    case kNoDevice:
      return "no device";
    case kOperatingSystem:
      return "refused by the operating system or broken by an earlier call";
    case kIllegalState:
      return "illegal state";
    case kNotReady:
      return "not ready";
    case kNotSupported:
      return "not supported";
    default:
      return "error";
  }
}

}  // namespace

struct Cuda::LockArguments {
  std::uint32_t timeout_ms = 0, zero = 0;
  std::uint64_t zeros[7] = {};
};
struct Cuda::OtherArguments {
  std::uint64_t zeros[8] = {};
};

std::string words_of(int code) {
  return std::string(plain_words_of(code)) + " (" + std::to_string(code) + ")";
}

tl::expected<Cuda, NoDriver> Cuda::open() {
  static_assert(sizeof(LockArguments) == 64 && sizeof(OtherArguments) == 64);
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return tl::unexpected(NoDriver{std::string("there is no CUDA driver: ") + ::dlerror(), true});
  }
  Calls calls;
  const bool complete =
      find_call(library, "cuInit", calls.init) &&
      find_call(library, "cuCheckpointProcessGetRestoreThreadId", calls.restore_thread) &&
      find_call(library, "cuCheckpointProcessGetState", calls.state) &&
      find_call(library, "cuCheckpointProcessLock", calls.lock) &&
      find_call(library, "cuCheckpointProcessCheckpoint", calls.checkpoint) &&
      find_call(library, "cuCheckpointProcessRestore", calls.restore) &&
      find_call(library, "cuCheckpointProcessUnlock", calls.unlock);
  if (!complete) {
    return tl::unexpected(NoDriver{"the CUDA driver is older than 570 and cannot move jobs", true});
  }
  find_call(library, "gpuschedSimulatedHostMemory", calls.simulated_ram);
  // Before any Restore, too: without persistence mode the driver wants a caller who has done this.
  if (const int code = calls.init(0); code != kSuccess) {
    return tl::unexpected(
        NoDriver{"the CUDA driver does not start: " + words_of(code), code == kNoDevice});
  }
  return Cuda(calls);
}

int Cuda::find_restore_thread(int pid, int& thread) const {
  return calls_.restore_thread(pid, &thread);
}

int Cuda::read_state(int pid, ProcessState& state) const {
  int value = 0;
  const int code = calls_.state(pid, &value);
  if (code == kSuccess) {
    state = value >= 0 && value <= 2 ? static_cast<ProcessState>(value) : ProcessState::kFailed;
  }
  return code;
}

int Cuda::lock(int pid, std::chrono::milliseconds timeout) const {
  LockArguments arguments;
  arguments.timeout_ms = static_cast<std::uint32_t>(timeout.count());
  return calls_.lock(pid, &arguments);
}

int Cuda::checkpoint(int pid) const {
  OtherArguments arguments;
  return calls_.checkpoint(pid, &arguments);
}

int Cuda::restore(int pid) const {
  OtherArguments arguments;
  return calls_.restore(pid, &arguments);
}

int Cuda::unlock(int pid) const {
  OtherArguments arguments;
  return calls_.unlock(pid, &arguments);
}

std::optional<std::uint64_t> Cuda::simulated_ram() const {
  std::uint64_t bytes = 0;
  if (calls_.simulated_ram == nullptr || calls_.simulated_ram(&bytes) != kSuccess) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace gpusched::mover
