#include "scheduler/card_finder.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "nvml/nvml_backend.h"
#include "watch/backend.h"

namespace gpusched::library {
namespace {

// Memory that others than this process use. Its own is what the grants stand for.
std::uint64_t used_by_others(watch::Backend& backend, const watch::CardIdentity& card,
                             std::uint64_t used) {
  const auto processes = backend.processes(card);
  if (!processes) return used;
  for (const watch::ProcessSample& process : *processes) {
    if (process.pid == ::getpid()) used -= std::min(used, process.vram_bytes.value_or(0));
  }
  return used;
}

class NvidiaCards {
 public:
  NvidiaCards(std::unique_ptr<watch::Backend> backend, std::vector<watch::CardIdentity> cards)
      : backend_(std::move(backend)), cards_(std::move(cards)) {}

  std::vector<CardFact> look() {
    const std::lock_guard lock(mutex_);
    std::vector<CardFact> facts;
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      CardFact fact;
      fact.number = static_cast<int>(i);
      fact.uuid = cards_[i].uuid;
      fact.model = cards_[i].model;
      const std::uint64_t total = cards_[i].vram_bytes.value_or(0);
      fact.vram_bytes = total - std::min(total, cards_[i].reserved_bytes.value_or(0));
      const auto sample = backend_->sample(cards_[i]);
      fact.usable = sample.has_value() && !fact.uuid.empty();
      if (sample) {
        fact.used_bytes = used_by_others(*backend_, cards_[i], sample->used_bytes.value_or(0));
      }
      facts.push_back(std::move(fact));
    }
    return facts;
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<watch::Backend> backend_;
  std::vector<watch::CardIdentity> cards_;
};

}  // namespace

Reply<FoundCards> find_cards() {
  watch::Probed probed = nvml::probe();
  if (!probed.backend) {
    return fault(FaultKind::kUnavailable,
                 "no cards were named, and none can be found: " + probed.reason);
  }
  std::vector<std::string> complaints;
  auto cards = probed.backend->cards(complaints);
  if (!cards) return fault(FaultKind::kUnavailable, "list the cards: " + cards.error().message);
  auto found = std::make_shared<NvidiaCards>(std::move(probed.backend), std::move(*cards));
  return FoundCards{found->look(), [found] { return found->look(); }};
}

}  // namespace gpusched::library
