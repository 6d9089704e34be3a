// What is seen on the cards of the hostile world: memory that grows beyond what was asked for, and
// jobs that are paused and resumed at any moment.
#include <algorithm>
#include <utility>

#include "sim/fault_world.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20;

bool is_paused_by_hand(const Job& job) {
  return aside_phase(job) == AsidePhase::kPaused && aside_of(job)->by_hand;
}

}  // namespace

std::vector<SeenProcess> FaultWorld::processes_on(const Card& card, std::uint64_t taken) {
  std::vector<SeenProcess> processes;
  const State& state = engine_->state();
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const AttemptId attempt = job.current_attempt();
    const auto& cards = grant_of(job)->cards;
    const auto held = std::ranges::find(cards, card.number, &CardGrant::card);
    const auto truth = launcher_.truth().find(attempt);
    if (held == cards.end() || truth == launcher_.truth().end() || !truth->second.alive) continue;
    const SimLauncher::Place place = launcher_.place_of(attempt);
    if (place == SimLauncher::Place::kAside) continue;
    std::uint64_t& bytes = memory_[attempt];
    if (place == SimLauncher::Place::kOnCards && !calm_) {
      bytes += static_cast<std::uint64_t>(pick(6000)) * kMiB;
    }
    // In calm weather everybody gives back what it was not given.
    if (calm_) bytes = std::min(bytes, held->vram_bytes);
    bytes = std::min(bytes, card.vram_bytes - std::min(card.vram_bytes, taken));
    taken += bytes;
    SeenProcess process{.pid = static_cast<int>(number_of(id))};
    process.vram_bytes = bytes;
    process.attempt = attempt;
    processes.push_back(std::move(process));
  }
  return processes;
}

void FaultWorld::pause_or_resume(JobId job) {
  const Actor root{0, true};
  if (chance(60)) {
    engine_->post(PauseAsked{root, {job}}, [](const Result<Answer>&) {});
  } else {
    engine_->post(ResumeAsked{root, {job}}, [](const Result<Answer>&) {});
  }
}

bool FaultWorld::help_on() {
  const State& state = engine_->state();
  if (state.active().empty()) return false;
  std::vector<JobId> paused;
  for (const JobId id : state.aside()) {
    if (is_paused_by_hand(*state.find(id))) paused.push_back(id);
  }
  if (!paused.empty()) {
    engine_->post(ResumeAsked{{0, true}, std::move(paused)}, [](const Result<Answer>&) {});
  }
  seen_cards_->look_at_all(now_);
  now_.wall += Seconds{10};
  now_.boot += Seconds{10};
  return true;
}

}  // namespace gpusched
