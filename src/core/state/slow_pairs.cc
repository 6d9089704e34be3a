#include "core/state/slow_pairs.h"

#include <algorithm>

namespace gpusched {

void SlowPairs::add(SignatureId a, SignatureId b) {
  if (a == SignatureId{} || b == SignatureId{}) return;
  const Pair pair = std::minmax(a, b);
  if (!pairs_.insert(pair).second) return;
  by_age_.push_back(pair);
  if (by_age_.size() <= kMost) return;
  pairs_.erase(by_age_.front());
  by_age_.pop_front();
}

bool SlowPairs::contains(SignatureId a, SignatureId b) const {
  return !pairs_.empty() && pairs_.contains(Pair(std::minmax(a, b)));
}

}  // namespace gpusched
