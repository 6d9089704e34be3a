// The daemon and its cards: found, numbered, put under the rules of the configuration, seen.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/model/calendar.h"
#include "core/preempt/pressure.h"
#include "daemon/card_memory.h"
#include "daemon/daemon.h"
#include "gpu/sampler_process.h"
#include "jobdir/device_filter.h"
#include "jobdir/running_process.h"
#include "os/clock.h"
#include "os/log.h"

namespace gpusched {
namespace {

constexpr int kCalendarDays = 14;

}  // namespace

Result<void> Daemon::look_for_cards() {
  WatchedCards::Options options;
  options.program = find_sampler_program();
  if (sim_) {
    options.variables = sim_->variables();
    options.source = "simulated";
  }
  options.busy_period = std::chrono::milliseconds(config_.cards.busy_period_ms);
  options.idle_period = std::chrono::milliseconds(config_.cards.idle_period_ms);
  options.deadline = std::chrono::milliseconds(config_.cards.deadline_ms);
  options.cgroup = cgroup_.path;
  options.complain = [](const std::string& what) { log_warning(what); };
  options.arrange = [this](std::vector<Card> cards) { return arrange(std::move(cards)); };
  if (auto known = read_card_memory(config_.state_directory)) {
    known_cards_ = std::move(*known);
  } else {
    log_warning("cards are numbered anew", {{"reason", known.error().message}});
  }
  options.lease_of_holder = [this](int holder, CardNumber card) {
    return lease_on(engine_->state(), holder, card);
  };
  options.missing = [this](std::size_t found) {
    const auto expected = static_cast<std::size_t>(config_.rules.cards_expected);
    return found < std::max(known_cards_.size(), expected);
  };
  cards_ = std::make_unique<WatchedCards>(loop_, std::move(options));
  cards_->on_report([this](const watch::Report& report) { on_report(report); });
  engine_->on_look([this](CardNumber card) { cards_->look_now(card); });
  cards_->start({[this](Result<CardsFound> found) { on_cards(std::move(found)); },
                 [this](CardSeen seen) { on_seen(std::move(seen)); }});
  return {};
}

// Numbers that stay with their cards, and what the configuration says of each.
std::vector<Card> Daemon::arrange(std::vector<Card> cards) {
  const KnownCards before = known_cards_;
  cards = number_cards(known_cards_, std::move(cards));
  if (known_cards_ != before) {
    auto written = write_card_memory(config_.state_directory, known_cards_);
    if (!written) {
      log_warning("the cards' numbers may change with the next start",
                  {{"reason", written.error().message}});
    }
  }
  for (Card& card : cards) {
    card.has_mps = card.has_mps && !mps_control_.empty();
    const std::vector<DeviceNode> graphics = drm_nodes_of("/sys", card.pci);
    card.nodes.insert(card.nodes.end(), graphics.begin(), graphics.end());
  }
  RuledCards ruled = apply_rules(config_.card_rules, std::move(cards));
  for (const std::string& complaint : ruled.complaints) log_warning(complaint);
  return std::move(ruled.cards);
}

// Once, until another number of them is missing.
void Daemon::warn_of_missing(std::size_t found) {
  const auto expected = static_cast<std::size_t>(config_.rules.cards_expected);
  const std::size_t missing = expected - std::min(expected, found);
  if (std::exchange(missing_, missing) == missing || missing == 0) return;
  log_warning("cards are missing",
              {{"expected", expected}, {"found", found}, {"missing", missing}});
}

void Daemon::on_cards(Result<CardsFound> found) {
  if (!found) {
    log_warning("no cards can be seen; jobs that need one are refused",
                {{"reason", found.error().message}});
    warn_of_missing(0);
    return let_clients_in();
  }
  cards_from_ = found->source;
  log_info("cards found", {{"source", cards_from_}, {"count", found->cards.size()}});
  warn_of_missing(found->cards.size());
  for (const Card& card : found->cards) unseen_.insert(card.number);
  const std::vector<Card> cards = found->cards;
  engine_->post(CardsReported{std::move(found->cards)});
  read_calendar(cards);
  if (unseen_.empty()) return let_clients_in();
  // A card that does not answer keeps nobody out.
  first_look_.expires_after(std::chrono::milliseconds(config_.cards.deadline_ms + 1000));
  first_look_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) let_clients_in();
  });
}

// Worked out for two weeks ahead, and anew every day.
void Daemon::read_calendar(const std::vector<Card>& cards) {
  if (config_.calendar.empty()) return;
  calendar_read_ = read_clock().wall;
  engine_->post(CalendarRead{
      reservations_of(config_.calendar, cards, *calendar_read_, kCalendarDays, utc_offset_at)});
}

void Daemon::on_seen(CardSeen seen) {
  unseen_.erase(seen.card);
  engine_->post(std::move(seen));
  if (unseen_.empty()) let_clients_in();
}

// Where memory grows towards the end of a card a second is long.
void Daemon::look_closely() {
  const StateView& state = engine_->state();
  const Now now = read_clock();
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    if (wants_close_looks(state, i, now)) cards_->look_soon(state.cards()[i].number);
  }
}

// Foreign processes that a rule lets us move aside while they sit idle: adopted for as long as
// somebody needs their memory.
void Daemon::look_at_idle_foreign() {
  const Now now = read_clock();
  const StateView& state = engine_->state();
  const ForeignLook look = foreign_->look(state, now);
  if (!look.let_go.empty()) engine_->post(LetGoAsked{ourselves(), look.let_go});
  for (const int pid : look.adopt) {
    const auto process = look_at_process(pid);
    auto asked = process ? foreign_->adopt(state, *process, now) : std::nullopt;
    if (!asked) continue;
    log_info("an idle foreign process is adopted, as the rule says",
             {{"pid", pid}, {"user", asked->owner.user}});
    engine_->post(std::move(*asked));
  }
}

// Cards that were taken out of service or back, by whomever.
void Daemon::log_drains() {
  const std::map<std::string, Drain>& drains = engine_->state().drains();
  if (drains == drains_logged_) return;
  for (const auto& [uuid, drain] : drains) {
    if (drains_logged_.contains(uuid)) continue;
    log_warning("card drained", {{"uuid", uuid}, {"by", drain.by}, {"reason", drain.reason}});
  }
  for (const auto& [uuid, drain] : drains_logged_) {
    if (!drains.contains(uuid)) log_info("card back in service", {{"uuid", uuid}});
  }
  drains_logged_ = drains;
}

// What happens to cards beside what is seen on them.
void Daemon::on_report(const watch::Report& report) {
  history_->add(history_feed_.take(report, engine_->state()));
  card_meters_.take(report);
  alarm_watch_->hear(report);
  if (const auto* sample = std::get_if<watch::SampleReport>(&report)) {
    containers_.learn(*sample, engine_->state());
  }
  if (const auto* ended = std::get_if<watch::EndedReport>(&report)) {
    for (const watch::EndedProcess& process : ended->processes) {
      if (!process.attempt || !process.account.peak_vram_bytes) continue;
      engine_->post(ProcessAccounted{*process.attempt, *process.account.peak_vram_bytes});
    }
    return;
  }
  const auto* said = std::get_if<watch::EventReport>(&report);
  if (said == nullptr || !said->card) return;
  using Kind = watch::CardEvent::Kind;
  std::optional<TroubleKind> kind;
  if (said->event.kind == Kind::kXid) kind = TroubleKind::kXid;
  if (said->event.kind == Kind::kEccDouble) kind = TroubleKind::kEccDouble;
  if (said->event.kind == Kind::kUnavailable) kind = TroubleKind::kUnavailable;
  if (!kind) return;
  const Verdict verdict = judge(*kind, said->event.number);
  if (verdict.consequence != Consequence::kKeep) {
    log_warning(verdict.what, {{"card", number_of(*said->card)},
                               {"drained", verdict.consequence == Consequence::kDrain},
                               {"advice", verdict.advice}});
  }
  engine_->post(CardTroubleSeen{*said->card, *kind, said->event.number});
}

}  // namespace gpusched
