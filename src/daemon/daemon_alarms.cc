// The daemon and its alarms: who looks, and what they are told.
#include <array>

#include "api/report.h"
#include "daemon/daemon.h"
#include "os/clock.h"
#include "report/report_text.h"

namespace gpusched {

void Daemon::watch_alarms() {
  AlarmWatch::Ports ports;
  ports.rules = [this]() -> const AlarmRules& { return config_.alarms; };
  ports.board = [this]() -> const watch::CardBoard* { return cards_ ? &cards_->board() : nullptr; };
  ports.report = [this] { return report_of_week(); };
  ports.left_out = [this] { return cards_left_out(); };
  ports.sampler_period = std::chrono::milliseconds(config_.cards.idle_period_ms);
  alarm_watch_ = std::make_unique<AlarmWatch>(loop_, *engine_, std::move(ports));
  driver_->on_commit([this](const Commit& commit) { return alarm_watch_->hear(commit); });
  alarm_watch_->start();
}

// As `gpusched report --by user` has it, for a message: the last seven days and what there is of
// this one.
std::string Daemon::report_of_week() const {
  constexpr int kDays = 7;
  const StateView& state = engine_->state();
  const Wall now = read_clock().wall;
  const int first = day_of(now) - kDays;
  Report report(
      {.by = ReportBy::kUser, .since = begin_of_day(first), .until = now, .from_days = true});
  for (auto it = state.work().lower_bound({.day = first}); it != state.work().end(); ++it) {
    if (it->first.month) break;
    report.add(it->first, it->second.sums);
  }
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    report.add_running(job, state.seen().uses.of(job.current_attempt()));
  }
  return report_text(report.answer(state, config_.prices));
}

void Daemon::add_alarm_ports(ApiPorts& ports) {
  ports.alarm_rules = [this]() -> const AlarmRules& { return config_.alarms; };
  ports.dropped = [this](const std::string& name) { return courier_->dropped(name); };
  ports.receivers = [this] {
    std::vector<std::string> names;
    for (const auto& [name, receiver] : engine_->state().rules().known_receivers()) {
      names.push_back(name);
    }
    return names;
  };
  ports.settled = [this](const std::string& receiver) { return courier_->settled(receiver); };
}

// Of all cards that were ever here, also of those that no driver lists any more.
std::set<CardNumber> Daemon::cards_left_out() const {
  std::vector<Card> known;
  for (const KnownCard& one : known_cards_)
    known.push_back({.number = one.number, .uuid = one.uuid});
  std::set<CardNumber> out;
  for (const Card& card : apply_rules(config_.card_rules, std::move(known)).cards) {
    const auto drain = engine_->state().drains().find(card.uuid);
    const bool by_hand = drain != engine_->state().drains().end() && drain->second.by != "health";
    if (!card.managed || by_hand) out.insert(card.number);
  }
  return out;
}

// REQUIRES: the courier is there.
void Daemon::write_alarms(metrics::Exposition& out) const {
  std::array<std::uint64_t, 3> told{}, quiet{};
  for (const auto& [key, alarm] : engine_->state().alarms()) {
    if (!is_alarm(alarm)) continue;
    ++(alarm.quiet_because.empty() ? told : quiet).at(static_cast<std::size_t>(alarm.severity));
  }
  out.family({.name = "gpusched_alarms", .help = "Alarms that are on."});
  for (const Severity severity : {Severity::kInfo, Severity::kWarning, Severity::kCritical}) {
    const auto at = static_cast<std::size_t>(severity);
    out.add({{"severity", severity_name(severity)}, {"quiet", "false"}}, told.at(at));
    out.add({{"severity", severity_name(severity)}, {"quiet", "true"}}, quiet.at(at));
  }
  out.family({.name = "gpusched_silences", .help = "Silences that are in force."});
  out.add({}, engine_->state().silences().size());
  out.family({.name = "gpusched_outbox_messages", .help = "Messages that wait to be delivered."});
  out.add({}, engine_->state().messages().size());
  out.family({.name = "gpusched_notifications_total",
              .type = metrics::Type::kCounter,
              .help =
                  "Messages by channel and what became of them; a failed try is tried again, and "
                  "what found no room is counted by notices."});
  for (std::size_t i = 0; i < kChannelWords.size(); ++i) {
    const ChannelCounts& counts = courier_->counts().at(i);
    if (counts.sent + counts.failed + counts.given_up + counts.no_room == 0) continue;
    out.add({{"channel", kChannelWords.at(i)}, {"result", "sent"}}, counts.sent);
    out.add({{"channel", kChannelWords.at(i)}, {"result", "failed"}}, counts.failed);
    out.add({{"channel", kChannelWords.at(i)}, {"result", "given_up"}}, counts.given_up);
    out.add({{"channel", kChannelWords.at(i)}, {"result", "no_room"}}, counts.no_room);
  }
}

}  // namespace gpusched
