#include "core/share/quota.h"

#include <algorithm>

#include "core/admit/admission.h"
#include "core/state/belief.h"
#include "core/state/gpu_hours.h"

namespace gpusched {
namespace {

std::uint64_t left_of(std::uint64_t limit, std::uint64_t in_use) {
  if (limit == kNoLimit) return kNoLimit;
  return limit - std::min(limit, in_use);
}

// What the tenant holds, with what this turn has given it.
TenantHolds holds_of(const TenantBook::Entry* entry, const Tentative& free, const Job& job) {
  TenantHolds holds = entry != nullptr ? entry->holds : TenantHolds{};
  if (const auto given = free.given.find(job.tenant); given != free.given.end()) {
    holds.cards += given->second.cards;
    holds.vram_bytes += given->second.vram_bytes;
    holds.running += given->second.running;
  }
  return holds;
}

std::uint64_t least_cards(const StateView& state, const Needs& needs) {
  if (!needs.gpus.all()) return static_cast<std::uint64_t>(std::max(1, needs.gpus.least));
  const auto could = std::ranges::count_if(
      state.cards(), [&](const Card& card) { return card.usable && could_ever_fit(card, needs); });
  return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, could));
}

// The least that the job would hold on as many cards as it needs.
std::uint64_t least_vram(const StateView& state, const Needs& needs) {
  std::vector<std::uint64_t> held;
  for (const Card& card : state.cards()) {
    if (could_ever_fit(card, needs)) held.push_back(grant_on(card, needs).vram_bytes);
  }
  std::ranges::sort(held);
  held.resize(std::min<std::size_t>(held.size(), least_cards(state, needs)));
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : held) sum += bytes;
  return sum;
}

bool may_do_without_cards(const Needs& needs) {
  return !needs.wants_cards() || needs.cpu_use != CpuUse::kNever;
}

std::optional<QuotaStop> card_stop(const StateView& state, const TenantTerms& terms,
                                   const TenantHolds& holds, const Needs& needs) {
  if (terms.cards != kNoLimit) {
    const std::uint64_t wanted = least_cards(state, needs);
    if (wanted > left_of(terms.cards, holds.cards)) {
      return QuotaStop{QuotaKind::kCards, terms.cards, holds.cards, wanted, {}};
    }
  }
  if (terms.vram_bytes != kNoLimit) {
    const std::uint64_t wanted = least_vram(state, needs);
    if (wanted > left_of(terms.vram_bytes, holds.vram_bytes)) {
      return QuotaStop{QuotaKind::kVram, terms.vram_bytes, holds.vram_bytes, wanted, {}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<QuotaStop> quota_stop(const StateView& state, const Tentative& free, const Job& job,
                                    Now now) {
  if (const DiskUse& disk = state.disk_use(); disk.too_much(job.tenant)) {
    return QuotaStop{QuotaKind::kDisk, disk.limit, disk.of(job.tenant), 0, {}};
  }
  if (!state.tenants().any_quota()) return std::nullopt;
  const TenantBook::Entry* entry = state.tenants().find(job.tenant);
  const TenantTerms terms = state.tenants().terms_of(job.tenant);
  if (!terms.limits_starts()) return std::nullopt;
  const JobSpec& spec = *job.spec;
  const TenantHolds holds = holds_of(entry, free, job);
  if (holds.running >= terms.running) {
    return QuotaStop{QuotaKind::kRunning, terms.running, holds.running, 1, {}};
  }
  const auto limit = static_cast<std::uint64_t>(spec.time.limit.count());
  if (terms.time_limit_s != kNoLimit && (limit == 0 || limit > terms.time_limit_s)) {
    return QuotaStop{QuotaKind::kTimeLimit, terms.time_limit_s, 0, limit, {}};
  }
  if (may_do_without_cards(spec.needs)) return std::nullopt;
  if (auto stop = hours_stop(entry, terms, now)) return stop;
  return card_stop(state, terms, holds, spec.needs);
}

bool stops_all(const QuotaStop& stop) {
  return stop.kind == QuotaKind::kRunning || stop.kind == QuotaKind::kDisk;
}

bool stops_all_on_cards(const QuotaStop& stop) {
  return stop.kind == QuotaKind::kGpuHours ||
         (stop.kind == QuotaKind::kCards && stop.in_use >= stop.limit);
}

void keep_within_quota(const StateView& state, const Tentative& free, const Job& job, Now now,
                       std::vector<std::size_t>& cards) {
  if (!state.tenants().any_quota()) return;
  const TenantBook::Entry* entry = state.tenants().find(job.tenant);
  const TenantTerms terms = state.tenants().terms_of(job.tenant);
  if (hours_stop(entry, terms, now)) return cards.clear();
  const TenantHolds holds = holds_of(entry, free, job);
  std::uint64_t vram_left = left_of(terms.vram_bytes, holds.vram_bytes);
  if (vram_left != kNoLimit) {
    const Needs needs = needs_now(state, job);
    std::erase_if(cards, [&](std::size_t i) {
      const std::uint64_t bytes = grant_on(state.cards()[i], needs).vram_bytes;
      if (bytes > vram_left) return true;
      vram_left -= bytes;
      return false;
    });
  }
  const std::uint64_t cards_left = left_of(terms.cards, holds.cards);
  if (cards.size() > cards_left) cards.resize(cards_left);
}

bool within_quota(const StateView& state, const Tentative& free, const Job& job, const Grant& grant,
                  Now now) {
  if (!state.tenants().any_quota()) return true;
  const TenantBook::Entry* entry = state.tenants().find(job.tenant);
  const TenantTerms terms = state.tenants().terms_of(job.tenant);
  TenantHolds holds = holds_of(entry, free, job);
  holds.add(grant);
  if (holds.running > terms.running) return false;
  if (grant.cards.empty()) return true;
  return holds.cards <= terms.cards && holds.vram_bytes <= terms.vram_bytes &&
         !hours_stop(entry, terms, now);
}

std::optional<QuotaStop> quota_against(const StateView& state, const Tentative& free,
                                       const Job& job, const Needs& needs,
                                       std::vector<std::size_t> cards, Now now) {
  const std::uint64_t least = least_cards(state, needs);
  if (cards.size() < least) return std::nullopt;
  const std::vector<std::size_t> fitting = cards;
  keep_within_quota(state, free, job, now, cards);
  if (cards.size() >= least) return std::nullopt;
  const TenantBook::Entry* entry = state.tenants().find(job.tenant);
  const TenantTerms terms = state.tenants().terms_of(job.tenant);
  const TenantHolds holds = holds_of(entry, free, job);
  if (auto stop = hours_stop(entry, terms, now)) return stop;
  if (auto stop = card_stop(state, terms, holds, needs)) return stop;
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < least; ++i) {
    wanted += grant_on(state.cards()[fitting[i]], needs).vram_bytes;
  }
  return QuotaStop{QuotaKind::kVram, terms.vram_bytes, holds.vram_bytes, wanted, {}};
}

}  // namespace gpusched
