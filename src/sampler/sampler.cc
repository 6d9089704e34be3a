#include "sampler/sampler.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/check.h"
#include "sampler/card_watch.h"
#include "sampler/number_cards.h"
#include "sampler/order_lines.h"

namespace gpusched {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEventWait{1000};
constexpr std::size_t kEarlyAsksMost = 64;

}  // namespace

struct Sampler::Parts {
  explicit Parts(SamplerOptions given)
      : options(std::move(given)),
        wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        pace(options.pace),
        lines(options.output, [this] { end_with(kSamplerDone); }),
        owners(ProcDirectory(options.proc)),
        exits([this](CardNumber card, int pid) { process_ended(card, pid); }),
        around{lines,
               owners,
               exits,
               pace,
               options.clock,
               options.sysfs,
               options.once,
               [this] { end_if_all_have_reported(); },
               [this](const std::string& reason) { driver_replaced(reason); }} {
    CHECK(wake.valid());
  }

  // --- Ending. The first reason counts.
  void end_with(int code) {
    int none = -1;
    exit_code.compare_exchange_strong(none, code);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = ::write(wake.get(), &one, sizeof one);
  }
  void end_if_all_have_reported() {
    if (!options.once) return;
    const std::lock_guard lock(mutex);
    const auto reported = [](const auto& card) { return card->has_reported(); };
    if (opened && std::ranges::all_of(cards, reported)) end_with(kSamplerDone);
  }
  void driver_replaced(const std::string& reason) {
    if (replaced.exchange(true)) return;
    const std::lock_guard lock(mutex);
    for (const auto& card : cards) card->report_unknown(reason);
    end_with(kSamplerDriverReplaced);
  }

  // --- Orders.
  template <class Visit>
  void each_card(Visit visit) {
    const std::lock_guard lock(mutex);
    for (const auto& card : cards) visit(*card);
  }
  void process_ended(CardNumber number, int pid) {
    each_card([&](CardWatch& card) {
      if (card.card().number == number) card.process_ended(pid);
    });
  }
  static void ask(CardWatch& card, const watch::SampleNowOrder& order) {
    const bool meant = !order.card || *order.card == card.card().number;
    if (meant) card.look_now(watch::Cause::kAsked);
  }
  void obey(const watch::Order& order) {
    if (const auto* period = std::get_if<watch::PeriodOrder>(&order)) {
      pace.change(*period);
      each_card([](CardWatch& card) { card.pace_changed(); });
      wake_watchdog();
    } else if (const auto* look = std::get_if<watch::SampleNowOrder>(&order)) {
      const std::lock_guard lock(mutex);
      if (!opened && early_asks.size() < kEarlyAsksMost) early_asks.push_back(*look);
      for (const auto& card : cards) ask(*card, *look);
    } else if (const auto* jobs = std::get_if<watch::JobsOrder>(&order)) {
      owners.set_jobs(*jobs);
    } else if (std::holds_alternative<watch::QuitOrder>(order)) {
      end_with(kSamplerDone);
    }
  }
  void read_orders() {
    std::array<char, 16'384> buffer;
    const ssize_t got = ::read(options.input, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return end_with(kSamplerDone);
    if (got < 0) return;
    for (const auto& order : orders.add({buffer.data(), static_cast<std::size_t>(got)})) {
      if (order) {
        obey(*order);
      } else {
        lines.complain("an order makes no sense: " + order.error().message);
      }
    }
  }

  // --- The thread that opens drivers, which may take seconds or hang.
  void open() {
    watch::Backends found = options.open();
    std::vector<std::string> complaints;
    std::vector<CardOfBackend> numbered = number_cards(found.opened, complaints);
    watch::CardsReport report;
    bool trouble = !complaints.empty();
    for (const watch::Finding& each : found.findings) {
      report.backends.push_back({each.backend, {}, each.found ? "" : each.reason, each.absent});
      trouble = trouble || (!each.found && !each.absent);
    }
    for (const auto& backend : found.opened) {
      const auto state =
          std::ranges::find(report.backends, backend->name(), &watch::BackendState::name);
      if (state != report.backends.end()) state->driver_version = backend->driver_version();
    }
    for (const CardOfBackend& each : numbered) report.cards.push_back(each.card);
    for (const std::string& sentence : complaints) lines.complain(sentence);
    lines.write(report);
    if (numbered.empty()) return end_with(trouble ? kSamplerTrouble : kSamplerNoCards);
    const std::lock_guard lock(mutex);
    if (stopping) return;
    backends = std::move(found.opened);
    for (CardOfBackend& each : numbered) {
      cards.push_back(std::make_unique<CardWatch>(std::move(each.card), *each.backend, around));
    }
    opened = true;
    for (const auto& card : cards) {
      for (const watch::SampleNowOrder& order : early_asks) ask(*card, order);
      card->start();
    }
    for (const auto& backend : backends) {
      if (backend->has_events() && !options.once) {
        listeners.emplace_back([this, &backend] { listen(*backend); });
      }
    }
  }

  // --- A thread per backend that tells events.
  void listen(watch::Backend& backend) {
    std::string last_trouble;
    while (!stop_listening) {
      const auto events = backend.events(kEventWait);
      if (!events) {
        if (events.error().code == ErrorCode::kConflict) driver_replaced(events.error().message);
        if (last_trouble != events.error().message) lines.complain(events.error().message);
        last_trouble = events.error().message;
        std::unique_lock lock(mutex);
        changed.wait_for(lock, kEventWait, [this] { return stopping; });
        continue;
      }
      for (const watch::CardEvent& event : *events) tell(event);
    }
  }
  void tell(const watch::CardEvent& event) {
    watch::EventReport report{std::nullopt, options.clock(), event};
    CardWatch* concerned = nullptr;
    each_card([&](CardWatch& card) {
      if (!event.uuid.empty() && card.card().identity.uuid == event.uuid) concerned = &card;
    });
    if (concerned != nullptr) report.card = concerned->card().number;
    lines.write(report);
    each_card([&](CardWatch& card) {
      if (concerned == nullptr || concerned == &card) card.look_now(watch::Cause::kEvent);
    });
  }

  // --- The watchdog. It wakes up often enough to be in time for calls that begin meanwhile.
  void watch_over() {
    const Boot give_up = options.clock().boot + options.open_deadline;
    std::unique_lock lock(mutex);
    while (!stopping) {
      const Boot now = options.clock().boot;
      Boot next = now + pace.get().deadline / 4;
      if (!opened && exit_code < 0) {
        next = std::min(next, give_up);
        if (now >= give_up) {
          lines.complain(fmt::format("a GPU driver did not let itself be opened within {} ms",
                                     options.open_deadline.count()));
          end_with(kSamplerTrouble);
          next = now + options.open_deadline;
        }
      }
      for (const auto& card : cards) {
        if (const auto late = card->check_deadline()) next = std::min(next, *late);
      }
      if (options.once) {
        lock.unlock();
        end_if_all_have_reported();
        lock.lock();
      }
      changed.wait_for(lock, std::max(next - now, Microseconds{1000}),
                       [this] { return stopping || look_again; });
      look_again = false;
    }
  }
  void wake_watchdog() {
    const std::lock_guard lock(mutex);
    look_again = true;
    changed.notify_all();
  }

  const SamplerOptions options;
  Fd wake;
  std::atomic<int> exit_code = -1;
  std::atomic<bool> replaced = false, stop_listening = false;
  SharedPace pace;
  LineWriter lines;
  ProcessOwners owners;
  ExitWatch exits;
  OrderLines orders;
  WatchSurroundings around;

  std::mutex mutex;  // Of what follows.
  std::condition_variable changed;
  bool opened = false, stopping = false, look_again = false;
  std::vector<watch::SampleNowOrder> early_asks;  // Before there were cards.
  std::vector<std::unique_ptr<watch::Backend>> backends;
  std::vector<std::unique_ptr<CardWatch>> cards;
  std::vector<std::thread> listeners;
  std::thread opener, watchdog;
};

Sampler::Sampler(SamplerOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}

Sampler::~Sampler() {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->stopping = true;
    parts_->stop_listening = true;
    parts_->changed.notify_all();
  }
  if (parts_->opener.joinable()) parts_->opener.join();
  if (parts_->watchdog.joinable()) parts_->watchdog.join();
  for (std::thread& listener : parts_->listeners) listener.join();
  for (const auto& card : parts_->cards) card->stop();
  for (const auto& card : parts_->cards) card->join();
}

int Sampler::run() {
  Parts& p = *parts_;
  p.opener = std::thread([&p] { p.open(); });
  p.watchdog = std::thread([&p] { p.watch_over(); });
  while (p.exit_code < 0) {
    // A negative descriptor is passed over.
    std::array<pollfd, 3> wait{{{p.wake.get(), POLLIN, 0},
                                {p.exits.fd(), POLLIN, 0},
                                {p.options.once ? -1 : p.options.input, POLLIN, 0}}};
    if (::poll(wait.data(), wait.size(), -1) < 0) continue;
    if (wait[1].revents != 0) p.exits.collect();
    if (wait[2].revents != 0) p.read_orders();
  }
  return p.exit_code;
}

}  // namespace gpusched
