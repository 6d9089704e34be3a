// Server-sent events: every client is a cursor into one shared memory of recent changes. A client
// costs no memory of its own, gets each job's present row once however often it changed meanwhile,
// and is dropped when what it has not seen yet is no longer remembered. It comes back with
// Last-Event-ID; if that is no longer remembered either, it gets every job's row first. Logs that
// it follows are part of that id, so that it misses and repeats no byte of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/followed_log.h"
#include "core/model/event.h"
#include "engine/engine.h"
#include "http/types.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

struct Context;
class RowWriter;

struct EventsAsked {
  Principal actor;
  std::optional<std::uint64_t> after;             // The last sequence seen; absent: from now on.
  std::optional<std::unordered_set<JobId>> jobs;  // Only these.
  bool own = false;                               // Only those that the actor may change.
  // What the client wants to hear of: rows of jobs and groups; cards; what somebody has to see to.
  bool rows = true, cards = false, alarms = false;
  std::vector<LogPlace> logs = {};  // And of what jobs write, from there on. They may be read.
};

class EventStreams {
 public:
  EventStreams(boost::asio::io_context& loop, std::size_t remembered,
               std::chrono::milliseconds heartbeat, std::chrono::milliseconds look_every);
  ~EventStreams();

  void open(Context& context, EventsAsked asked, const Responder& responder);
  void publish(const std::vector<JobChange>& changes);
  // A group was set or removed; `json` is the event's data.
  void publish_group(const Context& context, const std::string& group, const std::string& json);
  void stop();
  std::size_t open_streams() const;

 private:
  struct Client;
  struct Timer;

  Pull pull(Context& context, Client& client, std::string& out);
  void write_changes(Context& context, Client& client, std::string& out);
  bool write_range(Context& context, Client& client, const JobChange& change, std::string& out);
  void write_snapshot(Context& context, Client& client, std::string& out);
  static void write_topics(const Context& context, Client& client, std::string& out);
  static void write_logs(const Context& context, Client& client, std::string& out);
  void wake_all();
  void wake_some();
  void forget_gone();
  const std::string& row_of(const Job& job, RowWriter& writer, bool veiled);
  void beat();
  void look_again();

  std::size_t remembered_;
  std::chrono::milliseconds heartbeat_;
  std::chrono::milliseconds look_every_;
  std::shared_ptr<Timer> timer_;
  std::shared_ptr<Timer> looks_;  // For cards and alarms, which tell nobody of themselves.
  std::deque<JobChange> recent_;  // By sequence.
  std::unordered_map<JobId, std::uint64_t> latest_;  // The last sequence of each job in recent_.
  std::optional<std::uint64_t> forgotten_;           // Changes up to here are not remembered.
  std::uint64_t last_ = 0;                           // The newest sequence.
  std::vector<std::weak_ptr<Client>> clients_;
  std::size_t to_wake_ = 0;  // Of them, from next_to_wake_ on.
  std::size_t next_to_wake_ = 0;
  bool waking_ = false;
  bool wake_later_ = false;  // When the commit that is under way is done.
  // Rows of jobs as they were told since the last change: with arguments or without, and with
  // others named or not.
  std::map<std::tuple<JobId, bool, bool>, std::string> said_;
};

}  // namespace gpusched
