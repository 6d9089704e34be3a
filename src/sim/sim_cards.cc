#include "sim/sim_cards.h"

#include <algorithm>
#include <utility>

#include "core/state/growth.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kForeignStep = 1ULL << 30;
// As a daemon that is worried has it, and one that is not.
constexpr Microseconds kClosely{100'000};
constexpr Microseconds kAround = Seconds{5};

std::uint64_t bytes_of(const std::vector<SeenProcess>& processes) {
  std::uint64_t sum = 0;
  for (const SeenProcess& process : processes) sum += process.vram_bytes.value_or(0);
  return sum;
}

}  // namespace

SimCards::SimCards(const std::vector<Card>& cards, std::function<int(int)> pick, Jobs jobs)
    : pick_(std::move(pick)), jobs_(std::move(jobs)) {
  for (const Card& card : cards) cards_[card.number] = {};
}

void SimCards::show_all(std::function<void(CardSeen)> sink, Now now) {
  sink_ = std::move(sink);
  for (auto& [card, one] : cards_) {
    one.answers_at.reset();
    one.asked = false;
    // A new daemon has seen nothing grow.
    one.last.reset();
    one.before.reset();
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

void SimCards::look_soon(CardNumber card, Now now) {
  One& one = cards_.at(card);
  const Boot at = now.boot + kClosely;
  if (!one.asked && (!one.answers_at || at < *one.answers_at)) one.answers_at = at;
}

void SimCards::look_around(Now now) {
  for (auto& [card, one] : cards_) {
    if (!one.answers_at) one.answers_at = std::max(now.boot, one.told + kAround);
  }
}

void SimCards::change(CardNumber card, One& one) {
  if (is_adopted(one.foreign)) return;
  one.foreign = {};
  if (pick_(3) == 0) return;
  // Nobody gets memory that others have.
  const std::uint64_t most = 20 * kForeignStep;
  const std::uint64_t room = most - std::min(most, bytes_of(jobs_.on_card(card)));
  one.foreign.pid = next_pid_++;
  one.foreign.vram_bytes = std::min(room, static_cast<std::uint64_t>(pick_(10)) * kForeignStep);
  one.foreign.load_percent = pick_(2) * pick_(101);
}

void SimCards::end_foreign(int pid) {
  for (auto& [card, one] : cards_) {
    if (one.foreign.pid == pid) one.foreign = {};
  }
}

void SimCards::end_all_foreign() {
  for (auto& [card, one] : cards_) one.foreign = {};
}

void SimCards::advance(Now now) {
  for (auto& [card, one] : cards_) {
    if (!calm_ && pick_(20) == 0) change(card, one);
    // A process that was let go ends, too.
    if (calm_ && !is_adopted(one.foreign)) one.foreign = {};
    const bool due = one.answers_at && *one.answers_at <= now.boot;
    if (due || (!calm_ && pick_(3) == 0)) tell(card, one, now, calm_ || pick_(50) > 0);
  }
}

void SimCards::calm_down(Now now) {
  calm_ = true;
  for (auto& [card, one] : cards_) {
    if (!is_adopted(one.foreign)) one.foreign = {};
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
  one.seen = is_adopted(one.foreign) ? Foreign{} : one.foreign;
  if (answers) {
    seen.view.processes = jobs_.on_card(card);
    if (!one.last || now.boot > one.last->at) {
      one.before = std::exchange(one.last, Shown{now.boot, {}});
      for (const SeenProcess& process : seen.view.processes) {
        if (process.attempt) one.last->bytes[*process.attempt] += process.vram_bytes.value_or(0);
      }
    }
    if (one.seen.pid > 0) {
      SeenProcess process{.pid = one.seen.pid};
      process.vram_bytes = one.seen.vram_bytes;
      process.load_percent = one.seen.load_percent;
      process.user = "by-hand";
      seen.view.processes.push_back(std::move(process));
    }
    seen.view.used_bytes = bytes_of(seen.view.processes);
  }
  one.answers_at.reset();
  one.told = now.boot;
  one.on_request = std::exchange(one.asked, false);
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

std::vector<SimCards::Grown> SimCards::grown_on(CardNumber card) const {
  std::vector<Grown> grown;
  const One& one = cards_.at(card);
  if (!one.last || !one.before) return grown;
  // A rate needs some time, and nobody knows what happened in a long one.
  const std::chrono::duration<double> gap = one.last->at - one.before->at;
  if (gap < std::chrono::milliseconds{500} || gap > Seconds{10}) return grown;
  for (const auto& [attempt, bytes] : one.last->bytes) {
    const auto earlier = one.before->bytes.find(attempt);
    if (earlier == one.before->bytes.end() || bytes < earlier->second) continue;
    const double rate = static_cast<double>(bytes - earlier->second) / gap.count();
    if (rate > 2 * kGrowing) grown.push_back({attempt, bytes});
  }
  return grown;
}

}  // namespace gpusched
