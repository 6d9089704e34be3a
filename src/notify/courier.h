// Carries messages from the outbox to gpusched-notifier and tells the engine what became of them.
// Which message is next, and when, the core decides; nothing here waits for anybody. A message of
// the channel "log" is written into the daemon's own log.
#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "http/background.h"
#include "notify/delivery_journal.h"
#include "notify/drop_tally.h"
#include "notify/notifier_process.h"

namespace gpusched {

// Since the daemon began, of one channel.
struct ChannelCounts {
  std::uint64_t sent = 0, failed = 0, given_up = 0;
  std::uint64_t no_room = 0;  // Notices for which the outbox had none.
};
using DeliveryCounts = std::array<ChannelCounts, kChannelWords.size()>;  // By Channel.

class Courier {
 public:
  struct Options {
    std::string program;  // find_notifier_program().
    std::string state_directory;
    std::string machine;  // Its name, for people.
    std::function<Now()> now;
  };
  // REQUIRES: the engine outlives it.
  Courier(boost::asio::io_context& loop, Engine& engine, Options options);

  // Whenever the state may have changed.
  void after_turn();
  const DeliveryCounts& counts() const { return counts_; }
  // Notices for this receiver that found no room, since the daemon began.
  std::uint64_t dropped(const std::string& receiver) const { return drops_.total(receiver); }
  // Why nothing is sent at present, for people; nothing: nothing stands against it.
  const std::optional<std::string>& trouble() const { return trouble_; }
  // The last ones of a receiver since the daemon began, the oldest first.
  std::vector<SettledMessage> settled(const std::string& receiver) const;

 private:
  // A message that the engine has given us and that is not settled.
  struct Carried {
    Message message;
    bool handed_on = false;  // To the notifier that runs now, or ran last.
    Boot by{};               // It should have been answered.
  };

  void take(const Message& message);
  void lose(const Message& message, const std::string& why);
  void drop(const std::vector<Untold>& untold);
  void tell_of_drops();
  void write_to_log(const Message& message);
  const Receiver* receiver_of(const std::string& name) const;
  void say_trouble(const std::string& what);
  void need_notifier();
  void try_to_start();
  void settle_what_was_done();
  void start_notifier();
  void hand_on(std::uint64_t id);
  void send(std::uint64_t id, const Receiver& receiver, const Delivery& delivery);
  void on_outcome(const DeliveryOutcome& outcome);
  void on_end(int status);
  void fail(std::uint64_t id, const std::string& error);
  void look_at_late_ones();
  void later(std::chrono::milliseconds wait, std::function<void()> what);
  ChannelCounts& counts_of(const std::string& receiver);
  void remember(const Message& message, bool delivered, const std::string& error = {});

  boost::asio::io_context& loop_;
  Engine& engine_;
  Options options_;
  DeliveryJournal journal_;
  Background files_;
  std::map<std::uint64_t, Carried> carried_;
  // Delivered or refused, and in the journal; their rows may still be there.
  std::set<std::uint64_t> done_;
  std::size_t in_journal_ = 0;  // Lines since it was cleared.
  std::optional<Fd> lock_;      // Until a notifier has it.
  std::unique_ptr<NotifierProcess> notifier_;
  bool starting_ = false;  // One is on its way.
  bool waits_told_ = false;
  std::optional<std::string> trouble_;  // And told.
  std::chrono::milliseconds pause_;
  std::optional<Boot> not_before_;
  DropTally drops_;
  bool drops_told_ = false;  // A moment ago.
  boost::asio::steady_timer start_timer_, late_timer_, drops_timer_;
  bool looking_ = false;
  DeliveryCounts counts_{};
  std::map<std::string, std::deque<SettledMessage>> settled_;  // By receiver.
};

}  // namespace gpusched
