#include "nvml/nvml_backend.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>

#include "nvml/accounts.h"
#include "nvml/card_list.h"
#include "nvml/event_source.h"
#include "nvml/process_lists.h"
#include "nvml/process_use.h"
#include "nvml/sample_reader.h"
#include "os/clock.h"

namespace gpusched::nvml {
namespace {

using watch::CardIdentity;

// Everything that is remembered about one card. Used by one thread at a time.
struct KnownCard {
  KnownCard(const std::shared_ptr<Library>& library, Device device)
      : asking(device), sample(library, device), lists(library), uses(library), accounts(library) {}
  Asking asking;  // Of processes and accounts; the sample has its own.
  SampleReader sample;
  ProcessLists lists;
  ProcessUses uses;
  Accounts accounts;
};

class NvmlBackend : public watch::Backend {
 public:
  NvmlBackend(std::shared_ptr<Library> library, Options options)
      : library_(std::move(library)),
        clock_(std::move(options.clock)),
        patience_(options.patience),
        events_(std::make_shared<EventSource>(library_)) {}

  std::string name() const override { return "nvml"; }

  std::string driver_version() const override {
    char version[96] = {};
    const auto call = library_->calls().driver_version;
    if (call == nullptr || call(version, sizeof version) != kSuccess) return {};
    return version;
  }

  Result<std::vector<CardIdentity>> cards(std::vector<std::string>& complaints) override {
    // Nothing of ours in there: a stuck thread may outlive this object.
    const Listing listing{patience_,
                          [events = events_](const FoundCard& card) {
                            events->listen_to(card.device, card.identity.uuid);
                          },
                          [stale = list_is_stale_] { *stale = true; }};
    auto found = list_cards(library_, listing, complaints);
    if (!found) return failure(found.error());
    std::vector<CardIdentity> cards;
    for (FoundCard& card : *found) {
      // A card that does not answer keeps its place: those behind it must not change their number.
      if (!card.identity.uuid.empty()) remember(card);
      cards.push_back(std::move(card.identity));
    }
    return cards;
  }

  Result<watch::CardSample> sample(const CardIdentity& card) override {
    KnownCard* known = find(card.uuid);
    if (known == nullptr) return unheard_of(card);
    if (*list_is_stale_) {
      return failure(ErrorCode::kConflict,
                     "a card that did not answer does so now; cards must be listed anew");
    }
    return known->sample.read(clock_());
  }

  Result<std::vector<watch::ProcessSample>> processes(const CardIdentity& card) override {
    KnownCard* known = find(card.uuid);
    if (known == nullptr) return unheard_of(card);
    known->asking.begin_round();
    auto processes = known->lists.read(known->asking);
    if (!processes) return processes;
    known->uses.fill(known->asking, clock_(), *processes);
    known->accounts.note_running(*processes);
    return processes;
  }

  std::vector<watch::ProcessAccount> ended_processes(const CardIdentity& card) override {
    KnownCard* known = find(card.uuid);
    if (known == nullptr) return {};
    known->asking.begin_round();
    return known->accounts.ended(known->asking);
  }

  Result<std::vector<watch::CardEvent>> events(std::chrono::milliseconds wait) override {
    auto events = events_->wait(wait);
    if (!events) return events;
    for (const watch::CardEvent& event : *events) {
      if (KnownCard* known = find(event.uuid)) known->sample.expect_change();
    }
    return events;
  }
  bool has_events() const override { return events_->any(); }

 private:
  void remember(const FoundCard& card) {
    const std::lock_guard lock(mutex_);
    if (known_.contains(card.identity.uuid)) return;
    known_.emplace(card.identity.uuid, std::make_unique<KnownCard>(library_, card.device));
  }
  // Entries are never removed, so that a pointer stays good without the lock.
  KnownCard* find(const std::string& uuid) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(uuid);
    return found != known_.end() ? found->second.get() : nullptr;
  }
  static tl::unexpected<Error> unheard_of(const CardIdentity& card) {
    return failure(ErrorCode::kNotFound,
                   fmt::format("read the card {}: the driver does not list it",
                               card.uuid.empty() ? card.pci : card.uuid));
  }

  std::shared_ptr<Library> library_;
  std::function<Boot()> clock_;
  const std::chrono::milliseconds patience_;
  const std::shared_ptr<EventSource> events_;
  const std::shared_ptr<std::atomic<bool>> list_is_stale_ =
      std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<KnownCard>> known_;
};

}  // namespace

watch::Probed probe(Options options) {
  watch::Probed probed;
  if (!options.clock) options.clock = [] { return read_clock().boot; };
  auto library = Library::open();
  if (library) {
    probed.backend = std::make_unique<NvmlBackend>(std::move(*library), std::move(options));
  } else {
    probed.absent = library.error().code == ErrorCode::kNotFound;
    probed.reason = library.error().message;
  }
  return probed;
}

}  // namespace gpusched::nvml
