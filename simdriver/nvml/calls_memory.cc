// Memory and processes.
#include <algorithm>
#include <vector>

#include "simdriver/card_model.h"
#include "simdriver/clock.h"
#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using namespace gpusched::simdriver;
using nvml::Device;

namespace {

constexpr std::uint32_t kNoInstance = 0xffffffff;
constexpr std::uint32_t kListVersion = nvml::versioned(sizeof(nvml::ProcessDetailList), 1);
constexpr std::uint32_t kUtilizationVersion =
    nvml::versioned(sizeof(nvml::ProcessesUtilizationInfo), 1);
constexpr std::uint32_t kMemoryVersion = nvml::versioned(sizeof(nvml::Memory2), 2);

// Foreign processes may have been given more than there is; a card never shows more.
std::uint64_t used_on(const nvml::CardCall& call) {
  return std::min(look_at_card(call.world, call.card).used_bytes,
                  capacity_of(call.world, call.card));
}

std::vector<ProcessUse> processes_of(const nvml::CardCall& call, ProcessKind kind) {
  std::vector<ProcessUse> found = look_at_card(call.world, call.card).processes;
  std::erase_if(found, [kind](const ProcessUse& each) { return each.kind != kind; });
  return found;
}

void write_entry(nvml::ProcessInfo1& entry, const ProcessUse& process) {
  entry = {};
  entry.pid = static_cast<std::uint32_t>(process.pid);
  entry.used_bytes = process.vram_bytes;
}
template <class Entry>
void write_entry(Entry& entry, const ProcessUse& process) {
  entry = {};
  entry.pid = static_cast<std::uint32_t>(process.pid);
  entry.used_bytes = process.vram_bytes;
  entry.gpu_instance = kNoInstance;
  entry.compute_instance = kNoInstance;
}

// The habit of all these calls: too small a count is answered with the one needed.
template <class Entry>
int write_list(const std::vector<ProcessUse>& found, unsigned& count, void* entries) {
  const unsigned room = count;
  count = static_cast<unsigned>(found.size());
  if (room < found.size()) return nvml::kInsufficientSize;
  if (!found.empty() && entries == nullptr) return nvml::kInvalidArgument;
  for (std::size_t i = 0; i < found.size(); ++i) {
    write_entry(static_cast<Entry*>(entries)[i], found[i]);
  }
  return nvml::kSuccess;
}

template <class Entry>
int list_processes(const char* function, Device device, ProcessKind kind, unsigned* count,
                   void* entries) {
  return nvml::on_card(function, device, count, [&](const nvml::CardCall& call, unsigned& out) {
    const auto found = processes_of(call, kind);
    if (sizeof(Entry) == sizeof(nvml::ProcessInfo2) &&
        std::string_view(function).ends_with("_v3") &&
        call.world.data().old_process_stride.load() != 0) {
      return write_list<nvml::ProcessInfoLong>(found, out, entries);
    }
    return write_list<Entry>(found, out, entries);
  });
}

std::vector<ProcessUse> busy_processes(const nvml::CardCall& call) {
  std::vector<ProcessUse> found = look_at_card(call.world, call.card).processes;
  std::erase_if(found, [](const ProcessUse& each) { return each.busy_permille < 5; });
  return found;
}

std::uint32_t percent(std::uint32_t permille) { return (permille + 5) / 10; }

}  // namespace

extern "C" {

int nvmlDeviceGetMemoryInfo(Device device, nvml::Memory1* memory) {
  return nvml::on_card(__func__, device, memory, [](const nvml::CardCall& call, auto& out) {
    out.total = call.facts.vram_bytes;
    out.used = used_on(call) + call.facts.reserved_bytes;
    out.free = out.total - out.used;
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetMemoryInfo_v2(Device device, nvml::Memory2* memory) {
  return nvml::on_card(__func__, device, memory, [](const nvml::CardCall& call, auto& out) {
    if (out.version != kMemoryVersion) return nvml::kArgumentVersionMismatch;
    out.total = call.facts.vram_bytes;
    out.reserved = call.facts.reserved_bytes;
    out.used = used_on(call);
    out.free = out.total - out.reserved - out.used;
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetBAR1MemoryInfo(Device device, nvml::Bar1Memory* memory) {
  return nvml::on_card(__func__, device, memory, [](const nvml::CardCall& call, auto& out) {
    out.total = call.has(kHasEcc) ? call.facts.vram_bytes : std::uint64_t{256} << 20;
    out.used = std::uint64_t{1} << 20;
    out.free = out.total - out.used;
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetComputeRunningProcesses(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo1>(__func__, device, ProcessKind::kCompute, count,
                                            entries);
}
int nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo2>(__func__, device, ProcessKind::kCompute, count,
                                            entries);
}
int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo2>(__func__, device, ProcessKind::kCompute, count,
                                            entries);
}
int nvmlDeviceGetGraphicsRunningProcesses(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo1>(__func__, device, ProcessKind::kGraphics, count,
                                            entries);
}
int nvmlDeviceGetGraphicsRunningProcesses_v2(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo2>(__func__, device, ProcessKind::kGraphics, count,
                                            entries);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo2>(__func__, device, ProcessKind::kGraphics, count,
                                            entries);
}
int nvmlDeviceGetMPSComputeRunningProcesses(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo1>(__func__, device, ProcessKind::kMps, count, entries);
}
int nvmlDeviceGetMPSComputeRunningProcesses_v2(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo2>(__func__, device, ProcessKind::kMps, count, entries);
}
int nvmlDeviceGetMPSComputeRunningProcesses_v3(Device device, unsigned* count, void* entries) {
  return list_processes<nvml::ProcessInfo2>(__func__, device, ProcessKind::kMps, count, entries);
}

int nvmlDeviceGetRunningProcessDetailList(Device device, nvml::ProcessDetailList* list) {
  return nvml::on_card(__func__, device, list, [](const nvml::CardCall& call, auto& out) -> int {
    if (out.version != kListVersion) return nvml::kArgumentVersionMismatch;
    if (!call.has(kHasGpm)) return nvml::kNotSupported;
    if (out.mode > 2) return nvml::kInvalidArgument;
    const auto found = processes_of(call, static_cast<ProcessKind>(out.mode));
    // A null pointer asks for the number.
    if (out.entries == nullptr) out.count = 0;
    return write_list<nvml::ProcessDetail>(found, out.count, out.entries);
  });
}

int nvmlDeviceGetProcessUtilization(Device device, nvml::ProcessUtilizationSample* samples,
                                    unsigned* count, unsigned long long last_seen_us) {
  return nvml::on_card(__func__, device, count, [&](const nvml::CardCall& call, unsigned& out) {
    if (call.state.mig.load() != 0) return nvml::kNotSupported;
    const auto found = busy_processes(call);
    const std::uint64_t now = wall_us();
    const unsigned room = out;
    out = static_cast<unsigned>(found.size());
    if (found.empty() || now <= last_seen_us) return nvml::kNotFound;
    if (samples == nullptr || room < found.size()) return nvml::kInsufficientSize;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint32_t sm = percent(found[i].busy_permille);
      samples[i] = {static_cast<std::uint32_t>(found[i].pid), now, sm, memory_busy_of(sm), 0, 0};
    }
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetProcessesUtilizationInfo(Device device, nvml::ProcessesUtilizationInfo* info) {
  return nvml::on_card(__func__, device, info, [](const nvml::CardCall& call, auto& out) -> int {
    if (out.version != kUtilizationVersion) return nvml::kArgumentVersionMismatch;
    if (call.state.mig.load() != 0) return nvml::kNotSupported;
    const auto found = busy_processes(call);
    const std::uint64_t now = wall_us();
    const unsigned room = out.entries == nullptr ? 0 : out.count;
    out.count = static_cast<unsigned>(found.size());
    if (found.empty() || now <= out.last_seen_us) return nvml::kNotFound;
    if (room < found.size()) return nvml::kInsufficientSize;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint32_t sm = percent(found[i].busy_permille);
      out.entries[i] = {
          now, static_cast<std::uint32_t>(found[i].pid), sm, memory_busy_of(sm), 0, 0, 0, 0};
    }
    return nvml::kSuccess;
  });
}

}  // extern "C"
