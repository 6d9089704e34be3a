// What rules see of the machine: disk, sampler, store. And what looks remember of what happened.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "core/alarm/observe.h"

namespace gpusched {
namespace {

constexpr std::size_t kXidsMost = 64;           // Of one card.
constexpr std::size_t kUsersMost = 100;         // Who have jobs that fail; the others go together.
constexpr std::size_t kProgramsCounted = 1000;  // Of which failures are counted.
constexpr Microseconds kDayLong = Seconds{24 * 3600};
constexpr Microseconds kHourLong = Seconds{3600};
constexpr const char* kOthers = "others";

double in_seconds(Microseconds time) {
  return std::chrono::duration_cast<std::chrono::duration<double>>(time).count();
}

void remember_xids(AlarmMemory& memory, const AlarmFacts& facts, Now now) {
  for (const XidFact& one : facts.xids) {
    auto& list = memory.xids[one.card];
    if (list.size() == kXidsMost) list.pop_front();
    list.push_back({now.boot, one});
  }
  for (auto& [card, list] : memory.xids) {
    while (!list.empty() && now.boot - list.front().at > kDayLong) list.pop_front();
  }
  std::erase_if(memory.xids, [](const auto& entry) { return entry.second.empty(); });
}

void remember_errors(AlarmMemory& memory, const AlarmFacts& facts, Now now) {
  for (const CardFacts& card : facts.cards) {
    if (!card.corrected && !card.uncorrected) continue;
    const auto [entry, fresh] = memory.errors.try_emplace(card.number);
    AlarmMemory::Errors& errors = entry->second;
    const std::uint64_t corrected = card.corrected.value_or(errors.corrected_before);
    // Counters begin anew with their driver.
    if (fresh || corrected < errors.corrected_before ||
        now.boot - errors.window_began >= kHourLong) {
      errors.window_began = now.boot;
      errors.corrected_before = corrected;
    }
    errors.uncorrected_rose =
        card.uncorrected && errors.uncorrected && *card.uncorrected > *errors.uncorrected;
    if (card.uncorrected) errors.uncorrected = card.uncorrected;
  }
}

void count_failures(AlarmMemory::Failures& failures, const EndedFact& one, Now now) {
  failures.last = now.boot;
  if (one.failed > 0) {
    failures.job = one.last_failed;
    failures.how = one.how;
  }
  failures.tenant = one.tenant;
  failures.user = one.user;
  failures.program = one.program;
}

// The one that failed longest ago goes.
template <class Book>
void bound(Book& book, std::size_t most) {
  while (book.size() > most) {
    book.erase(
        std::ranges::min_element(book, {}, [](const auto& entry) { return entry.second.last; }));
  }
}

void remember_ended(AlarmMemory& memory, const AlarmFacts& facts, Now now) {
  for (const EndedFact& one : facts.ended) {
    if (one.failed > 0) {
      const bool many =
          memory.failed_of_user.size() >= kUsersMost && !memory.failed_of_user.contains(one.user);
      AlarmMemory::Failures& of_user = memory.failed_of_user[many ? kOthers : one.user];
      of_user.count += one.failed;
      count_failures(of_user, one, now);
    }
    const std::pair key(one.tenant, one.program);
    if (one.failed == 0 && !memory.failures_in_row.contains(key)) {
      // It may be on from before a restart: that it went well is news then.
      if (memory.failures_in_row.size() >= kProgramsCounted) continue;
    }
    AlarmMemory::Failures& in_row = memory.failures_in_row[key];
    in_row.count = one.went_well ? one.failed_last : in_row.count + one.failed;
    count_failures(in_row, one, now);
    bound(memory.failures_in_row, kProgramsCounted);
  }
}

}  // namespace

void remember_events(AlarmMemory& memory, const AlarmFacts& facts, Now now) {
  // What went well was seen by all rules in the look before.
  std::erase_if(memory.failures_in_row, [](const auto& entry) { return entry.second.count == 0; });
  std::erase_if(memory.failed_of_user,
                [now](const auto& entry) { return now.boot - entry.second.last > kDayLong; });
  remember_xids(memory, facts, now);
  remember_errors(memory, facts, now);
  remember_ended(memory, facts, now);
}

void observe_disk_low(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  if (!facts.disk) return;
  constexpr double kPart = 10;
  const auto all = static_cast<double>(facts.disk->all_bytes);
  const auto free = static_cast<double>(facts.disk->free_bytes);
  double limit = threshold_of(rule).value_or(0);
  if (!rule.threshold) limit = std::min(limit, all / kPart);
  const Standing standing = standing_below(free, limit, clear_of(rule, limit));
  constexpr double kMiB = 1024.0 * 1024;
  judge.see(rule,
            {.subject = std::string(kTheMachine),
             .standing = standing,
             .value = std::floor(free / kMiB) * kMiB},
            [&](bool over) {
              const std::string size = rounded_size(facts.disk->free_bytes);
              if (over) return AlarmWords{.what = "there is room on the disk again: " + size};
              return AlarmWords{
                  .what = size + " are free on the disk of the state directory",
                  .whom = "everybody: without room no job is taken or started",
                  .advice = "remove logs and checkpoints of jobs, or shorten retention.keep_for"};
            });
}

void observe_sampler_stalled(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  constexpr int kLooks = 3;
  if (!facts.sampler_silent) return;
  const double silent = in_seconds(*facts.sampler_silent);
  const double limit =
      std::max(threshold_of(rule).value_or(0), in_seconds(facts.sampler_period * kLooks));
  judge.see(
      rule,
      {.subject = std::string(kTheMachine),
       .standing = standing_above(silent, limit, limit),
       .value = std::floor(silent)},
      [&](bool over) {
        if (over) return AlarmWords{.what = "the cards are looked at again"};
        return AlarmWords{
            .what = "nothing was heard of any card for " +
                    format_duration(std::chrono::floor<Seconds>(*facts.sampler_silent)),
            .whom = "everybody: nothing new starts on cards that nobody sees",
            .advice = "the driver may hang: look at dmesg and try nvidia-smi; a reboot helps"};
      });
}

void observe_store_slow(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  const bool known = facts.slowest_commit.has_value();
  const double took = known ? in_seconds(*facts.slowest_commit) : 0;
  const double limit = threshold_of(rule).value_or(0);
  judge.see(
      rule,
      {.subject = std::string(kTheMachine),
       .standing = known ? standing_above(took, limit, clear_of(rule, limit)) : Standing::kUnknown,
       .value = std::floor(took * 10) / 10},
      [&](bool over) {
        if (over) return AlarmWords{.what = "commits are quick again"};
        return AlarmWords{
            .what =
                "a commit takes " + std::to_string(static_cast<std::int64_t>(took * 1000)) + " ms",
            .whom = "everybody: submits and starts wait for the disk",
            .advice = "look at the load of the disk that has the state directory (iostat)"};
      });
}

}  // namespace gpusched
