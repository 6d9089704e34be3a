// When a job is to be warned, terminated and killed: pure arithmetic on boot time, no clock and no
// signal here. The limit stands still while the job is paused; a stop under way does not.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "core/model/job.h"

namespace gpusched {

class Timeline {
 public:
  enum class Action {
    kWarn,       // Send the warning signal.
    kTimeOut,    // The limit is reached: send TERM; the cause of the end is the time limit.
    kTerminate,  // Send TERM, for another reason.
    kKill,       // End the whole tree.
  };

  // The command runs from now on.
  void begin(const TimeRule& rule, Boot now);
  // Another limit or grace; counted from the same beginning.
  void change(const TimeRule& rule, Boot now);
  void pause(Boot now);
  void resume(Boot now);
  bool paused() const { return paused_at_.has_value(); }
  const TimeRule& rule() const { return rule_; }

  // TERM at `when`, KILL `grace` after it. A stop already under way is only ever brought forward.
  void stop(Boot when, Seconds grace);

  // What has become due by `now`, in order; each once.
  std::vector<Action> due(Boot now);
  // When to ask again.
  std::optional<Boot> next() const;

 private:
  // Where a span of run time since the beginning lies on the clock; none while paused.
  std::optional<Boot> instant_of(Microseconds run_time) const;

  TimeRule rule_;
  std::optional<Boot> began_;
  Microseconds paused_for_{0};
  std::optional<Boot> paused_at_;
  bool warned_ = false;
  bool timed_out_ = false;
  std::optional<Boot> terminate_at_;
  Seconds stop_grace_{0};
  std::optional<Boot> kill_at_;
  bool terminated_ = false;
  bool killed_ = false;
};

}  // namespace gpusched
