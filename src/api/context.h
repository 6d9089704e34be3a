// What the routes share. Internal to the API; everything here belongs to the loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/audit_desk.h"
#include "api/authenticate.h"
#include "api/job_watch.h"
#include "api/kept_answers.h"
#include "api/lasting_answers.h"
#include "api/lease_holders.h"
#include "api/log_watch.h"
#include "api/logins.h"
#include "api/name_cache.h"
#include "api/page_answers.h"
#include "api/ports.h"
#include "api/queue_positions.h"
#include "api/replay_desk.h"
#include "api/spec_memory.h"
#include "api/start_estimates.h"
#include "api/tickets.h"
#include "core/model/event.h"
#include "engine/engine.h"
#include "http/background.h"
#include "http/loop_turns.h"
#include "http/types.h"
#include "metrics/request_meters.h"
#include "wire/environment.h"

namespace gpusched {

// For what costs next to nothing, such as waking a stream.
inline constexpr std::uint32_t kNobody = 0;

// Things to be done once no commit is under way.
class AfterCommit {
 public:
  AfterCommit(const Engine& engine, LoopTurns& turns) : engine_(engine), turns_(turns) {}
  bool must_wait() const { return engine_.committing(); }
  // Now if possible, else after the turn.
  void run(std::uint32_t uid, std::function<void()> what) {
    if (must_wait()) {
      run_later(uid, std::move(what));
    } else {
      what();
    }
  }
  // Only later; for streams, which ask again when woken.
  void run_later(std::uint32_t uid, std::function<void()> what) {
    waiting_[uid].push_back(std::move(what));
  }
  // Some of it; the rest is for the next time. True if something is left that could go on now.
  bool flush();

 private:
  const Engine& engine_;
  LoopTurns& turns_;
  LoopTurns::Waiting waiting_;  // By user.
};

class EventStreams;
class LeaseChanges;

struct Context {
  Context(boost::asio::io_context& io, Engine& an_engine, ApiPorts some_ports,
          ApiLimits some_limits);
  ~Context();

  boost::asio::io_context& loop;
  Engine& engine;
  ApiPorts ports;
  ApiLimits limits;
  LoopTurns turns;
  AfterCommit after_commit;
  EnvironmentPool environments;
  SpecMemory spec_memory;
  std::unique_ptr<EventStreams> events;
  JobWatch job_watch;
  LeaseHolders lease_holders;
  std::unique_ptr<LeaseChanges> lease_changes;
  LogWatch log_watch;
  NameCache names;
  Logins logins;
  Authenticator authenticator;
  LastingAnswers lasting;
  StartEstimates estimates;
  QueuePositions positions;
  KeptAnswers kept_answers;
  PageAnswers page;
  AuditDesk audit;
  metrics::RequestMeters requests;
  std::function<int()> clients;  // That are connected.
  Background parser;             // Large bodies.
  Background files;              // Logs and backups. Each may hang for one user.
  ReplayDesk replays;
  // Of each user; the page asks for one at a time.
  Tickets past_reads{4, "four of your questions about the past are still under way"};
  Tickets log_searches{2, "two searches that you asked for are still under way"};
  std::uint64_t backups = 0;  // Names their temporary files.

  const StateView& state() const { return engine.state(); }
  Now now() const { return ports.now(); }
};

// One request on its way through a route.
struct Call {
  HttpRequest request;
  std::vector<std::string> captured;  // What stood for {} in the pattern.
  Principal actor;
  bool dry_run = false;
  Responder responder;
  std::shared_ptr<Asked> asked = {};  // Of a change, for the audit.
};

}  // namespace gpusched
