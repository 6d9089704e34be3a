#include "simdriver/card_use.h"

#include <algorithm>

#include "simdriver/clock.h"
#include "simdriver/slots.h"

namespace gpusched::simdriver {
namespace {

constexpr int kTriesMost = 50;
constexpr std::uint64_t kBetweenTriesUs = 200;

template <class Visit>
void for_each_foreign(const World& world, std::size_t card, Visit visit) {
  for (ForeignProcess& process : world.data().foreign) {
    if (process.used.load() != 0 && process.card == card) visit(process);
  }
}

struct Held {
  std::uint64_t bytes = 0;  // Everybody's, wishes of others included.
  bool others_wish = false;
};

Held held_on(const World& world, std::size_t own, std::size_t card) {
  Held held;
  held.bytes = world.data().states[card].unlisted_bytes.load();
  for_each_foreign(world, card, [&](ForeignProcess& p) { held.bytes += p.vram_bytes.load(); });
  for_each_on_card(world, card, [&](std::size_t number, Slot& slot) {
    const std::uint64_t wanted = slot.cards[card].wanted.load();
    held.bytes += slot.cards[card].bytes.load() + wanted;
    if (number != own && wanted != 0) held.others_wish = true;
  });
  return held;
}

ProcessUse use_of(const Slot& slot, std::size_t card, std::uint64_t now) {
  const SlotCard& held = slot.cards[card];
  ProcessUse use;
  use.pid = slot.pid.load();
  if (slot.unmovable.load() == kMpsClient) use.kind = ProcessKind::kMps;
  use.vram_bytes = held.bytes.load();
  use.peak_bytes = held.peak_bytes.load();
  use.started_us = held.started_us.load();
  if (held.busy_until_us.load() > now) use.demand_permille = held.demand_permille.load();
  return use;
}

ProcessUse use_of(const ForeignProcess& process) {
  ProcessUse use;
  use.pid = process.pid;
  use.kind = process.kind;
  use.vram_bytes = use.peak_bytes = process.vram_bytes.load();
  use.demand_permille = process.busy_permille.load();
  use.started_us = process.started_us;
  use.in_world_only = true;
  return use;
}

}  // namespace

std::uint64_t saved_bytes_of_all(const World& world) {
  std::uint64_t sum = 0;
  for_each_process(world, [&](std::size_t, const Slot& slot) {
    if (slot.process_state.load() != kCheckpointed) return;
    for (std::size_t card = 0; card < world.card_count(); ++card) {
      if ((slot.saved_cards.load() >> card & 1) != 0) sum += slot.cards[card].saved_bytes.load();
    }
  });
  return sum;
}

CardUse look_at_card(const World& world, std::size_t card) {
  CardUse use;
  use.used_bytes = world.data().states[card].unlisted_bytes.load();
  const std::uint64_t now = monotonic_us();
  for_each_on_card(world, card, [&](std::size_t, Slot& slot) {
    // No pid: it changed hands while we looked.
    if (slot.pid.load() != 0) use.processes.push_back(use_of(slot, card, now));
  });
  for_each_foreign(world, card, [&](ForeignProcess& p) { use.processes.push_back(use_of(p)); });
  for (const ProcessUse& process : use.processes) {
    use.used_bytes += process.vram_bytes;
    use.demand_permille += process.demand_permille;
  }
  // Over-committed: everyone gets a part in proportion to what it asks for.
  for (ProcessUse& process : use.processes) {
    process.busy_permille = use.demand_permille <= 1000
                                ? process.demand_permille
                                : process.demand_permille * 1000 / use.demand_permille;
  }
  return use;
}

std::uint64_t capacity_of(const World& world, std::size_t card) {
  const CardFacts& facts = world.data().facts[card];
  return facts.vram_bytes - facts.reserved_bytes;
}

bool take_bytes(const World& world, std::size_t slot, std::size_t card, std::uint64_t bytes) {
  SlotCard& own = world.data().slots[slot].cards[card];
  const std::uint64_t capacity = capacity_of(world, card);
  if (bytes > capacity) return false;
  for (int tries = 0;; ++tries) {
    own.wanted.store(bytes);
    const Held held = held_on(world, slot, card);
    if (held.bytes <= capacity) {
      const std::uint64_t now_held = own.bytes.fetch_add(bytes) + bytes;
      own.wanted.store(0);
      if (now_held > own.peak_bytes.load()) own.peak_bytes.store(now_held);
      return true;
    }
    own.wanted.store(0);
    // Somebody else's wish may be withdrawn in a moment, as ours just was.
    if (!held.others_wish || tries == kTriesMost) return false;
    pause_us(kBetweenTriesUs * (1 + slot % 7));
  }
}

void give_bytes(const World& world, std::size_t slot, std::size_t card, std::uint64_t bytes) {
  world.data().slots[slot].cards[card].bytes.fetch_sub(bytes);
}

}  // namespace gpusched::simdriver
