#include "daemon/alarm_watch.h"

#include <algorithm>
#include <utility>

#include "core/alarm/gather.h"
#include "os/clock.h"
#include "os/log.h"

namespace gpusched {
namespace {

constexpr std::chrono::seconds kLookPeriod{1};
// A slow commit is remembered for so long, and at most twice: less than it takes to be an alarm.
constexpr Microseconds kSlowWhile = Seconds{15};
// More errors than this within a second are a driver in disorder.
constexpr std::size_t kXidsPerLook = 256;

constexpr std::uint32_t kHard =
    watch::kThrottleHardware | watch::kThrottleHardThermal | watch::kThrottlePowerBrake;

}  // namespace

AlarmWatch::AlarmWatch(boost::asio::io_context& loop, Engine& engine, Ports ports)
    : timer_(loop), engine_(engine), ports_(std::move(ports)) {}

void AlarmWatch::start() {
  timer_.expires_after(kLookPeriod);
  timer_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    look();
    start();
  });
}

void AlarmWatch::hear(const watch::Report& report) {
  const bool of_card = std::holds_alternative<watch::SampleReport>(report) ||
                       std::holds_alternative<watch::UnknownReport>(report) ||
                       std::holds_alternative<watch::AsleepReport>(report) ||
                       std::holds_alternative<watch::GoneReport>(report);
  if (of_card) heard_ = read_clock().boot;
  const auto* said = std::get_if<watch::EventReport>(&report);
  if (said == nullptr || !said->card || xids_.size() >= kXidsPerLook) return;
  using Kind = watch::CardEvent::Kind;
  if (said->event.kind != Kind::kXid && said->event.kind != Kind::kEccDouble) return;
  xids_.push_back(
      {.card = *said->card,
       .kind = said->event.kind == Kind::kXid ? TroubleKind::kXid : TroubleKind::kEccDouble,
       .number = said->event.number,
       .users = users_on(engine_.state(), *said->card)});
}

void AlarmWatch::take_disk(const DiskSpace& space) {
  disk_ = DiskFact{.free_bytes = space.free_bytes, .all_bytes = space.all_bytes};
}

std::function<void(bool done)> AlarmWatch::hear(const Commit& commit) {
  const Boot began = read_clock().boot;
  commit_began_ = began;
  std::vector<EndedFact> ending;
  add_ended(engine_.state(), commit.trail, ending);
  const std::uint64_t last = commit.trail.empty() ? 0 : commit.trail.back().sequence;
  return [this, began, last, ending = std::move(ending)](bool done) {
    commit_began_.reset();
    slowest_.now = std::max(slowest_.now, std::optional(read_clock().boot - began));
    if (!done) return;
    std::ranges::copy(ending, std::back_inserter(ended_));
    heard_trail_ = std::max(heard_trail_, last);
  };
}

void AlarmWatch::recall(const std::vector<TrailEntry>& unlooked, std::uint64_t looked) {
  heard_trail_ = looked;
  add_ended(engine_.state(), unlooked, ended_);
  if (!unlooked.empty()) heard_trail_ = std::max(looked, unlooked.back().sequence);
}

std::optional<Microseconds> AlarmWatch::slowest_commit(Now now) {
  if (now.boot - slowest_.began >= kSlowWhile) {
    slowest_ = {.began = now.boot, .now = {}, .before = slowest_.now};
  }
  std::optional<Microseconds> slowest = std::max(slowest_.now, slowest_.before);
  if (commit_began_) slowest = std::max(slowest, std::optional(now.boot - *commit_began_));
  return slowest;
}

// What only those want to know who show cards.
void AlarmWatch::add_readings(AlarmFacts& facts) const {
  const watch::CardBoard* board = ports_.board ? ports_.board() : nullptr;
  if (board == nullptr) return;
  for (CardFacts& card : facts.cards) {
    const auto entry = board->entries.find(card.number);
    if (card.condition != CardCondition::kOk || entry == board->entries.end()) continue;
    if (!entry->second.sample) continue;
    const watch::CardSample& sample = entry->second.sample->sample;
    card.read_at = entry->second.sample->at.boot;
    card.temperature = sample.temperature_c;
    card.memory_temperature = sample.memory_temperature_c;
    card.slowdown = sample.slowdown_temperature_c;
    card.busy_percent = sample.busy_percent;
    if (sample.throttle) {
      card.hard_throttle = (*sample.throttle & kHard) != 0;
      card.soft_throttle = (*sample.throttle & watch::kThrottleSoftThermal) != 0;
    }
  }
}

AlarmFacts AlarmWatch::gather(Now now) {
  AlarmFacts facts;
  gather_facts(engine_.state(), facts, now);
  add_readings(facts);
  if (ports_.left_out) facts.not_missed.merge(ports_.left_out());
  facts.xids = std::exchange(xids_, {});
  facts.ended = std::exchange(ended_, {});
  facts.disk = disk_;
  if (heard_ && !facts.cards.empty()) facts.sampler_silent = now.boot - *heard_;
  facts.sampler_period = ports_.sampler_period;
  facts.slowest_commit = slowest_commit(now);
  facts.report = ports_.report;
  facts.utc_offset = utc_offset_at(now.wall);
  return facts;
}

void AlarmWatch::say(const AlarmChanges& changes) const {
  for (const Alarm& alarm : changes.put) {
    if (!is_alarm(alarm) || engine_.state().alarms().contains(alarm.key)) continue;
    log_warning("alarm: " + alarm.what, {{"rule", alarm.key.rule},
                                         {"subject", alarm.key.subject},
                                         {"severity", severity_name(alarm.severity)},
                                         {"whom", alarm.whom},
                                         {"advice", alarm.advice},
                                         {"quiet", alarm.quiet_because}});
  }
  for (const AlarmKey& key : changes.removed) {
    log_info("alarm is over", {{"rule", key.rule}, {"subject", key.subject}});
  }
}

// An alarm is a row, and its message another: neither is to be had now.
bool AlarmWatch::is_blind() {
  const bool blind = engine_.degraded();
  if (std::exchange(blind_told_, blind) != blind) {
    if (blind) {
      log_error("no alarm is raised while the store takes no commits");
    } else {
      log_info("alarms are looked at again");
    }
  }
  return blind;
}

void AlarmWatch::look() {
  // What is on its way is not in the state yet, and would be found once more.
  if (is_blind() || posted_) return;
  const Now now = read_clock();
  const AlarmFacts facts = gather(now);
  const StateView& state = engine_.state();
  AlarmChanges changes =
      gpusched::look(ports_.rules(), facts, memory_, {state.alarms(), state.silences()}, now);
  // That nothing came of what ended is to be known as well.
  if (changes.empty() && facts.ended.empty()) return;
  say(changes);
  posted_ = true;
  engine_.post(AlarmsSeen{std::move(changes), heard_trail_},
               [this](const Result<Answer>&) { posted_ = false; });
}

}  // namespace gpusched
