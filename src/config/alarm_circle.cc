#include "config/alarm_circle.h"

#include <algorithm>
#include <deque>
#include <map>

namespace gpusched {
namespace {

bool is_on(const AlarmRule* rule) { return rule != nullptr && rule->enabled; }

}  // namespace

std::vector<std::string> circle_through(const AlarmRules& rules, const std::string& rule,
                                        const std::string& other) {
  // What names itself is passed over when alarms are told.
  if (rule == other || !is_on(rules.find(rule)) || !is_on(rules.find(other))) return {};
  std::map<std::string, std::string> came_from{{other, rule}};
  std::deque<std::string> next{other};
  while (!next.empty() && !came_from.contains(rule)) {
    const std::string at = next.front();
    next.pop_front();
    for (const std::string& name : rules.find(at)->inhibited_by) {
      if (name == at || !is_on(rules.find(name))) continue;
      if (came_from.emplace(name, at).second) next.push_back(name);
    }
  }
  if (!came_from.contains(rule)) return {};
  std::vector<std::string> circle;
  for (std::string at = came_from.at(rule); at != rule; at = came_from.at(at)) {
    circle.push_back(at);
  }
  circle.push_back(rule);
  std::ranges::reverse(circle);
  return circle;
}

std::string circle_words(const std::vector<std::string>& circle) {
  std::string words;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    words += (i == 0 ? "" : ", ") + circle[i] + (i == 0 ? " is not told during " : " not during ") +
             circle[(i + 1) % circle.size()];
  }
  return words;
}

}  // namespace gpusched
