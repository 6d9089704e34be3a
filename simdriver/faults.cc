#include "simdriver/faults.h"

#include <algorithm>
#include <cstring>

#include "simdriver/futex.h"

namespace gpusched::simdriver {
namespace {

constexpr std::uint64_t kLookAgainUs = 1000000;

bool concerns(const Fault& fault, FaultKind kind, const char* function, std::int32_t card) {
  if (fault.kind.load() != static_cast<std::uint32_t>(kind)) return false;
  if (fault.card != kNoCard && fault.card != card) return false;
  return std::strcmp(fault.function, "all") == 0 || std::strcmp(fault.function, function) == 0;
}

const Fault* find_fault(const World& world, FaultKind kind, const char* function,
                        std::int32_t card) {
  const auto& faults = world.data().faults;
  const auto* found = std::find_if(std::begin(faults), std::end(faults), [&](const Fault& fault) {
    return concerns(fault, kind, function, card);
  });
  return found == std::end(faults) ? nullptr : found;
}

}  // namespace

int meet_faults(const World& world, const char* function, std::int32_t card) {
  SharedU32& changes = world.data().change_number;
  while (world.data().fault_count.load() != 0) {
    const std::uint32_t seen = changes.load();
    if (find_fault(world, FaultKind::kHang, function, card) == nullptr) break;
    futex_wait(changes, seen, kLookAgainUs);
  }
  if (world.data().fault_count.load() == 0) return 0;
  if (const Fault* slow = find_fault(world, FaultKind::kSlow, function, card)) {
    pause_us(static_cast<std::uint64_t>(slow->value) * 1000);
  }
  return forced_answer(world, function, card);
}

int forced_answer(const World& world, const char* function, std::int32_t card) {
  if (world.data().fault_count.load() == 0) return 0;
  const Fault* answer = find_fault(world, FaultKind::kReturn, function, card);
  return answer == nullptr ? 0 : answer->value;
}

bool is_missing(const World& world, const char* function) {
  if (world.data().fault_count.load() == 0) return false;
  return find_fault(world, FaultKind::kMissing, function, kNoCard) != nullptr;
}

bool add_fault(const World& world, const FaultOrder& order) {
  if (order.function.size() >= kNameMost) return false;
  for (Fault& fault : world.data().faults) {
    if (fault.kind.load() != static_cast<std::uint32_t>(FaultKind::kNone)) continue;
    fault.card = order.card;
    fault.value = order.value;
    std::memcpy(fault.function, order.function.c_str(), order.function.size() + 1);
    fault.kind.store(static_cast<std::uint32_t>(order.kind));
    world.data().fault_count.fetch_add(1);
    announce_change(world);
    return true;
  }
  return false;
}

void clear_faults(const World& world, std::int32_t card) {
  for (Fault& fault : world.data().faults) {
    if (fault.kind.load() == static_cast<std::uint32_t>(FaultKind::kNone)) continue;
    if (fault.card != card) continue;
    fault.kind.store(static_cast<std::uint32_t>(FaultKind::kNone));
    world.data().fault_count.fetch_sub(1);
  }
  announce_change(world);
}

}  // namespace gpusched::simdriver
