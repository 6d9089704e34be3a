// cuInit and what a fork does to it.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "simdriver/cuda/process.h"
#include "simdriver/cuda/restore_thread.h"
#include "simdriver/cuda/visible_cards.h"
#include "simdriver/immortal.h"

namespace gpusched::simdriver::cuda {
namespace {

// One per process by the nature of the interface.
struct Library {
  std::mutex mutex;
  std::shared_ptr<Process> process;
  bool complained = false;
  bool watches_forks = false;
};
Library& library() {
  static const Immortal<Library> one;
  return *one;
}

void before_fork() { library().mutex.lock(); }
void after_fork_in_parent() { library().mutex.unlock(); }
void after_fork_in_child() {
  Library& lib = library();
  if (lib.process != nullptr) {
    lib.process->forget_slot();
    // Not destroyed: its mutex may belong to a thread that does not exist here.
    new std::shared_ptr<Process>(std::move(lib.process));
    lib.process.reset();
  }
  context_stack().clear();
  lib.mutex.unlock();
}

int code_of(const Error& error) {
  return error.code == ErrorCode::kUnsupported ? kSystemDriverMismatch : kNoDevice;
}

int complain(Library& lib, const Error& error) {
  if (!std::exchange(lib.complained, true)) {
    std::fprintf(stderr, "simulated libcuda.so.1: %s\n", error.message.c_str());
  }
  return code_of(error);
}

}  // namespace

std::shared_ptr<Process> current_process() {
  Library& lib = library();
  const std::lock_guard guard(lib.mutex);
  return lib.process;
}

int start_process() {
  Library& lib = library();
  const std::lock_guard guard(lib.mutex);
  if (lib.process != nullptr) return kSuccess;
  auto world = World::open_from_environment();
  if (!world) return complain(lib, world.error());
  auto visible = visible_cards(*world, std::getenv("CUDA_VISIBLE_DEVICES"));
  if (visible.empty()) return kNoDevice;
  int refused = kSuccess;
  auto mps = MpsClient::connect(refused);
  if (refused != kSuccess) return refused;
  auto own = OwnSlot::claim(*world);
  if (!own) return complain(lib, own.error());
  if (!std::exchange(lib.watches_forks, true)) {
    ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  }
  auto process = std::make_shared<Process>(std::move(*world), std::move(*own), std::move(visible));
  if (mps) process->become_mps_client(std::move(*mps));
  if (!start_restore_thread(process)) return kOperatingSystem;
  lib.process = std::move(process);
  return kSuccess;
}

}  // namespace gpusched::simdriver::cuda

extern "C" int cuInit(unsigned flags) {
  namespace cuda = gpusched::simdriver::cuda;
  return flags == 0 ? cuda::start_process() : cuda::kInvalidValue;
}
