#include "gpu/watched_cards.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <cstdlib>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <utility>

#include "gpu/card_search.h"
#include "gpu/link_groups.h"
#include "gpu/mps_load.h"
#include "gpu/report_numbers.h"
#include "gpu/sampler_process.h"
#include "gpu/seen_processes.h"
#include "os/clock.h"

namespace gpusched {
namespace {

using std::chrono::milliseconds;
using ErrorOf = boost::system::error_code;

// Exit codes of gpusched-sampler (docs/sampler-protocol.md).
constexpr int kNoCards = 3;
constexpr int kDriverReplaced = 4;
constexpr milliseconds kFirstPause{200};
constexpr milliseconds kLongestPause{10'000};
// With the look itself and the way here and back this makes ten a second.
constexpr milliseconds kQuickly{90};
// A machine without a driver may get one; nobody waits for it.
constexpr milliseconds kLookAgain{60'000};
// Idle periods from one search for missing cards to the next: a minute, unless told otherwise.
constexpr int kSearchPeriods = 6;
// How long opening the drivers may take before the first line.
constexpr milliseconds kOpening{35'000};

// NVIDIA's, from which on the driver moves a process to host RAM and back.
constexpr int kMovesFrom = 570;

bool moves_processes(const watch::NumberedCard& seen, const watch::CardsReport& report) {
  if (seen.backend != "nvml") return false;
  const auto backend = std::ranges::find(report.backends, seen.backend, &watch::BackendState::name);
  return backend != report.backends.end() &&
         std::atoi(backend->driver_version.c_str()) >= kMovesFrom;
}

// Of /dev/nvidia0 and so on; the same on every Linux.
constexpr std::uint32_t kNvidiaMajor = 195;

// Clocks that are low because nothing runs, or by a setting, say nothing.
std::optional<bool> held_down(const std::optional<std::uint32_t>& throttle) {
  if (!throttle) return std::nullopt;
  constexpr std::uint32_t kHeatOrPower = watch::kThrottlePower | watch::kThrottleHardware |
                                         watch::kThrottleSoftThermal | watch::kThrottleHardThermal |
                                         watch::kThrottlePowerBrake;
  return (*throttle & kHeatOrPower) != 0;
}

Card card_of(const watch::NumberedCard& seen) {
  Card card;
  card.number = seen.number;
  card.driver_index = static_cast<std::uint16_t>(seen.number);
  card.uuid = seen.identity.uuid;
  card.pci = seen.identity.pci;
  card.model = seen.identity.model;
  card.vram_bytes = seen.identity.vram_bytes.value_or(0);
  card.reserved_vram_bytes = std::min(seen.identity.reserved_bytes.value_or(0), card.vram_bytes);
  card.usable = false;
  card.has_mps = seen.identity.vendor == watch::Vendor::kNvidia;
  if (seen.identity.vendor == watch::Vendor::kNvidia && seen.identity.minor) {
    card.nodes = {{kNvidiaMajor, static_cast<std::uint32_t>(*seen.identity.minor)}};
  }
  return card;
}

std::string source_of(const watch::CardsReport& report) {
  std::vector<std::string> names;
  for (const watch::NumberedCard& card : report.cards) {
    if (std::ranges::find(names, card.backend) == names.end()) names.push_back(card.backend);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

class WatchedCards::Impl : public std::enable_shared_from_this<WatchedCards::Impl> {
 public:
  Impl(boost::asio::io_context& loop, Options options)
      : loop_(loop),
        options_(std::move(options)),
        again_(loop),
        silence_(loop),
        quick_(loop),
        search_(loop, {options_.program, options_.variables, true}, [this] { return misses(); }) {}

  void start(Handlers handlers) {
    handlers_ = std::move(handlers);
    boost::asio::post(loop_, [self = weak_from_this()] {
      if (const auto impl = self.lock()) impl->spawn();
    });
  }
  void stop() {
    process_.reset();
    search_.stop();
    handlers_ = {};
  }

  void set_busy(bool busy) {
    if (std::exchange(busy_, busy) != busy) send_period();
  }
  void look_soon(CardNumber card) {
    const bool waits = !soon_.empty();
    soon_.insert(card);
    if (waits) return;
    quick_.expires_after(kQuickly);
    quick_.async_wait([self = weak_from_this()](const ErrorOf& cancelled) {
      const auto impl = self.lock();
      if (!cancelled && impl) impl->look_at(std::exchange(impl->soon_, {}));
    });
  }
  // A start waits for it, so a sampler that is silent now is noticed soon.
  void look_now(CardNumber card) {
    if (!process_) return;
    const auto number = numbers_.samplers_number_of(card);
    if (!number) return;
    process_->send(watch::SampleNowOrder{*number});
    if (std::exchange(asked_, true) || !heard_) return;
    expect_a_line();
  }
  void set_attempts(std::vector<watch::RunningAttempt> attempts) {
    attempts_ = std::move(attempts);
    send_jobs();
  }

  std::function<void(const watch::Report&)> listener_;
  watch::CardBoard board_;
  std::uint64_t restarts_ = 0;

 private:
  void spawn() {
    SamplerProcess::Handlers handlers;
    // The process belongs to this object, so its handlers never outlive it.
    handlers.report = [this](watch::Report report) { take(std::move(report)); };
    handlers.ended = [this](int status) { ended(status); };
    handlers.complain = [this](const std::string& what) { complain(what); };
    auto started =
        SamplerProcess::start(loop_, {options_.program, options_.variables}, std::move(handlers));
    if (!started) return trouble(started.error());
    process_ = std::move(*started);
    heard_ = false;
    send_period();
    send_jobs();
    expect_a_line();
  }

  void send_period() {
    if (!process_) return;
    watch::PeriodOrder order;
    order.busy = busy_;
    order.busy_period = options_.busy_period;
    order.idle_period = options_.idle_period;
    order.deadline = options_.deadline;
    process_->send(order);
  }
  void look_at(const std::set<CardNumber>& cards) {
    for (const CardNumber card : cards) {
      const auto number = numbers_.samplers_number_of(card);
      if (process_ && number) process_->send(watch::SampleNowOrder{number});
    }
  }
  void send_jobs() {
    if (process_) process_->send(watch::JobsOrder{attempts_, options_.cgroup});
  }

  // A sampler that works says something about each card in every period.
  void expect_a_line() {
    const milliseconds usual = busy_ ? options_.busy_period : options_.idle_period;
    const milliseconds period = asked_ ? milliseconds{0} : usual;
    const milliseconds patience =
        heard_ ? period + options_.deadline + milliseconds{3000} : kOpening;
    silence_.expires_after(patience);
    silence_.async_wait([self = weak_from_this()](const ErrorOf& cancelled) {
      const auto impl = self.lock();
      if (cancelled || !impl || !impl->process_) return;
      if (impl->heard_ && impl->board_.cards.empty()) return impl->expect_a_line();
      impl->complain("gpusched-sampler says nothing any more; it is started again");
      impl->process_->kill();
    });
  }

  void take(watch::Report report) {
    heard_ = true;
    asked_ = false;
    pause_ = kFirstPause;
    expect_a_line();
    if (!numbers_.translate(report)) return;
    if (auto* cards = std::get_if<watch::CardsReport>(&report)) {
      take_cards(*cards);
    } else if (auto* sample = std::get_if<watch::SampleReport>(&report)) {
      take_sample(*sample);
    } else if (const auto* unknown = std::get_if<watch::UnknownReport>(&report)) {
      say(unknown->card, CardCondition::kUnknown, unknown->reason, unknown->at);
    } else if (const auto* asleep = std::get_if<watch::AsleepReport>(&report)) {
      say(asleep->card, CardCondition::kAsleep, {}, asleep->at);
    } else if (const auto* gone = std::get_if<watch::GoneReport>(&report)) {
      gone_.insert(gone->uuid);
      // Nothing of what it showed before is true of it now.
      board_.entries.erase(gone->card);
      say(gone->card, CardCondition::kGone, gone->reason, gone->at);
    } else if (const auto* complaint = std::get_if<watch::ComplaintReport>(&report)) {
      complain(complaint->sentence);
    }
    if (listener_) listener_(report);
  }

  void take_cards(watch::CardsReport& report) {
    CardsFound found;
    for (const watch::NumberedCard& card : report.cards) {
      found.cards.push_back(card_of(card));
      found.cards.back().moves = moves_processes(card, report);
    }
    set_link_groups(report.cards, found.cards);
    if (options_.arrange) found.cards = options_.arrange(std::move(found.cards));
    found.source = options_.source.empty() ? source_of(report) : options_.source;
    numbers_.learn(found.cards, report);
    board_.cards = report.cards;
    board_.backends = report.backends;
    // What was said of a card that is not there any more is not said of another.
    std::erase_if(board_.entries, [this](const auto& entry) {
      const auto card = std::ranges::find(board_.cards, entry.first, &watch::NumberedCard::number);
      return card == board_.cards.end() || !entry.second.sample ||
             card->identity.uuid != entry.second.sample->uuid;
    });
    gone_.clear();
    handlers_.cards(std::move(found));
    search_later();
  }

  // A driver tells only of cards that were there when it was opened.
  void search_later() {
    if (!options_.missing) return;
    search_.later(kSearchPeriods * options_.idle_period, [this](const CardSearch::Found& found) {
      if (process_ && has_more(found) && !std::exchange(renewed_, true)) process_->kill();
      search_later();
    });
  }
  bool misses() const {
    return options_.missing(board_.cards.size() - std::min(gone_.size(), board_.cards.size()));
  }
  bool has_more(const CardSearch::Found& found) const {
    return std::ranges::any_of(found, [this](const std::string& uuid) {
      const auto known = [&](const watch::NumberedCard& card) {
        return card.identity.uuid == uuid;
      };
      return gone_.contains(uuid) || std::ranges::none_of(board_.cards, known);
    });
  }

  // A holder's processes belong to its lease on this card; where it has none they are foreign.
  void name_leases(CardNumber card, std::vector<watch::WatchedProcess>& processes) const {
    for (watch::WatchedProcess& process : processes) {
      auto& attempt = process.owner.attempt;
      if (!attempt || attempt->job != JobId{kHolderJob}) continue;
      attempt =
          options_.lease_of_holder ? options_.lease_of_holder(attempt->number, card) : std::nullopt;
    }
  }

  void take_sample(watch::SampleReport& report) {
    if (report.processes) {
      name_leases(report.card, *report.processes);
      give_load_to_mps_clients(*report.processes);
    }
    CardSeen seen{report.card, {}};
    seen.view.condition = CardCondition::kOk;
    seen.view.at = report.at;
    seen.view.used_bytes = report.sample.used_bytes;
    seen.view.busy_percent = report.sample.busy_percent;
    seen.view.sm_active_percent = report.sample.sm_active_percent;
    seen.view.energy_joules = report.sample.energy_joules;
    seen.view.vitals = {report.sample.temperature_c, report.sample.ecc_corrected,
                        report.sample.ecc_uncorrected, report.sample.rows_failed,
                        held_down(report.sample.throttle)};
    if (report.processes) {
      seen.view.processes = seen_processes(*report.processes);
    }
    gone_.erase(report.uuid);
    board_.entries[report.card].sample = report;
    handlers_.seen(std::move(seen));
  }

  void say(CardNumber card, CardCondition condition, std::string reason, Now at) {
    CardSeen seen{card, {}};
    seen.view.condition = condition;
    seen.view.reason = std::move(reason);
    seen.view.at = at;
    handlers_.seen(std::move(seen));
  }

  void ended(int status) {
    // Not from inside the process's own call.
    boost::asio::post(loop_, [self = weak_from_this(), status] {
      if (const auto impl = self.lock()) impl->after_end(status);
    });
  }
  void after_end(int status) {
    process_.reset();
    silence_.cancel();
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == kNoCards) return spawn_after(kLookAgain);
    ++restarts_;
    for (const watch::NumberedCard& card : board_.cards) {
      say(card.number, CardCondition::kUnknown, "the sampler is being started again", read_clock());
    }
    const bool renewed = std::exchange(renewed_, false);
    if (code == kDriverReplaced || renewed) return spawn_after(milliseconds{0});
    trouble({ErrorCode::kUnavailable,
             WIFSIGNALED(status)
                 ? fmt::format("gpusched-sampler was ended by signal {}", WTERMSIG(status))
                 : fmt::format("gpusched-sampler ended with exit code {}", code)});
  }

  // Says what is wrong, the first time to those who wait for cards; then tries again.
  void trouble(const Error& error) {
    if (!handlers_.cards) return;
    if (!heard_ && board_.cards.empty()) {
      handlers_.cards(failure(error));
    } else {
      complain(error.message + "; it is started again");
    }
    spawn_after(pause_);
    pause_ = std::min(pause_ * 2, kLongestPause);
  }
  void spawn_after(milliseconds pause) {
    again_.expires_after(pause);
    again_.async_wait([self = weak_from_this()](const ErrorOf& cancelled) {
      const auto impl = self.lock();
      if (!cancelled && impl && impl->handlers_.cards) impl->spawn();
    });
  }
  void complain(const std::string& what) {
    if (options_.complain) options_.complain(what);
  }

  boost::asio::io_context& loop_;
  Options options_;
  Handlers handlers_;
  ReportNumbers numbers_;
  std::unique_ptr<SamplerProcess> process_;
  std::vector<watch::RunningAttempt> attempts_;
  bool busy_ = true;
  bool heard_ = false;  // This process has said something.
  bool asked_ = false;  // And is asked to say more at once.
  milliseconds pause_ = kFirstPause;
  boost::asio::steady_timer again_;
  boost::asio::steady_timer silence_;
  boost::asio::steady_timer quick_;
  CardSearch search_;
  bool renewed_ = false;        // The sampler was ended because missing cards are back.
  std::set<std::string> gone_;  // Cards that fell off the bus, by UUID.
  std::set<CardNumber> soon_;   // To be looked at when it is due.
};

WatchedCards::WatchedCards(boost::asio::io_context& loop, Options options)
    : impl_(std::make_shared<Impl>(loop, std::move(options))) {}
WatchedCards::~WatchedCards() { impl_->stop(); }
void WatchedCards::start(Handlers handlers) { impl_->start(std::move(handlers)); }
void WatchedCards::set_busy(bool busy) { impl_->set_busy(busy); }
void WatchedCards::look_soon(CardNumber card) { impl_->look_soon(card); }
void WatchedCards::look_now(CardNumber card) { impl_->look_now(card); }
void WatchedCards::set_attempts(std::vector<watch::RunningAttempt> attempts) {
  impl_->set_attempts(std::move(attempts));
}
void WatchedCards::on_report(std::function<void(const watch::Report&)> listener) {
  impl_->listener_ = std::move(listener);
}
const watch::CardBoard& WatchedCards::board() const { return impl_->board_; }
std::uint64_t WatchedCards::restarts() const { return impl_->restarts_; }

}  // namespace gpusched
