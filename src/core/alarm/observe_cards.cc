// What rules see of cards.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/words.h"
#include "core/alarm/observe.h"

namespace gpusched {
namespace {

std::string card_name(CardNumber card) { return "card " + std::to_string(number_of(card)); }

Sight sight_of(const CardFacts& card, Standing standing, std::optional<double> value = {}) {
  Sight sight{.subject = card_name(card.number), .standing = standing, .value = value};
  sight.card = card.number;
  sight.seen_at = card.read_at;
  return sight;
}

std::string who_is_on(const AlarmFacts& facts, CardNumber card) {
  return facts.who_is_on ? facts.who_is_on(card) : std::string();
}

std::string degrees(double value) {
  return std::to_string(static_cast<int>(std::lround(value))) + " °C";
}

std::string percent(double value) {
  return std::to_string(static_cast<int>(std::lround(value))) + " %";
}

std::string with_number(const std::string& command, CardNumber card) {
  return command + " " + std::to_string(number_of(card));
}

// What keeps new jobs from it.
std::string drain_of(CardNumber card) {
  return with_number("gpusched drain", card) + " keeps new jobs away from it";
}

constexpr double kUsualLimit = 85;
constexpr double kBelowSlowdown = 5;
constexpr double kMemoryLimit = 95;
constexpr double kMemoryWell = 90;

}  // namespace

namespace {

std::string not_missed_words(const std::string& name) {
  return name + " is not missed any more: it is drained by hand, or left out by the configuration";
}

// Those that nobody lists any more.
void see_not_missed(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  for (const CardNumber number : facts.not_missed) {
    if (std::ranges::find(facts.cards, number, &CardFacts::number) != facts.cards.end()) continue;
    Sight sight{.subject = card_name(number), .standing = Standing::kWell};
    sight.card = number;
    judge.see(rule, std::move(sight),
              [number](bool) { return AlarmWords{.what = not_missed_words(card_name(number))}; });
  }
}

}  // namespace

void observe_card_lost(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  for (const CardFacts& card : facts.cards) {
    const bool gone = card.condition == CardCondition::kGone;
    const bool silent = card.condition == CardCondition::kUnknown;
    const bool unseen = card.condition == CardCondition::kUnseen;
    const bool missed = !facts.not_missed.contains(card.number);
    Sight sight = sight_of(card, !missed          ? Standing::kWell
                                 : gone || silent ? Standing::kBad
                                 : unseen         ? Standing::kUnknown
                                                  : Standing::kWell);
    if (gone) sight.hold = Seconds{0};
    judge.see(rule, std::move(sight), [&](bool over) {
      const std::string name = card_name(card.number);
      if (over && !missed) return AlarmWords{.what = not_missed_words(name)};
      if (over) return AlarmWords{.what = name + " is back"};
      const std::string why = card.reason.empty() ? "" : ": " + card.reason;
      return AlarmWords{
          .what = name + (gone ? " fell off the bus" : " does not answer") + why,
          .whom = who_is_on(facts, card.number),
          .advice = (gone ? "nothing new starts there; reboot the machine, then look at the card's "
                            "power and seat; "
                          : "look at dmesg; if it lasts, reset the card or reboot the machine; ") +
                    ("if it is out for good: " + with_number("gpusched drain", card.number))};
    });
  }
  see_not_missed(judge, rule, facts);
  if (!facts.cards_missing) return;
  const std::uint64_t missing = *facts.cards_missing;
  judge.see(rule,
            {.subject = "the cards",
             .standing = missing > 0 ? Standing::kBad : Standing::kWell,
             .value = static_cast<double>(missing)},
            [missing](bool over) {
              if (over) return AlarmWords{.what = "no card is missing any more"};
              return AlarmWords{
                  .what = counted(missing, "card") + " of those that gpus.expect counts " +
                          (missing == 1 ? "is" : "are") + " missing",
                  .advice = "look at dmesg and at the machine; lower gpus.expect if that is right"};
            });
}

void observe_temperature(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  for (const CardFacts& card : facts.cards) {
    const double limit =
        threshold_of(rule).value_or(card.slowdown ? *card.slowdown - kBelowSlowdown : kUsualLimit);
    const double memory_limit = std::max(kMemoryLimit, limit);
    Standing standing = Standing::kUnknown;
    if (card.temperature)
      standing = standing_above(*card.temperature, limit, clear_of(rule, limit));
    const bool hot_memory = card.memory_temperature && *card.memory_temperature >= memory_limit;
    const bool warm_memory = card.memory_temperature && *card.memory_temperature > kMemoryWell;
    if (hot_memory) standing = Standing::kBad;
    if (warm_memory && standing == Standing::kWell) standing = Standing::kBetween;
    judge.see(rule, sight_of(card, standing, card.temperature), [&](bool over) {
      const std::string name = card_name(card.number);
      const std::string is = card.temperature ? degrees(*card.temperature) : "an unknown heat";
      if (over) return AlarmWords{.what = name + " is cool again, at " + is};
      const bool core = card.temperature && *card.temperature >= limit;
      return AlarmWords{
          .what = core || !hot_memory
                      ? name + " is at " + is + ", its limit is " + degrees(limit)
                      : "the memory of " + name + " is at " + degrees(*card.memory_temperature) +
                            ", its limit is " + degrees(memory_limit),
          .whom = who_is_on(facts, card.number),
          .advice = "look at its fans and at the air around the machine; " + drain_of(card.number)};
    });
  }
}

void observe_throttling(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  constexpr double kBusy = 50;
  constexpr int kSoftTimes = 10;
  for (const CardFacts& card : facts.cards) {
    const bool hard = card.hard_throttle.value_or(false);
    const bool soft = card.soft_throttle.value_or(false) && card.busy_percent.value_or(0) > kBusy;
    Sight sight = sight_of(card, !card.hard_throttle ? Standing::kUnknown
                                 : hard || soft      ? Standing::kBad
                                                     : Standing::kWell);
    if (!hard) sight.hold = rule.hold * kSoftTimes;
    judge.see(rule, std::move(sight), [&](bool over) {
      const std::string name = card_name(card.number);
      if (over) return AlarmWords{.what = name + " runs at its full clocks again"};
      return AlarmWords{.what = hard ? name + " slows itself down: heat, or too little power"
                                     : name + " is slowed down by its driver because of heat",
                        .whom = who_is_on(facts, card.number),
                        .advice =
                            "jobs there take longer; look at cooling and power supply, and "
                            "at nvidia-smi -q -d PERFORMANCE"};
    });
  }
}

void observe_xid(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  constexpr std::size_t kSeveralUsers = 3;
  for (const CardFacts& card : facts.cards) {
    const auto known = judge.memory().xids.find(card.number);
    const bool open = judge.is_open({rule.name, card_name(card.number)});
    if (known == judge.memory().xids.end() && !open) continue;
    const AlarmMemory::Xid* worst = nullptr;
    std::set<std::string> users;
    std::size_t count = 0;
    Consequence consequence = Consequence::kKeep;
    const std::deque<AlarmMemory::Xid> none;
    for (const AlarmMemory::Xid& one : known == judge.memory().xids.end() ? none : known->second) {
      users.insert(one.fact.users.begin(), one.fact.users.end());
      if (judge.now().boot - one.at > rule.clear_for) continue;
      const Consequence is = gpusched::judge(one.fact.kind, one.fact.number).consequence;
      ++count;
      if (worst == nullptr || is >= consequence) worst = &one;
      consequence = std::max(consequence, is);
    }
    const bool programs_fault = consequence == Consequence::kKeep;
    const bool counts = worst != nullptr && (!programs_fault || users.size() >= kSeveralUsers);
    // After a restart nobody remembers what it was: it stays for its time.
    const bool stays =
        open && worst == nullptr && judge.now().boot - *judge.memory().first_look <= rule.clear_for;
    if (stays) continue;
    Sight sight =
        sight_of(card, counts ? Standing::kBad : Standing::kWell, static_cast<double>(count));
    sight.event = true;
    sight.clear_for = Seconds{0};
    if (consequence == Consequence::kDrain) sight.severity = Severity::kCritical;
    const Verdict verdict =
        worst == nullptr ? Verdict{} : gpusched::judge(worst->fact.kind, worst->fact.number);
    judge.see(rule, std::move(sight), [&](bool over) {
      const std::string name = card_name(card.number);
      if (over) return AlarmWords{.what = name + " has reported no error for a while"};
      std::string what = name + " reports " + verdict.what;
      if (programs_fault) {
        what += "; programs of " + counted(users.size(), "user") +
                " met it within a day, so it may be the card";
      }
      const std::string drained =
          consequence == Consequence::kDrain ? "the card gets nothing new; " : "";
      return AlarmWords{
          .what = std::move(what),
          .whom = who_is_on(facts, card.number),
          .advice = drained +
                    (verdict.advice.empty() ? "look at dmesg" : verdict.advice + ", see dmesg")};
    });
  }
}

void observe_ecc(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  const double limit = threshold_of(rule).value_or(0);
  for (const CardFacts& card : facts.cards) {
    const auto known = judge.memory().errors.find(card.number);
    if (known == judge.memory().errors.end() || (!card.corrected && !card.uncorrected)) {
      judge.see(rule, sight_of(card, Standing::kUnknown), [](bool) { return AlarmWords{}; });
      continue;
    }
    const AlarmMemory::Errors& errors = known->second;
    const bool uncorrected = errors.uncorrected_rose;
    const auto corrected = static_cast<double>(
        card.corrected ? *card.corrected - std::min(*card.corrected, errors.corrected_before) : 0);
    const bool many = limit > 0 && corrected >= limit;
    Sight sight = sight_of(card, uncorrected || many ? Standing::kBad : Standing::kWell, corrected);
    if (uncorrected) sight.severity = Severity::kCritical;
    judge.see(rule, std::move(sight), [&](bool over) {
      const std::string name = card_name(card.number);
      if (over) return AlarmWords{.what = name + " has had few memory errors for a day"};
      return AlarmWords{
          .what = uncorrected ? name + " had a memory error that could not be corrected"
                              : name + " has corrected " +
                                    std::to_string(static_cast<std::uint64_t>(corrected)) +
                                    " memory errors within an hour",
          .whom = who_is_on(facts, card.number),
          .advice = drain_of(card.number) +
                    "; reset it when it is idle, and if it happens again, have it replaced"};
    });
  }
}

void observe_health(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  for (const CardFacts& card : facts.cards) {
    if (!card.drained_by_health) continue;
    const std::string& why = *card.drained_by_health;
    judge.see(rule, sight_of(card, why.empty() ? Standing::kWell : Standing::kBad), [&](bool over) {
      const std::string name = card_name(card.number);
      if (over && card.drained_by_hand) {
        return AlarmWords{.what = name + " is drained by hand now, and no longer by a rule"};
      }
      if (over) return AlarmWords{.what = name + " is in service again"};
      return AlarmWords{
          .what = name + " is out of service: " + why,
          .whom = who_is_on(facts, card.number),
          .advice = "see to it, then: gpusched undrain " + std::to_string(number_of(card.number))};
    });
  }
}

void observe_foreign_vram(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  const double limit = threshold_of(rule).value_or(0);
  for (const CardFacts& card : facts.cards) {
    const bool known = card.foreign_bytes.has_value();
    const auto bytes = static_cast<double>(card.foreign_bytes.value_or(0));
    const Standing standing =
        known ? standing_above(bytes, limit, clear_of(rule, limit)) : Standing::kUnknown;
    const auto value = known ? std::optional(bytes) : std::nullopt;
    judge.see(rule, sight_of(card, standing, value), [&](bool over) {
      const std::string name = card_name(card.number);
      const std::string size = rounded_size(card.foreign_bytes.value_or(0));
      if (over) return AlarmWords{.what = "little of " + name + " is held by others than jobs now"};
      return AlarmWords{.what = size + " of " + name + " are held by processes that are no jobs",
                        .whom = who_is_on(facts, card.number),
                        .advice = "gpusched gpus names them; gpusched adopt makes jobs of them"};
    });
  }
}

void observe_vram_full(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  // A context of the driver has a few hundred MiB of its own.
  constexpr std::uint64_t kContext = 512ULL << 20;
  const double limit = threshold_of(rule).value_or(100);
  for (const CardFacts& card : facts.cards) {
    const bool known = card.used_bytes && card.used_by_jobs && card.whole_bytes > 0;
    const double used = known ? 100.0 * static_cast<double>(*card.used_bytes) /
                                    static_cast<double>(card.whole_bytes)
                              : 0;
    Standing standing =
        known ? standing_above(used, limit, clear_of(rule, limit)) : Standing::kUnknown;
    // Full as it was asked for is as it should be.
    const bool beyond = known && *card.used_by_jobs > card.held_bytes + kContext;
    if (standing == Standing::kBad && !beyond) standing = Standing::kBetween;
    const auto value = known ? std::optional(std::round(used)) : std::nullopt;
    judge.see(rule, sight_of(card, standing, value), [&](bool over) {
      const std::string name = card_name(card.number);
      if (over) return AlarmWords{.what = name + " has room again: " + percent(used) + " in use"};
      return AlarmWords{
          .what = percent(used) + " of the VRAM of " + name + " are in use, and its jobs have " +
                  rounded_size(card.used_by_jobs.value_or(0)) + " where they were given " +
                  rounded_size(card.held_bytes),
          .whom = who_is_on(facts, card.number),
          .advice =
              "jobs there may run out of memory; ask for more with --vram, or bound them "
              "with --vram-limit"};
    });
  }
}

void observe_idle_card(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  for (const CardFacts& card : facts.cards) {
    Sight sight = sight_of(card, card.fits ? Standing::kBad : Standing::kWell);
    if (card.condition == CardCondition::kUnknown) sight.standing = Standing::kUnknown;
    sight.job = card.fits;
    judge.see(rule, std::move(sight), [&](bool over) {
      const std::string name = card_name(card.number);
      if (over || !card.fits) {
        return AlarmWords{.what = name + " is in use again, or nothing that fits waits for it"};
      }
      const std::string job = std::to_string(number_of(*card.fits));
      return AlarmWords{.what = name + " is free while job " + job + " waits, which fits there",
                        .whom = "job " + job + " of " + card.fits_user,
                        .advice = "gpusched explain " + job + " says what it waits for"};
    });
  }
}

}  // namespace gpusched
