#include "core/explain/starts_now.h"
#include "core/decide/limits.h"

#include <algorithm>
#include <functional>

#include "core/admit/admission.h"
#include "core/decide/decide.h"
#include "core/place/placement.h"
#include "core/share/quota.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kStep = 1ULL << 30;
// Nothing worth queueing for is over in less time.
constexpr Seconds kWorthSaying{60};

class Wishes {
 public:
  Wishes(const StateView& state, const Job& job, const ReservedStart* reserved,
         const Tentative& left, Now now)
      : state_(state), job_(job), reserved_(reserved), now_(now), free_(left) {}

  bool starts_with(const std::function<void(JobSpec&)>& change) const {
    JobSpec spec = *job_.spec;
    change(spec);
    Job other = job_;
    other.spec = std::make_shared<const JobSpec>(std::move(spec));
    return limited(state_, free_, other, now_) == Limited::kNo &&
           place(state_, free_, other, reserved_, now_).has_value();
  }

  // The most VRAM with which there are cards enough, in whole steps.
  std::optional<Help> less_vram() const {
    const Needs& needs = job_.spec->needs;
    if (needs.exclusive || needs.gpus.all()) return std::nullopt;
    std::vector<std::uint64_t> rooms;
    for (std::size_t i = 0; i < state_.cards().size(); ++i) {
      const Card& card = state_.cards()[i];
      if (!card.usable || !matches(card, needs.cards)) continue;
      const std::uint64_t taken = free_.cards[i].jobs > 0 ? headroom_of(card, state_.rules()) : 0;
      const std::uint64_t room = room_on(card, free_.cards[i]);
      rooms.push_back(room - std::min(room, taken));
    }
    const auto wanted = static_cast<std::size_t>(std::max(1, needs.gpus.least));
    if (rooms.size() < wanted) return std::nullopt;
    std::ranges::sort(rooms, std::greater{});
    const std::uint64_t asked = needs.vram_bytes;
    std::uint64_t bytes = rooms[wanted - 1] / kStep * kStep;
    if (asked > 0) bytes = std::min(bytes, (asked - 1) / kStep * kStep);
    // The share of compute goes with the memory, so somewhat less may be needed.
    for (; bytes > 0; bytes = bytes > 4 * kStep ? bytes / 8 * 7 / kStep * kStep : bytes - kStep) {
      const bool starts = starts_with([bytes](JobSpec& spec) { spec.needs.vram_bytes = bytes; });
      if (starts) return Help{Help::Kind::kLessVram, bytes, asked};
    }
    return std::nullopt;
  }
  // The largest share with which there are cards enough, of a job that says what it needs.
  std::optional<Help> less_share() const {
    const Needs& needs = job_.spec->needs;
    if (needs.exclusive || needs.declares_nothing()) return std::nullopt;
    std::vector<int> lefts;
    int asked = 0;
    for (std::size_t i = 0; i < state_.cards().size(); ++i) {
      const Card& card = state_.cards()[i];
      if (!card.usable || !could_ever_fit(card, needs)) continue;
      asked = std::max(asked, grant_on(card, needs).share_percent);
      lefts.push_back(share_left_on(card, free_.cards[i], state_.rules()));
    }
    std::ranges::sort(lefts, std::greater{});
    lefts.erase(std::unique(lefts.begin(), lefts.end()), lefts.end());
    for (const int left : lefts) {
      if (left <= 0 || left >= asked) continue;
      if (!starts_with([left](JobSpec& spec) { spec.needs.share_percent = left; })) continue;
      return Help{Help::Kind::kLessShare, static_cast<std::uint64_t>(left),
                  static_cast<std::uint64_t>(asked)};
    }
    return std::nullopt;
  }
  std::optional<Help> any_cards() const {
    if (job_.spec->needs.cards.unset()) return std::nullopt;
    if (!starts_with([](JobSpec& spec) { spec.needs.cards = CardFilter{}; })) return std::nullopt;
    return Help{Help::Kind::kAnyCards, 0, 0};
  }
  std::optional<Help> less_ram() const {
    const std::uint64_t total = state_.host().ram_bytes;
    const std::uint64_t left = (total - std::min(total, free_.host.ram_bytes)) / kStep * kStep;
    const std::uint64_t asked = job_.spec->needs.ram_bytes;
    if (left == 0 || left >= asked) return std::nullopt;
    if (!starts_with([left](JobSpec& spec) { spec.needs.ram_bytes = left; })) return std::nullopt;
    return Help{Help::Kind::kLessRam, left, asked};
  }
  // A limit on the job's time that its tenant allows.
  std::optional<Help> allowed_time() const {
    const auto stop = quota_stop(state_, free_, job_, now_);
    if (!stop || stop->kind != QuotaKind::kTimeLimit) return std::nullopt;
    const Seconds limit{static_cast<Seconds::rep>(stop->limit)};
    if (!starts_with([limit](JobSpec& spec) { spec.time.limit = limit; })) return std::nullopt;
    return Help{Help::Kind::kShorterTime, stop->limit, stop->wanted};
  }
  std::optional<Help> fewer_cards() const {
    const Needs& needs = job_.spec->needs;
    const int asked = needs.gpus.all() ? static_cast<int>(state_.cards().size()) : needs.gpus.least;
    for (int cards = asked - 1; cards > 0; --cards) {
      const bool starts = starts_with([cards](JobSpec& spec) { spec.needs.gpus = {cards, cards}; });
      if (!starts) continue;
      return Help{Help::Kind::kFewerCards, static_cast<std::uint64_t>(cards),
                  static_cast<std::uint64_t>(asked)};
    }
    return std::nullopt;
  }
  std::optional<Help> shorter_time() const {
    // Until the reserved start, or until the next time that cards are kept for others.
    std::optional<Wall> until = state_.card_reservations().next_change(now_.wall);
    if (reserved_ != nullptr && reserved_->start) {
      until = std::min(until.value_or(kNobodyKnows), *reserved_->start);
    }
    if (!until) return std::nullopt;
    const TimeRule& time = job_.spec->time;
    const auto left = std::chrono::floor<Seconds>(*until - now_.wall) - time.grace;
    if (left < kWorthSaying || (time.limit > Seconds{0} && time.limit <= left)) return std::nullopt;
    // It would only be ended before it is done.
    const auto expected = expected_run(state_, job_);
    if (expected && *expected > left) return std::nullopt;
    if (!starts_with([left](JobSpec& spec) { spec.time.limit = left; })) return std::nullopt;
    return Help{Help::Kind::kShorterTime, static_cast<std::uint64_t>(left.count()),
                static_cast<std::uint64_t>(time.limit.count())};
  }
  std::optional<Help> fewer_cpus() const {
    const int asked = job_.spec->needs.cpus;
    const int most = std::min(asked - 1, state_.host().cpus - free_.host.cpus);
    const int least = job_.spec->needs.wants_cards() ? 0 : 1;
    if (most < least || !starts_with([most](JobSpec& spec) { spec.needs.cpus = most; })) {
      return std::nullopt;
    }
    return Help{Help::Kind::kFewerCpus, static_cast<std::uint64_t>(most),
                static_cast<std::uint64_t>(asked)};
  }

 private:
  const StateView& state_;
  const Job& job_;
  const ReservedStart* reserved_;
  Now now_;
  const Tentative& free_;
};

}  // namespace

std::vector<Help> what_starts_it(const StateView& state, const Job& job,
                                 const ReservedStart* reserved, const Tentative& left, Now now) {
  std::vector<Help> helps;
  const Wishes wishes(state, job, reserved, left, now);
  const auto offer = [&helps](const std::optional<Help>& help) {
    if (help) helps.push_back(*help);
  };
  // What would start as it is needs no advice.
  if (wishes.starts_with([](JobSpec&) {})) return helps;
  offer(wishes.allowed_time());
  offer(wishes.shorter_time());
  if (job.spec->needs.wants_cards()) {
    offer(wishes.less_vram());
    offer(wishes.less_share());
    offer(wishes.fewer_cards());
    offer(wishes.any_cards());
  }
  if (job.spec->needs.cpus > 0) offer(wishes.fewer_cpus());
  offer(wishes.less_ram());
  return helps;
}

}  // namespace gpusched
