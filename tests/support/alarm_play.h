// A machine whose alarms are looked at once a second, in virtual time, and whose rows are kept as
// the daemon keeps them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/alarm/look.h"

namespace gpusched::testing {

inline constexpr CardNumber kFirstCard{0};
inline constexpr CardNumber kSecond{1};

class AlarmPlay {
 public:
  AlarmPlay() {
    rules.receivers = {"ops"};
    facts.cards.resize(2);
    facts.cards[0].number = kFirstCard;
    facts.cards[1].number = kSecond;
    for (CardFacts& card : facts.cards) {
      card.condition = CardCondition::kOk;
      card.temperature = 50;
      card.hard_throttle = card.soft_throttle = false;
      card.drained_by_health = "";
    }
    facts.all_cards_seen = true;
  }

  // Looks for so long, and returns what was told.
  std::vector<AlarmNotice> pass(std::int64_t seconds) {
    std::vector<AlarmNotice> told;
    for (std::int64_t i = 0; i < seconds; ++i) {
      now.boot += Seconds{1};
      now.wall += Seconds{1};
      AlarmChanges changes = look(rules, facts, memory, {alarms, silences}, now);
      facts.xids.clear();
      facts.ended.clear();
      for (Alarm& alarm : changes.put) {
        ++writes;
        alarms.insert_or_assign(alarm.key, std::move(alarm));
      }
      for (const AlarmKey& key : changes.removed) alarms.erase(key);
      for (const std::uint64_t id : changes.silences_over) silences.erase(id);
      for (AlarmNotice& one : changes.notices) told.push_back(std::move(one));
    }
    return told;
  }
  void restart() { memory = {}; }
  bool on(const std::string& rule, const std::string& subject) const {
    return alarms.contains({rule, subject});
  }
  AlarmRule& rule(const std::string& name) {
    return *std::ranges::find(rules.all, name, &AlarmRule::name);
  }
  void silence(const std::string& rule, Seconds length) {
    const std::uint64_t id = silences.size() + 1;
    silences[id] = {
        .id = id, .rule = rule, .subject = {}, .from = now.wall, .until = now.wall + length};
  }

  AlarmRules rules;
  AlarmFacts facts;
  AlarmMemory memory;
  std::map<AlarmKey, Alarm> alarms;
  std::map<std::uint64_t, Silence> silences;
  Now now{Wall{Seconds{1'700'000'000}}, Boot{Seconds{1000}}};
  int writes = 0;
};

}  // namespace gpusched::testing
