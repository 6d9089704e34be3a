#include "sim/sim_cards.h"

#include <utility>

namespace gpusched {
namespace {

constexpr std::uint64_t kForeignStep = 1ULL << 30;

}  // namespace

SimCards::SimCards(const std::vector<Card>& cards, std::function<int(int)> pick)
    : pick_(std::move(pick)) {
  for (const Card& card : cards) cards_[card.number] = {};
}

void SimCards::show_all(std::function<void(CardSeen)> sink, Now now) {
  sink_ = std::move(sink);
  for (auto& [card, one] : cards_) {
    one.answers_at.reset();
    one.asked = false;
    tell(card, one, now);
  }
}

void SimCards::look_now(CardNumber card, Now now) {
  One& one = cards_.at(card);
  one.asked = true;
  one.answers_at.reset();
  if (calm_ || pick_(10) > 0) {
    one.answers_at = now.boot + Microseconds{calm_ ? 1000 : pick_(1'500'000)};
  }
}

void SimCards::change(One& one) {
  one.foreign = {};
  if (pick_(3) == 0) return;
  one.foreign.pid = next_pid_++;
  one.foreign.vram_bytes = static_cast<std::uint64_t>(pick_(10)) * kForeignStep;
  one.foreign.load_percent = pick_(2) * pick_(101);
}

void SimCards::advance(Now now) {
  for (auto& [card, one] : cards_) {
    if (!calm_ && pick_(20) == 0) change(one);
    const bool due = one.answers_at && *one.answers_at <= now.boot;
    if (due || (!calm_ && pick_(3) == 0)) tell(card, one, now, calm_ || pick_(50) > 0);
  }
}

void SimCards::calm_down(Now now) {
  calm_ = true;
  for (auto& [card, one] : cards_) {
    one.foreign = {};
    tell(card, one, now);
  }
}

std::optional<Boot> SimCards::next_event() const {
  std::optional<Boot> next;
  for (const auto& [card, one] : cards_) {
    if (one.answers_at && (!next || *one.answers_at < *next)) next = one.answers_at;
  }
  return next;
}

void SimCards::tell(CardNumber card, One& one, Now now, bool answers) {
  CardSeen seen{card, {}};
  seen.view.condition = answers ? CardCondition::kOk : CardCondition::kUnknown;
  seen.view.reason = answers ? "" : "the driver has not answered for 2000 ms";
  seen.view.at = now;
  if (answers && one.foreign.pid > 0) {
    SeenProcess process{.pid = one.foreign.pid};
    process.vram_bytes = one.foreign.vram_bytes;
    process.load_percent = one.foreign.load_percent;
    seen.view.processes.push_back(std::move(process));
  }
  one.answers_at.reset();
  one.told = now.boot;
  one.on_request = std::exchange(one.asked, false);
  one.seen = one.foreign;
  sink_(std::move(seen));
}

std::string SimCards::why_not(const Grant& grant, const Rules& rules, Now now) const {
  for (const CardGrant& held : grant.cards) {
    const auto found = cards_.find(held.card);
    if (found == cards_.end()) continue;
    const One& one = found->second;
    const std::string card = "card " + std::to_string(number_of(held.card));
    // What was asked for may have waited for a store that took no commits.
    const Seconds oldest{one.on_request ? 11 : 1};
    if (now.boot - one.told > oldest) return "nobody had looked at " + card + " in time";
    // The rule, worked out once more and in another way.
    const int load = one.seen.load_percent;
    const int cap = rules.share_cap_percent;
    if (load <= 100 - cap) continue;
    if (held.whole || load + held.share_percent > cap) {
      return "others kept " + card + " busy (" + std::to_string(load) + " %)";
    }
  }
  return {};
}

}  // namespace gpusched
