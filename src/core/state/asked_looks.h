// Looks at cards that were asked for before a start (look_first.h), and whether they have come. A
// look that does not come is asked for again; nobody waits for it beyond that, because a card that
// does not answer is unknown and gets nothing.
#pragma once

#include <map>
#include <optional>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

class AskedLooks {
 public:
  // A sample may be so old when a start is decided on it.
  static constexpr Microseconds kFresh = Seconds{1};
  static constexpr Microseconds kAskAgain = Seconds{1};
  // And so old one that was asked for, when it arrives.
  static constexpr Microseconds kLatest = Seconds{10};

  // Somebody could start there. True: ask for a look now; false: one is on its way.
  bool ask(CardNumber card, Boot now);
  // A look has come that was taken at `taken`.
  void arrived(CardNumber card, Boot taken, Boot now);
  // One that was asked for came just now. On a busy machine it may be old by then; to ask again
  // would bring no better one.
  bool answered(CardNumber card, Boot now) const;
  // Forgets what is over.
  void advance(Boot now);
  // When somebody has to ask again.
  std::optional<Boot> next_deadline() const;

 private:
  struct Asked {
    Boot at{};
    std::optional<Boot> arrived = {};
  };
  std::map<CardNumber, Asked> asked_;
};

}  // namespace gpusched
