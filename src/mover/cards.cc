#include "mover/cards.h"

#include <algorithm>

#include "nvml/process_lists.h"

namespace gpusched::mover {
namespace {

bool read_free(const nvml::Calls& calls, nvml::Device device, std::uint64_t& free_bytes) {
  nvml::Memory2 memory{};
  if (calls.memory2 != nullptr && calls.memory2(device, &memory) == nvml::kSuccess) {
    free_bytes = memory.free;
    return true;
  }
  nvml::Memory1 plain{};
  if (calls.memory1(device, &plain) != nvml::kSuccess) return false;
  free_bytes = plain.free;
  return true;
}

bool is_sliced(const nvml::Calls& calls, nvml::Device device) {
  nvml::u32 now = 0;
  nvml::u32 next = 0;
  return calls.mig_mode != nullptr && calls.mig_mode(device, &now, &next) == nvml::kSuccess &&
         now != 0;
}

}  // namespace

Result<Cards> Cards::open() {
  auto library = nvml::Library::open();
  if (!library) return failure(std::move(library.error()));
  return Cards(std::move(*library));
}

std::vector<CardUse> Cards::look() const {
  const nvml::Calls& calls = library_->calls();
  std::vector<CardUse> cards;
  nvml::u32 count = 0;
  if (calls.count(&count) != nvml::kSuccess) return cards;
  for (nvml::u32 index = 0; index < count; ++index) {
    nvml::Device device = nullptr;
    char uuid[96] = {};
    CardUse card;
    if (calls.handle_by_index(index, &device) != nvml::kSuccess ||
        calls.uuid(device, uuid, sizeof uuid) != nvml::kSuccess ||
        !read_free(calls, device, card.free_bytes)) {
      continue;
    }
    card.uuid = uuid;
    card.mig = is_sliced(calls, device);
    nvml::Asking asking(device);
    if (const auto listed = nvml::ProcessLists(library_).read(asking)) {
      card.listed = true;
      for (const watch::ProcessSample& each : *listed) {
        card.processes.push_back(
            {each.pid, each.vram_bytes, each.kind == watch::ProcessKind::kMps});
      }
    }
    cards.push_back(std::move(card));
  }
  return cards;
}

const CardUse* find_card(const std::vector<CardUse>& cards, const std::string& uuid) {
  const auto found = std::ranges::find(cards, uuid, &CardUse::uuid);
  return found == cards.end() ? nullptr : &*found;
}

}  // namespace gpusched::mover
