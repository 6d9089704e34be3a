// Looks at the alarms once a second: gathers what is known of cards, jobs, disk, sampler and store,
// asks core/alarm/look.h what follows, and posts an event if something does. Decides nothing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/alarm/look.h"
#include "daemon/disk_room.h"
#include "engine/engine.h"
#include "watch/board.h"

namespace gpusched {

class AlarmWatch {
 public:
  struct Ports {
    std::function<const AlarmRules&()> rules;
    std::function<const watch::CardBoard*()> board;  // Null: nobody looks at cards.
    std::function<std::string()> report;             // Of the last seven days, as text.
    std::function<std::set<CardNumber>()> left_out;  // Cards that nobody waits for.
    Microseconds sampler_period{0};
  };
  AlarmWatch(boost::asio::io_context& loop, Engine& engine, Ports ports);
  void start();
  void stop() { timer_.cancel(); }

  // What happens beside the state.
  void hear(const watch::Report& report);
  void take_disk(const DiskSpace& space);
  // Of every commit: how long it takes, and what ended in it, once it is on disk.
  std::function<void(bool done)> hear(const Commit& commit);
  // What failed before the last daemon ended, and no look has seen. REQUIRES: the state is there.
  void recall(const std::vector<TrailEntry>& unlooked, std::uint64_t looked);

 private:
  bool is_blind();
  void look();
  AlarmFacts gather(Now now);
  void add_readings(AlarmFacts& facts) const;
  std::optional<Microseconds> slowest_commit(Now now);
  void say(const AlarmChanges& changes) const;

  boost::asio::steady_timer timer_;
  Engine& engine_;
  Ports ports_;
  AlarmMemory memory_;
  bool posted_ = false;  // And its commit is not there yet.
  std::optional<Boot> heard_;
  std::vector<XidFact> xids_;
  std::vector<EndedFact> ended_;   // Of commits that are there.
  std::uint64_t heard_trail_ = 0;  // Of these, the last entry.
  bool blind_told_ = false;
  std::optional<DiskFact> disk_;
  std::optional<Boot> commit_began_;
  // The slowest commit of this while, and of the one before it.
  struct Slowest {
    Boot began{};
    std::optional<Microseconds> now, before;
  } slowest_;
};

}  // namespace gpusched
