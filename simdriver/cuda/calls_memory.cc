// Memory: counted in the world, never really there, but for that of the host.
#include "simdriver/card_use.h"
#include "simdriver/cuda/process.h"

namespace cuda = gpusched::simdriver::cuda;
using namespace gpusched::simdriver;

namespace {

// Calls that need a context which is whole.
template <class Body>
int in_context(const char* function, Body body) {
  return cuda::through_gate(function, [&](cuda::Process& process) -> int {
    cuda::Context* context = cuda::current_context(process);
    if (context == nullptr) return cuda::kInvalidContext;
    const int health = process.health_of(*context);
    return health != cuda::kSuccess ? health : body(process, *context);
  });
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(cuda::Address* address, std::size_t bytes) {
  return in_context(__func__, [&](cuda::Process& process, cuda::Context& context) -> int {
    if (address == nullptr || bytes == 0) return cuda::kInvalidValue;
    return process.allocate(&context, bytes, address);
  });
}
int cuMemAlloc(cuda::Address* address, std::size_t bytes) { return cuMemAlloc_v2(address, bytes); }

// Counted as if all of it were on the card. A process that has such memory cannot be moved.
int cuMemAllocManaged(cuda::Address* address, std::size_t bytes, unsigned) {
  return in_context(__func__, [&](cuda::Process& process, cuda::Context& context) -> int {
    if (address == nullptr || bytes == 0) return cuda::kInvalidValue;
    const int code = process.allocate(&context, bytes, address);
    if (code == cuda::kSuccess) process.slot().unmovable.store(kManagedMemory);
    return code;
  });
}

int cuMemFree_v2(cuda::Address address) {
  return in_context(__func__, [&](cuda::Process& process, cuda::Context&) {
    return address == 0 ? cuda::kSuccess : process.free(address);
  });
}
int cuMemFree(cuda::Address address) { return cuMemFree_v2(address); }

// Of the host's memory, so it costs nothing on the card.
int cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  return in_context(__func__, [&](cuda::Process& process, cuda::Context&) -> int {
    if (address == nullptr || bytes == 0) return cuda::kInvalidValue;
    *address = process.host_pages().take(bytes);
    return *address != nullptr ? cuda::kSuccess : cuda::kOutOfMemory;
  });
}

int cuMemFreeHost(void* address) {
  return in_context(__func__, [&](cuda::Process& process, cuda::Context&) {
    return process.host_pages().give(address) ? cuda::kSuccess : cuda::kInvalidValue;
  });
}

int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return in_context(__func__, [&](cuda::Process& process, cuda::Context& context) -> int {
    if (free_bytes == nullptr || total_bytes == nullptr) return cuda::kInvalidValue;
    const std::size_t card = process.card_of(context.ordinal);
    const std::uint64_t capacity = capacity_of(process.world(), card);
    const std::uint64_t used = look_at_card(process.world(), card).used_bytes;
    *total_bytes = capacity;
    *free_bytes = used < capacity ? capacity - used : 0;
    return cuda::kSuccess;
  });
}
int cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return cuMemGetInfo_v2(free_bytes, total_bytes);
}

}  // extern "C"
