// What jobs of the hostile world take of their cards: less than they asked for, or more, at once or
// little by little, until there is no more.
#include <algorithm>

#include "core/preempt/pressure.h"
#include "sim/fault_world.h"

namespace gpusched {

SimLauncher::Plan FaultWorld::plan_of(const LaunchOrder& order) {
  check_start(order.attempt);
  SimLauncher::Plan plan;
  plan.start_after = Microseconds{pick(5000)};
  plan.run_for = Microseconds{1000 + pick(chance(20) ? 200'000'000 : 20'000'000)};
  plan_memory(order, plan);
  if (calm_) return plan;
  if (chance(10)) {
    plan.out = chance(50) ? SimLauncher::MoveFault::kNever : SimLauncher::MoveFault::kNotNow;
  }
  if (chance(5)) {
    plan.back = chance(50) ? SimLauncher::MoveFault::kLost : SimLauncher::MoveFault::kNotNow;
  }
  plan.exit_code = chance(20) ? 1 + pick(3) : 0;
  plan.supervisor_dies = chance(3);
  plan.claims = !chance(3);
  plan.ignores_term = chance(10);
  if (chance(10)) plan.exit_code = kSavedExitCode;
  if (chance(70)) plan.saves_within = Microseconds{pick(2'000'000)};
  if (chance(3)) plan.launch_error = "no process could be made";
  plan.no_room = chance(50);
  return plan;
}

void FaultWorld::plan_memory(const LaunchOrder& order, SimLauncher::Plan& plan) {
  const Job* job = engine_->state().find(order.attempt.job);
  const Grant* grant = job == nullptr ? nullptr : grant_of(*job);
  if (grant == nullptr || grant->cards.empty()) return;
  for (const CardGrant& held : grant->cards) plan.cards.push_back(held.card);
  const CardNumber first = plan.cards.front();
  if (order.adopted) {
    // It has what it had.
    const SimCards::Foreign& foreign = seen_cards_->foreign_on(first);
    plan.cards = {first};
    plan.vram_bytes = foreign.pid == order.adopted->pid ? foreign.vram_bytes : 0;
    plan.load_percent = foreign.pid == order.adopted->pid ? foreign.load_percent : 0;
    return;
  }
  const std::uint64_t given = grant->cards.front().vram_bytes;
  const std::uint64_t tenth = std::max<std::uint64_t>(given / 10, 1);
  std::uint64_t each = tenth * static_cast<std::uint64_t>(1 + pick(10));
  if (chance(30)) each = given + tenth * static_cast<std::uint64_t>(1 + pick(15));
  each = std::min(each, 22 * kGiB);
  const std::uint64_t cards = plan.cards.size();
  plan.vram_bytes = each * cards;
  plan.load_percent = pick(101);
  if (chance(60))
    plan.vram_per_second = cards * (kGiB / 8) * static_cast<std::uint64_t>(1 + pick(32));
}

std::vector<SeenProcess> FaultWorld::processes_on(CardNumber card) const {
  std::vector<SeenProcess> found;
  for (const SimLauncher::OnCard& one : launcher_.on_card(card)) {
    const std::uint64_t number = 10 * number_of(one.attempt.job);
    SeenProcess process{.pid = one.adopted.value_or(1'000'000 + static_cast<int>(number))};
    process.vram_bytes = one.vram_bytes;
    process.load_percent = one.load_percent;
    process.attempt = one.attempt;
    found.push_back(std::move(process));
  }
  return found;
}

std::uint64_t FaultWorld::used_on(CardNumber card) const {
  const SimCards::Foreign& foreign = seen_cards_->foreign_on(card);
  std::uint64_t used = launcher_.has_adopted(foreign.pid) ? 0 : foreign.vram_bytes;
  for (const SimLauncher::OnCard& one : launcher_.on_card(card)) used += one.vram_bytes;
  return used;
}

// As a mover finds it that has looked at the cards afresh.
bool FaultWorld::has_room(const MoveOrder& order) const {
  const std::uint64_t each = launcher_.part_on_each_card(order.attempt);
  return std::ranges::all_of(launcher_.cards_of(order.attempt), [&](CardNumber card) {
    const auto found = std::ranges::find(cards_, card, &Card::number);
    return used_on(card) + each <= found->vram_bytes;
  });
}

// A job that takes more memory than there is dies of it.
void FaultWorld::memory_runs_out() {
  for (const Card& card : cards_) {
    if (used_on(card.number) <= card.vram_bytes) continue;
    std::vector<SimLauncher::OnCard> there = launcher_.on_card(card.number);
    if (there.empty()) continue;
    std::erase_if(there, [](const SimLauncher::OnCard& one) { return !one.grows; });
    // What was given all at once cannot be told apart: somebody asked last.
    if (there.empty()) there = launcher_.on_card(card.number);
    const auto who = static_cast<std::size_t>(pick(static_cast<int>(there.size())));
    launcher_.run_out_of_memory(there[who].attempt);
    ++tally_.acts.out_of_memory;
  }
}

// As the daemon does it after a turn.
void FaultWorld::adopt_idle_foreign() {
  const StateView& state = engine_->state();
  const ForeignLook look = foreign_->look(state, now_);
  if (!look.let_go.empty()) engine_->post(LetGoAsked{ourselves(), look.let_go});
  for (const int pid : look.adopt) {
    auto asked = foreign_->adopt(state, {.pid = pid, .argv = {"idle"}, .tree = {pid}}, now_);
    if (!asked) continue;
    ++tally_.acts.adopted_by_rule;
    engine_->post(std::move(*asked));
  }
  if (!state.aside().empty() && chance(5)) {
    const Job& job = *state.find(*state.aside().begin());
    engine_->post(HolderActive{job.current_attempt()});
  }
}

// As the daemon asks its sampler to.
void FaultWorld::look_closely() {
  worried_ = false;
  const StateView& state = engine_->state();
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    tally_.acts.grew_beyond += state.holds_on(i).ungranted.growing ? 1 : 0;
    if (!wants_close_looks(state, i, now_)) continue;
    seen_cards_->look_soon(state.cards()[i].number, now_);
    worried_ = true;
  }
}

}  // namespace gpusched
