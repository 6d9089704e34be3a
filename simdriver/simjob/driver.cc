#include "simdriver/simjob/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace gpusched::simjob {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

tl::unexpected<Error> unusable(std::string words) {
  return failure(ErrorCode::kUnavailable, std::move(words));
}

}  // namespace

Result<void> Driver::load() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return unusable(fmt::format("RuntimeError: Found no NVIDIA driver: {}", ::dlerror()));
  }
  const bool complete = find(library, "cuInit", calls_.init) &&
                        find(library, "cuDeviceGetCount", calls_.device_count) &&
                        find(library, "cuDevicePrimaryCtxRetain", calls_.retain) &&
                        find(library, "cuCtxSetCurrent", calls_.set_current) &&
                        find(library, "cuMemAlloc_v2", calls_.allocate) &&
                        find(library, "cuMemAllocManaged", calls_.allocate_managed) &&
                        find(library, "cuMemHostAlloc", calls_.allocate_host) &&
                        find(library, "cuMemGetInfo_v2", calls_.memory_info) &&
                        find(library, "cuGetErrorString", calls_.error_string);
  if (!complete) return unusable("RuntimeError: libcuda.so.1 lacks functions");
  if (!find(library, "gpuschedSimulatedStep", calls_.simulated_step)) {
    return unusable(
        "RuntimeError: libcuda.so.1 is not the simulated one: this program works "
        "in simulated worlds only");
  }
  return {};
}

Result<void> Driver::make_contexts(int gpus) {
  if (const int code = calls_.init(0); code != 0) {
    return unusable(fmt::format("RuntimeError: CUDA initialization: {}", sentence_of(code)));
  }
  int count = 0;
  calls_.device_count(&count);
  if (count < gpus) {
    return unusable(fmt::format("RuntimeError: {} cards wanted, {} visible", gpus, count));
  }
  for (int device = 0; device < gpus; ++device) {
    void* context = nullptr;
    if (const int code = calls_.retain(&context, device); code != 0) {
      return unusable(code == 2 ? "torch.OutOfMemoryError: CUDA out of memory. Tried to make a "
                                  "context on GPU " +
                                      std::to_string(device)
                                : fmt::format("RuntimeError: CUDA error: {}", sentence_of(code)));
    }
    contexts_.push_back(context);
    devices_.push_back(device);
  }
  calls_.set_current(contexts_.front());
  return {};
}

Result<Driver> Driver::open(int gpus) {
  Driver driver;
  if (auto loaded = driver.load(); !loaded) return failure(loaded.error());
  if (auto made = driver.make_contexts(gpus); !made) return failure(made.error());
  return driver;
}

int Driver::allocate(int device, std::uint64_t bytes, bool managed) {
  std::uint64_t address = 0;
  calls_.set_current(contexts_[static_cast<std::size_t>(device)]);
  constexpr unsigned kGlobal = 1;
  const int code = managed ? calls_.allocate_managed(&address, bytes, kGlobal)
                           : calls_.allocate(&address, bytes);
  calls_.set_current(contexts_.front());
  return code;
}

void* Driver::allocate_host(std::size_t bytes) {
  void* address = nullptr;
  return calls_.allocate_host(&address, bytes, 0) == 0 ? address : nullptr;
}

MemoryInfo Driver::memory_of(int device) {
  MemoryInfo info;
  calls_.set_current(contexts_[static_cast<std::size_t>(device)]);
  calls_.memory_info(&info.free_bytes, &info.total_bytes);
  calls_.set_current(contexts_.front());
  return info;
}

int Driver::step(unsigned percent, unsigned us) {
  return calls_.simulated_step(devices_.data(), static_cast<int>(devices_.size()), percent, us);
}

std::string Driver::sentence_of(int code) const {
  const char* sentence = nullptr;
  calls_.error_string(code, &sentence);
  return sentence != nullptr ? sentence : fmt::format("code {}", code);
}

}  // namespace gpusched::simjob
