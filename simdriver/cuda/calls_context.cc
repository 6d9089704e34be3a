// Contexts: primary and made ones, the current one of each thread.
#include "simdriver/cuda/process.h"

namespace cuda = gpusched::simdriver::cuda;
using cuda::Context;
using cuda::ContextHandle;
using cuda::Ordinal;

namespace {

int create(const char* function, ContextHandle* handle, Ordinal device) {
  return cuda::through_gate(function, [&](cuda::Process& process) -> int {
    if (handle == nullptr) return cuda::kInvalidValue;
    if (!process.is_device(device)) return cuda::kInvalidDevice;
    Context* made = nullptr;
    if (const int code = process.make_context(device, &made); code != cuda::kSuccess) return code;
    cuda::context_stack().push_back(made);
    *handle = made;
    return cuda::kSuccess;
  });
}

// Calls about the calling thread's list of contexts.
template <class Body>
int on_stack(Body body) {
  const auto process = cuda::current_process();
  if (process == nullptr) return cuda::kNotInitialized;
  return body(*process, cuda::context_stack());
}

}  // namespace

extern "C" {

int cuDevicePrimaryCtxRetain(ContextHandle* handle, Ordinal device) {
  return cuda::through_gate(__func__, [&](cuda::Process& process) -> int {
    if (handle == nullptr) return cuda::kInvalidValue;
    if (!process.is_device(device)) return cuda::kInvalidDevice;
    Context* context = nullptr;
    const int code = process.retain_primary(device, &context);
    if (code == cuda::kSuccess) *handle = context;
    return code;
  });
}

int cuDevicePrimaryCtxRelease_v2(Ordinal device) {
  return cuda::through_gate(__func__, [&](cuda::Process& process) -> int {
    if (!process.is_device(device)) return cuda::kInvalidDevice;
    return process.release_primary(device);
  });
}
int cuDevicePrimaryCtxRelease(Ordinal device) { return cuDevicePrimaryCtxRelease_v2(device); }

int cuDevicePrimaryCtxGetState(Ordinal device, unsigned* flags, int* active) {
  const auto process = cuda::current_process();
  if (process == nullptr) return cuda::kNotInitialized;
  if (flags == nullptr || active == nullptr) return cuda::kInvalidValue;
  if (!process->is_device(device)) return cuda::kInvalidDevice;
  *flags = 0;
  *active = process->has_primary(device) ? 1 : 0;
  return cuda::kSuccess;
}

int cuCtxCreate_v2(ContextHandle* handle, unsigned, Ordinal device) {
  return create(__func__, handle, device);
}
int cuCtxCreate(ContextHandle* handle, unsigned, Ordinal device) {
  return create(__func__, handle, device);
}
int cuCtxCreate_v3(ContextHandle* handle, void*, int, unsigned, Ordinal device) {
  return create(__func__, handle, device);
}
int cuCtxCreate_v4(ContextHandle* handle, void*, unsigned, Ordinal device) {
  return create(__func__, handle, device);
}

int cuCtxDestroy_v2(ContextHandle handle) {
  return cuda::through_gate(__func__, [&](cuda::Process& process) -> int {
    Context* context = process.find_context(handle);
    if (context == nullptr) return cuda::kInvalidContext;
    auto& stack = cuda::context_stack();
    if (!stack.empty() && stack.back() == handle) stack.pop_back();
    return process.end_context(context);
  });
}
int cuCtxDestroy(ContextHandle handle) { return cuCtxDestroy_v2(handle); }

int cuCtxSetCurrent(ContextHandle handle) {
  return on_stack([&](const cuda::Process& process, auto& stack) -> int {
    if (handle != nullptr && process.find_context(handle) == nullptr) return cuda::kInvalidContext;
    if (!stack.empty()) stack.pop_back();
    if (handle != nullptr) stack.push_back(handle);
    return cuda::kSuccess;
  });
}

int cuCtxGetCurrent(ContextHandle* handle) {
  return on_stack([&](const cuda::Process&, auto& stack) -> int {
    if (handle == nullptr) return cuda::kInvalidValue;
    *handle = stack.empty() ? nullptr : stack.back();
    return cuda::kSuccess;
  });
}

int cuCtxPushCurrent_v2(ContextHandle handle) {
  return on_stack([&](const cuda::Process& process, auto& stack) -> int {
    if (process.find_context(handle) == nullptr) return cuda::kInvalidContext;
    stack.push_back(handle);
    return cuda::kSuccess;
  });
}

int cuCtxPopCurrent_v2(ContextHandle* handle) {
  return on_stack([&](const cuda::Process&, auto& stack) -> int {
    if (stack.empty()) return cuda::kInvalidContext;
    if (handle != nullptr) *handle = stack.back();
    stack.pop_back();
    return cuda::kSuccess;
  });
}

int cuCtxGetDevice(Ordinal* device) {
  return on_stack([&](const cuda::Process& process, auto&) -> int {
    const Context* context = cuda::current_context(process);
    if (device == nullptr) return cuda::kInvalidValue;
    if (context == nullptr) return cuda::kInvalidContext;
    *device = context->ordinal;
    return cuda::kSuccess;
  });
}

int cuCtxSynchronize() {
  return cuda::through_gate(__func__, [](cuda::Process& process) -> int {
    const Context* context = cuda::current_context(process);
    return context == nullptr ? cuda::kInvalidContext : process.health_of(*context);
  });
}

}  // extern "C"
