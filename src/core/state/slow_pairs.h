// Programs that slow each other down on a card, by their signatures. Where the adaptive cap is on,
// such a pair is not put together again. Bounded: the oldest pairs go first.
#pragma once

#include <deque>
#include <set>
#include <utility>

#include "core/model/signature.h"

namespace gpusched {

class SlowPairs {
 public:
  static constexpr std::size_t kMost = 1000;
  bool empty() const { return pairs_.empty(); }
  // No effect if one of them has no signature, or the pair is known.
  void add(SignatureId a, SignatureId b);
  bool contains(SignatureId a, SignatureId b) const;

 private:
  using Pair = std::pair<SignatureId, SignatureId>;
  std::set<Pair> pairs_;  // The smaller one first.
  std::deque<Pair> by_age_;
};

}  // namespace gpusched
