// When waiting jobs will start, as the last look ahead found it. The look itself runs on a thread
// of its own, on a copy; here is what came of it, with its age. Belongs to the loop's thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/explain/look_ahead.h"
#include "engine/engine.h"
#include "http/background.h"

namespace gpusched {

class StartEstimates {
 public:
  // `often`: looks that nobody asked for are at least this far apart. 0: there are none.
  StartEstimates(boost::asio::io_context& loop, const Engine& engine, std::function<Now()> now,
                 Microseconds often);

  // Of a job that is queued; null: nobody can say, or nobody has looked yet.
  const StartEstimate* of(const Job& job) const;
  // The time to tell a program that waits for a lease: the estimate, else a rough one.
  std::optional<Wall> of_lease(const Job& lease) const;
  // Why nobody can say; empty: that is not so, or nobody has looked yet.
  std::string why_unknown(const Job& job) const;
  // Who is expected on which card; of jobs that may have gone on since.
  const std::vector<PlannedSpan>& plan() const { return last_.plan; }
  std::optional<Wall> looked_at() const;

  // A turn is over, or somebody reads: looks again if the last look is old.
  // REQUIRES of these: no commit is under way.
  void keep_fresh();
  // `then` is called once the last look is at most `oldest` old: at once, or when it is done. With
  // 0 that is a look which begins from now on.
  void when_fresh(Microseconds oldest, std::function<void()> then);

 private:
  void look();
  bool older_than(Microseconds age) const;

  const Engine& engine_;
  std::function<Now()> now_;
  Microseconds often_;
  Forecast last_;
  bool looked_ = false;
  bool looking_ = false;
  std::vector<std::function<void()>> waiting_;  // For the look under way.
  std::vector<std::function<void()>> later_;    // For the one after it.
  Background thread_;                           // Last: what it calls back must still be there.
};

}  // namespace gpusched
