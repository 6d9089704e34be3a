// The adaptive cap: how much of a card's compute sharing jobs may be promised, moved slowly inside
// a range by what sharing really does there. Down at once where the card or its jobs suffer, up
// step by step where they do not. Pure: evidence and time in, a cap out. Not stored: a restart
// begins anew.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/model/adaptive_rules.h"
#include "core/model/ids.h"
#include "core/model/signature.h"

namespace gpusched {

// What one look at a card says for or against more sharing; absent is unknown.
struct CapEvidence {
  int jobs = 0;                            // Of ours, on the card.
  std::optional<bool> throttled;           // Heat or power holds its clocks down.
  bool hot = false;                        // Close to the limit at which it would be drained.
  std::optional<double> slowdown_percent;  // Of its slowest job against its pace alone.
};

enum class CapReason : std::uint8_t { kStart, kThrottled, kHot, kSlowdown, kRoom };

struct AdaptiveCap {
  int percent = 0;
  CapReason why = CapReason::kStart;
  std::optional<double> slowdown_percent;  // Of kSlowdown.
  Boot moved{};                            // When it last changed.
  Boot fell{};                             // When it last went down.
  bool has_fallen = false;
  friend bool operator==(const AdaptiveCap&, const AdaptiveCap&) = default;
};

// Where it begins: at what the settings say for all cards, within the range.
AdaptiveCap first_cap(const AdaptiveRules& rules, int usual_percent, Boot now);
// After one more look. At most one percent up in a minute, three down at once.
AdaptiveCap moved_cap(AdaptiveCap cap, const CapEvidence& evidence, const AdaptiveRules& rules,
                      Boot now);
// For people: "slowed down by heat or power".
std::string describe(const AdaptiveCap& cap);

// How fast jobs go alone, by signature, and how much slower one goes in company: from what they say
// of their progress. Bounded; forgotten with the daemon.
class PaceBook {
 public:
  static constexpr std::size_t kSignaturesMost = 1000;
  // An attempt has come to `step` after running for `ran`. `alone`: on all its cards, now.
  void report(AttemptId attempt, SignatureId signature, std::uint64_t step, Microseconds ran,
              bool alone);
  // In percent of its pace alone: 100 is half as fast. None: nobody can say.
  std::optional<double> slowdown_of(AttemptId attempt) const;
  template <class Keep>
  void prune(Keep keep) {
    std::erase_if(last_, [&](const auto& entry) { return !keep(entry.first); });
  }

 private:
  struct Last {
    std::uint64_t step = 0;
    Microseconds ran{0};
    bool alone = false;
    std::optional<double> slowdown_percent;
  };
  std::map<AttemptId, Last> last_;
  std::map<SignatureId, double> alone_us_;  // Per step.
};

}  // namespace gpusched
