// What was seen of the cards and of what runs on them, and what follows from it alone. It is never
// undone, also if the commit of its turn fails: the world stays as it was seen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/card_view.h"
#include "core/state/adaptive_cap.h"
#include "core/state/asked_looks.h"
#include "core/state/attempt_use.h"
#include "core/state/foreign_loads.h"
#include "core/state/growth.h"
#include "core/state/idle_processes.h"
#include "core/state/round_robin.h"
#include "core/state/siblings.h"
#include "core/state/slow_pairs.h"

namespace gpusched {

struct Seen {
  // The last look at each card, in their order. Only State::observe() changes it.
  std::vector<CardView> views;
  std::map<std::string, ForeignLoads> foreign_loads;  // By UUID.
  std::map<std::string, IdleProcesses> idle;          // Likewise.
  AskedLooks looks;                                   // At cards, before a start.
  AttemptUses uses;
  std::map<CardNumber, Growth> growth;
  std::map<AttemptId, Boot> left;           // When it was last known to have left its cards.
  CardRecords records;                      // How cards fare.
  std::map<std::string, AdaptiveCap> caps;  // By UUID.
  PaceBook paces;
  SlowPairs slow_pairs;
  Siblings siblings;  // What running jobs have shown of their programs.
  CardTurns turns;    // Grants that were given by turns: a hint for later ones.

  // How fast memory grows on a card.
  const Growth& growth_on(CardNumber card) const;
  // When an attempt is known to have left its cards; nullopt: by another daemon, or never.
  std::optional<Boot> left_at(AttemptId attempt) const;
  // The adaptive cap of a card, by its UUID; null: it has none.
  const AdaptiveCap* cap_of(const std::string& uuid) const;
};

}  // namespace gpusched
