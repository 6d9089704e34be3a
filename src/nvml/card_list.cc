#include "nvml/card_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace gpusched::nvml {
namespace {

constexpr u32 kLinksMost = 18;

template <std::size_t size>
std::string text_of(const std::array<char, size>& buffer) {
  return {buffer.data(), std::ranges::find(buffer, '\0')};
}

void read_memory(const Calls& calls, Device device, watch::CardIdentity& card) {
  Memory2 memory{};
  if (calls.memory2 != nullptr && calls.memory2(device, &memory) == kSuccess) {
    card.vram_bytes = memory.total;
    card.reserved_bytes = memory.reserved;
    return;
  }
  Memory1 plain{};
  if (calls.memory1(device, &plain) == kSuccess) card.vram_bytes = plain.total;
}

// The other ends of its links; those that are switches and not cards are sorted out later.
std::vector<std::string> links_of(const Calls& calls, Device device) {
  std::set<std::string> ends;
  if (calls.nvlink_state == nullptr || calls.nvlink_remote == nullptr) return {};
  for (u32 link = 0; link < kLinksMost; ++link) {
    u32 active = 0;
    const int code = calls.nvlink_state(device, link, &active);
    if (code != kSuccess && code != kNotFound) break;
    PciInfo remote{};
    if (active == 0 || calls.nvlink_remote(device, link, &remote) != kSuccess) continue;
    ends.insert(text_of(std::to_array(remote.bus_id)));
  }
  return {ends.begin(), ends.end()};
}

// One card's answers, shared by its thread and by who waits for it.
struct Entry {
  FoundCard found;
  std::vector<std::string> complaints;
  bool forbidden = false, done = false, given_up = false;
};
struct Answers {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Entry> entries;
};

void read_who(const Library& library, u32 index, Entry& entry) {
  const Calls& calls = library.calls();
  const auto complain = [&](const char* doing, int code) {
    entry.complaints.push_back(
        library.error_of(fmt::format("card {}: {}", index, doing), code).message);
  };
  FoundCard& found = entry.found;
  if (const int code = calls.handle_by_index(index, &found.device); code != kSuccess) {
    entry.forbidden = code == kNoPermission;
    if (!entry.forbidden) complain("open", code);
    return;
  }
  watch::CardIdentity& card = found.identity;
  PciInfo pci{};
  if (calls.pci(found.device, &pci) == kSuccess) card.pci = text_of(std::to_array(pci.bus_id));
  std::ranges::transform(card.pci, card.pci.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c);
  });
  std::array<char, 96> buffer{};
  if (const int code = calls.uuid(found.device, buffer.data(), buffer.size()); code != kSuccess) {
    complain("read its UUID", code);
    return;
  }
  card.uuid = text_of(buffer);
  buffer.fill('\0');
  if (calls.name(found.device, buffer.data(), buffer.size()) == kSuccess) {
    card.model = text_of(buffer);
  }
  u32 minor = 0;
  if (calls.minor != nullptr && calls.minor(found.device, &minor) == kSuccess) {
    card.minor = static_cast<int>(minor);
  }
}

void read_what(const Library& library, Entry& entry) {
  watch::CardIdentity& card = entry.found.identity;
  read_memory(library.calls(), entry.found.device, card);
  card.nvlink_neighbours = links_of(library.calls(), entry.found.device);
  if (!card.vram_bytes) entry.complaints.push_back("card " + card.uuid + ": its memory is unknown");
}

// The life of a card's thread. What is known so far is there for everybody after each step.
void ask(const std::shared_ptr<Library>& library, const Listing& listing, u32 index,
         Answers& answers) {
  const auto publish = [&](const Entry& entry, bool done) {
    const std::lock_guard lock(answers.mutex);
    Entry& shared = answers.entries[index];
    const bool was_nobody = shared.given_up && shared.found.identity.uuid.empty();
    const bool given_up = shared.given_up;
    shared = entry;
    shared.given_up = given_up;
    shared.done = done;
    answers.changed.notify_all();
    return was_nobody;
  };
  Entry entry;
  read_who(*library, index, entry);
  const bool known = !entry.found.identity.uuid.empty();
  if (publish(entry, !known) && known && listing.late) listing.late();
  if (!known) return;
  if (listing.found) listing.found(entry.found);
  read_what(*library, entry);
  publish(entry, true);
}

std::vector<FoundCard> take_found(Answers& answers, const Listing& listing,
                                  std::vector<std::string>& complaints) {
  std::vector<FoundCard> found;
  std::string before;
  for (std::size_t index = 0; index < answers.entries.size(); ++index) {
    Entry& entry = answers.entries[index];
    complaints.insert(complaints.end(), entry.complaints.begin(), entry.complaints.end());
    entry.given_up = !entry.done;
    if (entry.given_up) {
      complaints.push_back(
          fmt::format("card {}: has not answered for {} ms", index, listing.patience.count()));
    }
    if (entry.forbidden) continue;
    found.push_back(entry.found);
    // Just behind the one before it: the driver's own order is that of PCI but for rare machines.
    std::string& pci = found.back().identity.pci;
    if (pci.empty()) pci = before + "!";
    before = pci;
  }
  return found;
}

}  // namespace

Result<std::vector<FoundCard>> list_cards(const std::shared_ptr<Library>& library,
                                          const Listing& listing,
                                          std::vector<std::string>& complaints) {
  u32 count = 0;
  if (const int code = library->calls().count(&count); code != kSuccess) {
    return failure(library->error_of("count the cards", code));
  }
  const auto answers = std::make_shared<Answers>();
  answers->entries.resize(count);
  std::vector<std::thread> threads;
  for (u32 index = 0; index < count; ++index) {
    threads.emplace_back([=] { ask(library, listing, index, *answers); });
  }
  std::unique_lock lock(answers->mutex);
  answers->changed.wait_for(lock, listing.patience,
                            [&] { return std::ranges::all_of(answers->entries, &Entry::done); });
  std::vector<FoundCard> found = take_found(*answers, listing, complaints);
  std::vector<bool> done;
  for (const Entry& entry : answers->entries) done.push_back(entry.done);
  lock.unlock();
  // One that is stuck keeps the library open for as long as it takes.
  for (std::size_t i = 0; i < threads.size(); ++i)
    done[i] ? threads[i].join() : threads[i].detach();
  const auto pci_of = [](const FoundCard& card) -> const std::string& { return card.identity.pci; };
  std::ranges::stable_sort(found, {}, pci_of);
  for (FoundCard& card : found) {
    std::erase_if(card.identity.nvlink_neighbours, [&](const std::string& pci) {
      return pci == card.identity.pci || std::ranges::find(found, pci, pci_of) == found.end();
    });
  }
  return found;
}

}  // namespace gpusched::nvml
