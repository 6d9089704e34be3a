// A backend in memory for tests of the sampler: says what it is told to say, hangs on demand, and
// counts how often it was asked.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "watch/backend.h"

namespace gpusched::testing {

// What the backend shows; shared with the test, which changes it from its own thread.
struct FakeCards {
  struct Card {
    watch::CardIdentity identity;
    watch::CardSample sample;
    std::vector<watch::ProcessSample> processes;
    std::vector<watch::ProcessAccount> accounts;
    std::optional<Error> error;
    bool lists_processes = true;
    bool hangs = false;
    int asked = 0;
    // How often a process is still listed after the test has taken it off.
    std::map<int, int> lingers;
  };

  explicit FakeCards(int count) {
    for (int i = 0; i < count; ++i) {
      Card card;
      card.identity.uuid = "GPU-" + std::to_string(i);
      card.identity.pci = "00000000:0" + std::to_string(i + 1) + ":00.0";
      card.identity.model = "Test";
      card.sample.vram_bytes = 100;
      card.sample.used_bytes = 0;
      cards.push_back(card);
    }
  }

  template <class Change>
  void change(Change make) {
    const std::lock_guard lock(mutex);
    make(*this);
    changed.notify_all();
  }
  void hang(std::size_t card, bool on) {
    change([&](FakeCards& all) { all.cards[card].hangs = on; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Card> cards;
  std::vector<watch::CardEvent> events;
  bool open_hangs = false;
};

class FakeBackend : public watch::Backend {
 public:
  explicit FakeBackend(FakeCards& all) : all_(all) {}

  std::string name() const override { return "fake"; }
  std::string driver_version() const override { return "1.2"; }
  Result<std::vector<watch::CardIdentity>> cards(std::vector<std::string>&) override {
    std::unique_lock lock(all_.mutex);
    all_.changed.wait(lock, [&] { return !all_.open_hangs; });
    std::vector<watch::CardIdentity> identities;
    for (const auto& card : all_.cards) identities.push_back(card.identity);
    return identities;
  }
  Result<watch::CardSample> sample(const watch::CardIdentity& identity) override {
    std::unique_lock lock(all_.mutex);
    FakeCards::Card& card = find(identity);
    ++card.asked;
    all_.changed.notify_all();
    all_.changed.wait(lock, [&] { return !card.hangs; });
    if (card.error) return failure(*card.error);
    return card.sample;
  }
  Result<std::vector<watch::ProcessSample>> processes(
      const watch::CardIdentity& identity) override {
    const std::lock_guard lock(all_.mutex);
    FakeCards::Card& card = find(identity);
    if (!card.lists_processes) return failure(ErrorCode::kUnsupported, "no list");
    std::vector<watch::ProcessSample> listed = card.processes;
    for (auto& [pid, times] : card.lingers) {
      if (times-- > 0) listed.push_back({pid});
    }
    return listed;
  }
  std::vector<watch::ProcessAccount> ended_processes(const watch::CardIdentity& identity) override {
    const std::lock_guard lock(all_.mutex);
    return std::exchange(find(identity).accounts, {});
  }
  Result<std::vector<watch::CardEvent>> events(std::chrono::milliseconds wait) override {
    std::unique_lock lock(all_.mutex);
    all_.changed.wait_for(lock, std::min(wait, std::chrono::milliseconds{50}),
                          [&] { return !all_.events.empty(); });
    return std::exchange(all_.events, {});
  }
  bool has_events() const override { return true; }

 private:
  FakeCards::Card& find(const watch::CardIdentity& identity) {
    for (auto& card : all_.cards) {
      if (card.identity.uuid == identity.uuid) return card;
    }
    return all_.cards.at(0);
  }

  FakeCards& all_;
};

}  // namespace gpusched::testing
