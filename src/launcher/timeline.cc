#include "launcher/timeline.h"

#include <algorithm>

namespace gpusched {

void Timeline::begin(const TimeRule& rule, Boot now) {
  rule_ = rule;
  began_ = now;
}

void Timeline::change(const TimeRule& rule, Boot) {
  // A limit that was moved away gets a new warning when it comes near again.
  if (rule.limit != rule_.limit || rule.warn_before != rule_.warn_before) warned_ = false;
  rule_ = rule;
}

void Timeline::pause(Boot now) {
  if (!paused_at_) paused_at_ = now;
}

void Timeline::resume(Boot now) {
  if (!paused_at_) return;
  paused_for_ += now - *paused_at_;
  paused_at_.reset();
}

void Timeline::stop(Boot when, Seconds grace) {
  if (killed_) return;
  if (terminated_) {
    kill_at_ = std::min(*kill_at_, when + grace);
    return;
  }
  if (terminate_at_ && *terminate_at_ + stop_grace_ <= when + grace) return;
  terminate_at_ = terminate_at_ ? std::min(*terminate_at_, when) : when;
  stop_grace_ = grace;
}

std::optional<Boot> Timeline::instant_of(Microseconds run_time) const {
  if (!began_ || paused_at_) return std::nullopt;
  return *began_ + paused_for_ + run_time;
}

std::vector<Timeline::Action> Timeline::due(Boot now) {
  std::vector<Action> actions;
  const bool stopping = terminated_ || timed_out_;
  if (rule_.limit.count() > 0 && !stopping) {
    const auto warning = instant_of(std::max(Seconds{0}, rule_.limit - rule_.warn_before));
    const auto limit = instant_of(rule_.limit);
    if (rule_.warn_signal != 0 && !warned_ && warning && *warning <= now) {
      warned_ = true;
      actions.push_back(Action::kWarn);
    }
    if (limit && *limit <= now) {
      timed_out_ = terminated_ = true;
      kill_at_ = now + rule_.grace;
      actions.push_back(Action::kTimeOut);
    }
  }
  if (terminate_at_ && !terminated_ && *terminate_at_ <= now) {
    terminated_ = true;
    kill_at_ = now + stop_grace_;
    actions.push_back(Action::kTerminate);
  }
  if (kill_at_ && !killed_ && *kill_at_ <= now) {
    killed_ = true;
    actions.push_back(Action::kKill);
  }
  return actions;
}

std::optional<Boot> Timeline::next() const {
  std::optional<Boot> soonest;
  const auto consider = [&](std::optional<Boot> instant) {
    if (instant && (!soonest || *instant < *soonest)) soonest = instant;
  };
  if (rule_.limit.count() > 0 && !terminated_) {
    if (rule_.warn_signal != 0 && !warned_) {
      consider(instant_of(std::max(Seconds{0}, rule_.limit - rule_.warn_before)));
    }
    consider(instant_of(rule_.limit));
  }
  if (!terminated_) consider(terminate_at_);
  if (!killed_) consider(kill_at_);
  return soonest;
}

}  // namespace gpusched
