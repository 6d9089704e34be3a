#include "nvml/process_use.h"

#include <algorithm>

namespace gpusched::nvml {
namespace {

// The driver's own windows are up to a second long: asked sooner it has nothing new to say, which
// would read as "nobody is busy".
constexpr auto kShortest = std::chrono::milliseconds{900};
constexpr u32 kRoom = 128;
constexpr u32 kRoomMost = 1U << 16;
constexpr int kTriesMost = 4;

}  // namespace

std::optional<std::vector<ProcessUses::Use>> ProcessUses::ask_new_form(Asking& asking) {
  u32 room = kRoom;
  for (int tries = 0; tries < kTriesMost && room <= kRoomMost; ++tries) {
    std::vector<ProcessUseInfo> list(room);
    ProcessesUse request{};
    request.count = room;
    request.last_seen = last_seen_;
    request.list = list.data();
    const int code =
        asking.ask_for_code(Question::kProcessesUse, library_->calls().processes_use, &request);
    if (code == kNotFound) return std::vector<Use>{};
    if (code == kTooSmall) {
      room = std::max(room * 2, request.count);
      continue;
    }
    if (code != kSuccess) return std::nullopt;
    std::vector<Use> uses;
    list.resize(std::min(request.count, room));
    for (const auto& each : list) uses.push_back({each.pid, each.time, each.sm, each.memory});
    return uses;
  }
  return std::nullopt;
}

std::optional<std::vector<ProcessUses::Use>> ProcessUses::ask_old_form(Asking& asking) {
  u32 room = kRoom;
  for (int tries = 0; tries < kTriesMost && room <= kRoomMost; ++tries) {
    std::vector<ProcessUse> list(room);
    u32 count = room;
    const int code = asking.ask_for_code(Question::kProcessUse, library_->calls().process_use,
                                         list.data(), &count, last_seen_);
    if (code == kNotFound) return std::vector<Use>{};
    if (code == kTooSmall) {
      room = std::max(room * 2, count);
      continue;
    }
    if (code != kSuccess) return std::nullopt;
    std::vector<Use> uses;
    list.resize(std::min(count, room));
    for (const auto& each : list) uses.push_back({each.pid, each.time, each.sm, each.memory});
    return uses;
  }
  return std::nullopt;
}

std::optional<std::vector<ProcessUses::Use>> ProcessUses::ask(Asking& asking) {
  if (library_->calls().processes_use != nullptr && asking.knows(Question::kProcessesUse)) {
    auto uses = ask_new_form(asking);
    if (asking.knows(Question::kProcessesUse)) return uses;
  }
  return ask_old_form(asking);
}

void ProcessUses::take(const std::vector<Use>& uses) {
  newest_.clear();
  const u64 before = last_seen_;
  for (const Use& use : uses) {
    last_seen_ = std::max(last_seen_, use.time);
    // Old ones are repeated, and values far over 100 occur.
    if (use.time <= before || use.sm > 100 || use.memory > 100) continue;
    Use& kept = newest_[static_cast<int>(use.pid)];
    if (use.time >= kept.time) kept = use;
  }
}

void ProcessUses::fill(Asking& asking, Boot now, std::vector<watch::ProcessSample>& processes) {
  if (!asked_ || now - *asked_ >= kShortest) {
    asked_ = now;
    const auto uses = ask(asking);
    if (uses) take(*uses);
    known_ = uses && primed_;
    primed_ = primed_ || uses.has_value();
    asked_of_.clear();
    for (const watch::ProcessSample& process : processes) asked_of_.insert(process.pid);
  }
  if (!known_) return;
  for (watch::ProcessSample& process : processes) {
    // Uses of pids that are not listed are ghosts; a listed one without a use was idle, unless it
    // came since.
    if (!asked_of_.contains(process.pid)) continue;
    const auto found = newest_.find(process.pid);
    process.busy_percent = found != newest_.end() ? found->second.sm : 0;
    process.memory_busy_percent = found != newest_.end() ? found->second.memory : 0;
  }
}

}  // namespace gpusched::nvml
