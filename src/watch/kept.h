// A value that is costly to get and good for a moment: whoever comes first gets it, the others
// take the same. A failure is kept too, longer, so that what hangs is not asked again at once.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "base/result.h"
#include "base/time.h"

namespace gpusched::watch {

// Less than the sampler's period, more than the time that its threads are apart.
inline constexpr Microseconds kGoodForOneLook = std::chrono::milliseconds{400};
inline constexpr Microseconds kFailureGoodFor = std::chrono::seconds{5};

template <class Value>
class Kept {
 public:
  explicit Kept(Microseconds good_for = kGoodForOneLook, Microseconds failure_for = kFailureGoodFor)
      : good_for_(good_for), failure_for_(failure_for) {}

  // `now` and `get` are functions; `get` returns a Result<Value>. Callers wait for each other.
  template <class Clock, class Get>
  Result<Value> value(const Clock& now, const Get& get) {
    const std::lock_guard lock(mutex_);
    const Boot asked = now();
    if (last_ && asked - since_ < (last_->has_value() ? good_for_ : failure_for_)) return *last_;
    last_ = get();
    since_ = now();
    return *last_;
  }

 private:
  const Microseconds good_for_;
  const Microseconds failure_for_;
  std::mutex mutex_;
  std::optional<Result<Value>> last_;
  Boot since_{};
};

}  // namespace gpusched::watch
