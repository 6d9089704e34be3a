// GET /v1/gpus
#include <algorithm>
#include <map>
#include <utility>

#include "api/cards_answer.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "wire/message_json.h"
#include "wire/messages/card.h"
#include "wire/sample_fields.h"

namespace gpusched {

namespace {

const char* state_word(const Card& card, const CardView& view) {
  if (!card.managed) return "ignored";
  if (card.drained) return "drained";
  switch (view.condition) {
    case CardCondition::kUnseen:
    case CardCondition::kOk:
      return "ok";
    case CardCondition::kUnknown:
      return "unknown";
    case CardCondition::kAsleep:
      return "asleep";
    case CardCondition::kGone:
      return "gone";
  }
  return "unknown";
}

// A process of somebody else, without its arguments.
watch::WatchedProcess without_arguments(watch::WatchedProcess process) {
  std::string& command = process.owner.command;
  command.resize(std::min(command.find(' '), command.size()));
  command.erase(0, command.rfind('/') + 1);
  return process;
}

wire::Process answer_of(const watch::WatchedProcess& process) {
  const auto& [seen, owner] = process;
  wire::Process answer{.pid = seen.pid,
                       .kind = std::string(word_of(seen.kind)),
                       .vram_bytes = seen.vram_bytes,
                       .busy_percent = seen.busy_percent,
                       .memory_busy_percent = seen.memory_busy_percent,
                       .name = seen.name,
                       .uid = owner.uid,
                       .user = owner.user,
                       .command = owner.command,
                       .started_at = owner.started_wall};
  if (owner.started) answer.started_boot_us = owner.started->time_since_epoch().count();
  if (owner.evidence) answer.evidence = word_of(*owner.evidence);
  if (owner.attempt) {
    answer.job = number_of(owner.attempt->job);
    answer.attempt = owner.attempt->number;
  }
  if (!owner.alive) answer.alive = false;
  if (const auto& container = owner.container) {
    answer.container = {std::string(word_of(container->kind)), container->id, container->pod,
                        container->group};
  }
  return answer;
}

// The card as it was seen last: sample and processes.
void fill_in_live(wire::Card& answer, const CardView& view, const watch::CardBoard& board,
                  CardNumber card, const Veil& veil,
                  const std::function<bool(const Subject&)>& shows) {
  const auto entry = board.entries.find(card);
  if (entry == board.entries.end() || !entry->second.sample) return;
  const watch::SampleReport& seen = *entry->second.sample;
  answer.sampled_at = seen.at.wall;
  answer.sample = seen.sample;
  if (!seen.processes) return;
  answer.processes.emplace();
  for (const watch::WatchedProcess& process : *seen.processes) {
    if (!veil.sees_uid(process.owner.uid)) continue;
    const auto known = std::ranges::find(view.processes, process.seen.pid, &SeenProcess::pid);
    const bool whole = shows && shows({.uid = process.owner.uid});
    wire::Process& one =
        answer.processes->emplace_back(answer_of(whole ? process : without_arguments(process)));
    if (known != view.processes.end()) one.idle_since = known->idle_since;
  }
}

// Jobs that are away from the card, or on the way out or back.
std::vector<wire::CardAside> aside_of_card(const StateView& state, CardNumber card,
                                           const Veil& veil) {
  std::vector<wire::CardAside> all;
  for (const JobId id : state.aside()) {
    const Job& job = *state.find(id);
    if (given_on(job, card) == nullptr || !veil.sees(job)) continue;
    const Aside& aside = *aside_of(job);
    all.push_back({.job = number_of(id),
                   .state = state_name(job.state),
                   .mechanism = mechanism_name(aside.mechanism),
                   .since = aside.since,
                   .host_bytes = aside.host_bytes,
                   .idle = aside.why == AsideWhy::kIdle,
                   .wanted = aside.wanted,
                   .by_hand = aside.by_hand});
  }
  return all;
}

// How fast its memory moves: as its own moves have shown, else as usual.
std::optional<wire::MoveRates> rates_of(const StateView& state, const Card& card) {
  const MoveRates* known = state.rates_of(card.number);
  if (!card.moves && known == nullptr) return std::nullopt;
  const auto said = [](const MoveRate& rate, const MoveRate& usual) {
    const MoveRate& one = rate.moves > 0 ? rate : usual;
    return wire::MoveRate{one.bytes_per_s, static_cast<double>(one.fixed.count()) / 1e6,
                          rate.moves};
  };
  const MoveRates rates = known != nullptr ? *known : MoveRates{};
  return wire::MoveRates{said(rates.out, usual_rate_out()), said(rates.back, usual_rate_back())};
}

wire::Card answer_of(const StateView& state, std::size_t index, const Veil& veil) {
  const Card& card = state.cards()[index];
  const CardHolds& holds = state.holds_on(index);
  const CardView& view = state.view_of(index);
  wire::Card answer{.number = number_of(card.number),
                    .uuid = card.uuid,
                    .model = card.model,
                    .vram_bytes = card.vram_bytes,
                    .alias = card.alias,
                    .tags = card.tags,
                    .managed = card.managed,
                    .capacity_bytes = card.capacity_bytes(),
                    .jobs_most = card.jobs_most,
                    .reserved_bytes = card.reserved_vram_bytes,
                    .held_vram_bytes = holds.whole ? card.vram_bytes : holds.vram_bytes,
                    .held_share_percent = holds.whole ? 100 : holds.share_percent,
                    .load_percent = holds.load_percent(),
                    .foreign_bytes = holds.ungranted.vram_bytes,
                    .usable = card.usable,
                    .state = state_word(card, view),
                    .moves = card.moves,
                    .move_rates = rates_of(state, card)};
  if (card.driver_index) answer.driver_index = static_cast<int>(*card.driver_index);
  const auto drain = state.drains().find(card.uuid);
  if (drain != state.drains().end()) {
    answer.reason = veil.over(drain->second.reason);
    answer.drained_by = veil.sees_user(drain->second.by) ? drain->second.by : std::string();
    answer.drained_at = drain->second.since;
  } else if (!view.reason.empty()) {
    answer.reason = veil.over(view.reason);
  }
  if (const AdaptiveCap* cap = state.seen().cap_of(card.uuid)) {
    answer.share_cap_percent = cap->percent;
    answer.share_cap_reason = veil.over(describe(*cap));
  }
  if (!state.aside().empty()) answer.aside = aside_of_card(state, card.number, veil);
  return answer;
}

}  // namespace

std::vector<wire::Card> cards_of(const StateView& state, const watch::CardBoard* board,
                                 const Veil& veil,
                                 const std::function<bool(const Subject& owner)>& shows) {
  std::map<CardNumber, std::vector<std::uint64_t>> holders;
  std::map<CardNumber, wire::OthersOnCard> others;
  for (const JobId id : state.active()) {
    Grant away;
    const Grant& grant = held_by(*state.find(id), std::move(away));
    const bool seen = veil.sees(*state.find(id));
    for (const CardGrant& held : grant.cards) {
      if (seen) {
        holders[held.card].push_back(number_of(id));
      } else if (veil.shows_counts()) {
        ++others[held.card].jobs;
        others[held.card].vram_bytes += held.vram_bytes;
      }
    }
  }
  std::vector<wire::Card> cards;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const CardNumber number = state.cards()[i].number;
    wire::Card& card = cards.emplace_back(answer_of(state, i, veil));
    card.jobs = std::move(holders[number]);
    if (const auto found = others.find(number); found != others.end()) card.others = found->second;
    if (board != nullptr) fill_in_live(card, state.view_of(i), *board, number, veil, shows);
  }
  return cards;
}

std::string gpus_json(const Context& context, const Principal& actor) {
  const StateView& state = context.state();
  wire::Gpus answer{.source = context.ports.cards_from(),
                    .missing = state.cards_missing(),
                    .host = {.cpus = state.host().cpus,
                             .cpus_held = state.host_holds().cpus,
                             .ram_bytes = state.host().ram_bytes,
                             .ram_held_bytes = state.host_holds().ram_bytes}};
  const watch::CardBoard* board = context.ports.board ? context.ports.board() : nullptr;
  if (board != nullptr) {
    answer.backends.emplace();
    for (const watch::BackendState& backend : board->backends) {
      answer.backends->push_back(
          {backend.name, backend.driver_version, backend.trouble, backend.absent});
    }
  }
  answer.cards = cards_of(state, board, Veil(context, actor), [&](const Subject& owner) {
    return may(actor, Action::kSeeArguments, owner, context.limits.arguments_for_all);
  });
  return wire::to_json(answer);
}

void list_gpus(Context& context, Call call) {
  call.responder.send(json_response(gpus_json(context, call.actor)));
}

}  // namespace gpusched
