#include "core/model/job.h"

#include <algorithm>

#include "base/check.h"

namespace gpusched {

const char* state_name(const JobState& state) {
  struct Name {
    const char* operator()(const Held&) const { return "held"; }
    const char* operator()(const Queued&) const { return "queued"; }
    const char* operator()(const Starting&) const { return "starting"; }
    const char* operator()(const Running& running) const {
      const Aside* aside = aside_of(running);
      if (aside == nullptr) return "running";
      switch (aside->phase) {
        case AsidePhase::kPausing:
          return "pausing";
        case AsidePhase::kPaused:
          return "paused";
        case AsidePhase::kResuming:
          return "resuming";
      }
      CHECK(false);
    }
    const char* operator()(const Ended& ended) const {
      switch (ended.outcome) {
        case Outcome::kCompleted:
          return "completed";
        case Outcome::kFailed:
          return "failed";
        case Outcome::kCancelled:
          return "cancelled";
      }
      CHECK(false);
    }
  };
  return std::visit(Name{}, state);
}

const char* cause_name(Cause cause) {
  switch (cause) {
    case Cause::kExit:
      return "exit";
    case Cause::kSignal:
      return "signal";
    case Cause::kTimeout:
      return "timeout";
    case Cause::kExpired:
      return "expired";
    case Cause::kCudaOom:
      return "cuda_oom";
    case Cause::kHostOom:
      return "host_oom";
    case Cause::kGpuLost:
      return "gpu_lost";
    case Cause::kVramLimit:
      return "vram_limit";
    case Cause::kLaunch:
      return "launch";
    case Cause::kDependency:
      return "dependency";
    case Cause::kMachineLost:
      return "machine_lost";
    case Cause::kSupervisorLost:
      return "supervisor_lost";
    case Cause::kRestoreLost:
      return "restore_lost";
  }
  CHECK(false);
}

std::optional<Cause> cause_named(const std::string& name) {
  for (const Cause cause : kAllCauses) {
    if (name == cause_name(cause)) return cause;
  }
  return std::nullopt;
}

const Usage& usage_of(const Ended& ended) {
  static const Usage kNone;
  return ended.usage ? *ended.usage : kNone;
}

const Grant* grant_of(const Job& job) {
  if (const auto* starting = std::get_if<Starting>(&job.state)) return &starting->grant;
  if (const auto* running = std::get_if<Running>(&job.state)) return &running->grant;
  if (const auto* ended = std::get_if<Ended>(&job.state)) return &ended->grant;
  return nullptr;
}

const CardGrant* given_on(const Job& job, CardNumber card) {
  const auto& cards = grant_of(job)->cards;
  const auto found = std::ranges::find(cards, card, &CardGrant::card);
  return found == cards.end() ? nullptr : &*found;
}

StopReason stopping_of(const Job& job) {
  if (const auto* starting = std::get_if<Starting>(&job.state)) return starting->stopping;
  if (const auto* running = std::get_if<Running>(&job.state)) return running->stopping;
  return StopReason::kNone;
}

const Presence* presence_of(const Job& job) {
  const auto* running = std::get_if<Running>(&job.state);
  return running == nullptr ? nullptr : running->presence.get();
}

const Aside* aside_of(const Running& running) {
  return running.presence ? running.presence->aside() : nullptr;
}

const Aside* aside_of(const Job& job) {
  const Presence* presence = presence_of(job);
  return presence == nullptr ? nullptr : presence->aside();
}

std::optional<AsidePhase> aside_phase(const Job& job) {
  const Aside* aside = aside_of(job);
  return aside == nullptr ? std::nullopt : std::optional(aside->phase);
}

bool stands_still(const Job& job) {
  const Aside* aside = aside_of(job);
  return aside != nullptr && aside->why == AsideWhy::kStill;
}

const Grant& held_by(const Job& job, Grant&& away) {
  const Grant& grant = *grant_of(job);
  if (!is_aside(job) || stands_still(job)) return grant;
  const Aside& aside = *aside_of(job);
  if (aside.phase != AsidePhase::kPaused) {
    // On its way it is in both places: on its cards, and in the host RAM that is kept for it.
    if (aside.mechanism != Mechanism::kCheckpoint) return grant;
    away = grant;
    away.ram_bytes += aside.host_bytes;
    return away;
  }
  // Frozen or idle, so it needs no CPU. Its memory is another matter.
  away = {.cards = {}, .cpus = 0, .ram_bytes = grant.ram_bytes};
  if (aside.mechanism == Mechanism::kCheckpoint) {
    away.ram_bytes += aside.host_bytes;
    return away;
  }
  away.cards = grant.cards;
  for (CardGrant& card : away.cards) card.share_percent = 0;
  return away;
}

namespace {

// A copy of where it stands, to be changed.
Presence& change_presence(Job& job) {
  auto& held = std::get<Running>(job.state).presence;
  auto changed = held ? std::make_shared<Presence>(*held) : std::make_shared<Presence>();
  Presence& presence = *changed;
  held = std::move(changed);
  return presence;
}

Microseconds away_by(const Running& running, Wall now) {
  if (!running.presence) return Microseconds{0};
  const Aside* aside = running.presence->aside();
  return running.presence->away +
         (aside ? std::max(Microseconds{0}, now - aside->since) : Microseconds{0});
}

}  // namespace

Presence& set_aside(Job& job, Aside aside) {
  Presence& presence = change_presence(job);
  presence.place = aside;
  presence.failed.reset();
  return presence;
}

Aside& change_aside(Job& job) { return std::get<Aside>(change_presence(job).place); }

Presence& return_to_cards(Job& job, Wall now) {
  const Microseconds away = away_for(job, now);
  Presence& presence = change_presence(job);
  presence.place = OnCards{.since = now, .stood_still = stands_still(job)};
  presence.away = away;
  presence.failed.reset();
  return presence;
}

Microseconds away_for(const Job& job, Wall now) {
  const auto* running = std::get_if<Running>(&job.state);
  return running == nullptr ? Microseconds{0} : away_by(*running, now);
}

Microseconds ran_for(const Running& running, Wall now) {
  return std::max(now - running.started_at - away_by(running, now), Microseconds{0});
}

QueuePlace queue_place_of(const Job& job) {
  return job.place.unset() ? QueuePlace{job.submitted_at, job.id} : *job.place;
}

}  // namespace gpusched
