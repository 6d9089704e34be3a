#include "nvml/process_lists.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace gpusched::nvml {
namespace {

constexpr int kListTriesMost = 5;
constexpr std::size_t kListRoomMost = 1U << 16;
constexpr std::size_t kForms = 3;
constexpr std::array kKinds = {watch::ProcessKind::kCompute, watch::ProcessKind::kGraphics,
                               watch::ProcessKind::kMps};

std::vector<ProcessInfo2> entries_of(const std::vector<unsigned char>& buffer, std::size_t count,
                                     std::size_t stride) {
  std::vector<ProcessInfo2> entries(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&entries[i], &buffer[i * stride], std::min(stride, sizeof(ProcessInfo2)));
  }
  return entries;
}

}  // namespace

std::size_t stride_of(const std::vector<unsigned char>& buffer, std::size_t count) {
  const auto last = std::find_if(buffer.rbegin(), buffer.rend(),
                                 [](unsigned char byte) { return byte != kFill; });
  const auto written = static_cast<std::size_t>(buffer.rend() - last);
  return written > count * sizeof(ProcessInfo2) ? sizeof(ProcessDetail) : sizeof(ProcessInfo2);
}

ProcessLists::Listed ProcessLists::read_details(Asking& asking, std::size_t kind) {
  Listed listed;
  for (int tries = 0; tries < kListTriesMost; ++tries) {
    std::vector<ProcessDetail> details(room_);
    ProcessDetailList list{};
    list.mode = static_cast<u32>(kind);
    list.count = static_cast<u32>(room_);
    list.list = details.data();
    listed.code = asking.ask_for_code(Question::kDetailList, library_->calls().detail_list, &list);
    if (listed.code == kSuccess) {
      const std::size_t count = std::min<std::size_t>(list.count, room_);
      for (std::size_t i = 0; i < count; ++i) {
        const ProcessDetail& each = details[i];
        listed.processes.push_back({each.pid, each.used, each.gpu_instance, each.compute_instance});
      }
      return listed;
    }
    if (listed.code != kTooSmall || list.count > kListRoomMost) return listed;
    room_ = std::max<std::size_t>(room_ * 2, list.count + 16U);
  }
  return listed;
}

ProcessLists::Listed ProcessLists::read_plain(Asking& asking, std::size_t kind) {
  while (form_[kind] < kForms) {
    Listed listed = read_form(asking, kind, form_[kind]);
    if (listed.code != kFunctionMissing && listed.code != kDeprecated) return listed;
    ++form_[kind];
  }
  return {kNotSupported, {}};
}

ProcessLists::Listed ProcessLists::read_form(Asking& asking, std::size_t kind, std::size_t form) {
  Listed listed;
  const auto call = library_->calls().list[form][kind];
  if (call == nullptr) return {kFunctionMissing, {}};
  for (int tries = 0; tries < kListTriesMost; ++tries) {
    // Room for the longest entries that any driver writes.
    std::vector<unsigned char> buffer(room_ * sizeof(ProcessDetail), kFill);
    auto count = static_cast<u32>(room_);
    listed.code = call(asking.device(), &count, buffer.data());
    if (listed.code == kSuccess) {
      const std::size_t seen = std::min<std::size_t>(count, room_);
      const bool oldest = form + 1 == kForms;
      const std::size_t stride = oldest ? sizeof(ProcessInfo1) : stride_of(buffer, seen);
      listed.processes = entries_of(buffer, seen, stride);
      return listed;
    }
    if (listed.code != kTooSmall || count > kListRoomMost) return listed;
    room_ = std::max<std::size_t>(room_ * 2, count + 16U);
  }
  return listed;
}

ProcessLists::Listed ProcessLists::read_kind(Asking& asking, std::size_t kind) {
  // The only form whose layout is named in the call; Hopper and newer have it.
  if (library_->calls().detail_list != nullptr && asking.knows(Question::kDetailList)) {
    Listed listed = read_details(asking, kind);
    if (asking.knows(Question::kDetailList)) return listed;
  }
  return read_plain(asking, kind);
}

Result<std::vector<watch::ProcessSample>> ProcessLists::read(Asking& asking) {
  std::map<int, watch::ProcessSample> by_pid;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    const Listed listed = read_kind(asking, kind);
    // Graphics and MPS are missing on some cards; without the list of compute nothing is known.
    if (listed.code != kSuccess && (kind == 0 || is_trouble(listed.code))) {
      return failure(library_->error_of("list the card's processes", listed.code));
    }
    std::map<int, u64> used;
    for (const ProcessInfo2& each : listed.processes) {
      const int pid = static_cast<int>(each.pid);
      if (pid <= 0) continue;
      auto& sample = by_pid.try_emplace(pid, watch::ProcessSample{pid, kKinds[kind]}).first->second;
      if (each.used == kNoFigure) continue;
      // One pid may have entries in several MIG instances; in several lists it is the same memory.
      used[pid] += each.used;
      sample.vram_bytes = std::max(sample.vram_bytes.value_or(0), used[pid]);
    }
  }
  std::vector<watch::ProcessSample> processes;
  for (auto& [pid, sample] : by_pid) processes.push_back(std::move(sample));
  return processes;
}

}  // namespace gpusched::nvml
