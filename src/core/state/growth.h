// How fast the memory in use on a card grows: by each attempt there, and by all else together.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/model/card_view.h"
#include "core/model/ids.h"

namespace gpusched {

// Bytes a second. Slower than this is not growing: in the time of a move it comes to less than the
// headroom.
inline constexpr double kGrowing = 16 << 20;

class Growth {
 public:
  // A new look that brought something.
  void add(const CardView& view);
  // Bytes a second over about the last half second, never below zero; nullopt: of whatever belongs
  // to no attempt.
  double of(const std::optional<AttemptId>& attempt) const;
  // The same as far as it is likely to go on: one step up, such as a model that is loaded, is no
  // trend, however large it is. A second one is.
  double trend_of(const std::optional<AttemptId>& attempt) const;

 private:
  struct Look {
    Boot at{};
    std::uint64_t bytes = 0;
  };
  // The oldest first; at most one is older than the longest span that is looked at.
  using Trace = std::vector<Look>;
  static double recent(const Trace& trace);
  std::map<std::optional<AttemptId>, Trace> traces_;
  std::optional<Boot> last_;
};

}  // namespace gpusched
