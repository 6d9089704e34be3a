#include "config/alarms_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "config/alarm_circle.h"
#include "config/setting_kinds.h"
#include "config/values.h"

namespace gpusched {
namespace {

constexpr std::string_view kReceivers = "receivers";
constexpr std::size_t kNameLongest = 64;
constexpr std::array<std::string_view, 10> kKeys = {
    "above",    "below",     "clear",  "for",    "clear_for",
    "severity", "receivers", "repeat", "weekly", "inhibited_by"};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kNameLongest && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

Result<double> read_value(AlarmUnit unit, const std::string& text) {
  double value = 0;
  switch (unit) {
    case AlarmUnit::kNone:
      return wrong("this rule compares nothing with a number");
    case AlarmUnit::kBytes: {
      const auto bytes = read_size(text, 1, 1ULL << 60);
      if (!bytes) return failure(bytes.error());
      return static_cast<double>(*bytes);
    }
    case AlarmUnit::kSeconds: {
      if (whole_number(text, value) && value > 0 && value <= 3e7) return value;
      const auto seconds = parse_duration(text);
      if (!seconds) return failure(seconds.error());
      if (*seconds <= Seconds{0}) return wrong("it must be longer than nothing");
      if (*seconds > kYear) return wrong(fmt::format("{} is more than a year", text));
      return static_cast<double>(seconds->count());
    }
    case AlarmUnit::kCelsius:
    case AlarmUnit::kPercent:
    case AlarmUnit::kCount:
      break;
  }
  const double most = unit == AlarmUnit::kCount ? 1e9 : unit == AlarmUnit::kPercent ? 100 : 200;
  if (!whole_number(text, value)) return wrong(fmt::format("\"{}\" is not a number", text));
  if (!(value > 0) || value > most) {
    return wrong(fmt::format("{} is not above 0 and at most {}", text, most));
  }
  return value;
}

Result<Seconds> read_time(const std::string& text) {
  const auto time = parse_duration(text);
  if (time && *time > kYear) return wrong(fmt::format("{} is more than a year", text));
  return time;
}

class AlarmsReading {
 public:
  explicit AlarmsReading(const WrongAt& wrong_at) : wrong_at_(wrong_at) {}

  Result<AlarmRules> map(const YAML::Node& map) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const YAML::Mark mark = entry.first.Mark();
      if (!entry.first.IsScalar() || !is_name(entry.first.Scalar())) {
        return wrong_at_(mark, "alarms: a rule's name is a word of letters, digits, _, - and .");
      }
      const std::string& name = entry.first.Scalar();
      if (!seen.insert(name).second) {
        return wrong_at_(mark, fmt::format("\"alarms.{}\" is set twice", name));
      }
      if (name == kReceivers) {
        auto names = list(entry.second, "alarms.receivers");
        if (!names) return failure(names.error());
        rules_.receivers = std::move(*names);
        continue;
      }
      if (auto read = rule(mark, name, entry.second); !read) return failure(read.error());
    }
    for (const auto& [mark, path, name, rule] : named_) {
      if (rules_.find(name) == nullptr) {
        return wrong_at_(mark, fmt::format("{}: there is no rule \"{}\"", path, name));
      }
    }
    for (const auto& [mark, path, name, rule] : named_) {
      const std::vector<std::string> circle = circle_through(rules_, rule, name);
      if (circle.empty()) continue;
      return wrong_at_(mark, fmt::format("{}: {}, so that none of them might be told", path,
                                         circle_words(circle)));
    }
    return std::move(rules_);
  }

 private:
  struct Named {
    YAML::Mark mark;
    std::string path, name;
    std::string rule;  // That says so.
  };

  Result<std::vector<std::string>> list(const YAML::Node& node, const std::string& path) {
    std::vector<std::string> names;
    if (!node.IsSequence()) return wrong_at_(node.Mark(), path + " must be a list such as [ops]");
    for (const YAML::Node& one : node) {
      if (!one.IsScalar() || !is_name(one.Scalar())) {
        return wrong_at_(one.Mark(), path + " must be a list of names");
      }
      names.push_back(one.Scalar());
    }
    return names;
  }

  // One that is there, or another of the kind that it names.
  Result<AlarmRule*> rule_named(const YAML::Mark& mark, const std::string& name,
                                const YAML::Node& node) {
    const auto found = std::ranges::find(rules_.all, name, &AlarmRule::name);
    const YAML::Node kind = node.IsMap() ? node["kind"] : YAML::Node();
    const bool says_kind = node.IsMap() && kind.IsDefined();
    if (found != rules_.all.end()) {
      if (!says_kind) return &*found;
      return wrong_at_(kind.Mark(), fmt::format("alarms.{}: its kind is its name", name));
    }
    std::vector<std::string_view> kinds;
    for (const AlarmKindRow& row : alarm_kinds()) kinds.push_back(row.name);
    const AlarmKindRow* row =
        says_kind && kind.IsScalar() ? find_alarm_kind(kind.Scalar()) : nullptr;
    if (row == nullptr) {
      const std::string word = says_kind && kind.IsScalar() ? kind.Scalar() : name;
      std::string message =
          says_kind ? fmt::format("alarms.{}.kind: there is no \"{}\"", name, word)
                    : fmt::format(
                          "unknown rule \"alarms.{}\"; a rule of your own says its kind, "
                          "such as {{kind: temperature, above: 70}}",
                          name);
      const std::string nearest = nearest_word(word, kinds.data(), kinds.size());
      if (!nearest.empty()) message += fmt::format("; did you mean \"{}\"?", nearest);
      return wrong_at_(says_kind ? kind.Mark() : mark, message);
    }
    if (rules_.all.size() == kAlarmRulesMost) {
      return wrong_at_(mark, fmt::format("alarms: more than {} rules", kAlarmRulesMost));
    }
    rules_.all.push_back(default_rule(*row));
    rules_.all.back().name = name;
    return &rules_.all.back();
  }

  Result<void> rule(const YAML::Mark& mark, const std::string& name, const YAML::Node& node) {
    const auto found = rule_named(mark, name, node);
    if (!found) return failure(found.error());
    AlarmRule& rule = **found;
    if (node.IsScalar()) {
      const auto on = read_switch(node.Scalar());
      if (on) {
        rule.enabled = *on;
        return {};
      }
    }
    if (!node.IsMap()) {
      return wrong_at_(node.IsNull() ? mark : node.Mark(),
                       fmt::format("alarms.{} must be on, off, or like {{for: 5m, receivers: "
                                   "[ops]}}",
                                   name));
    }
    rule.enabled = true;
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Mark place = entry.first.Mark();
      if (!entry.first.IsScalar()) return wrong_at_(place, "a setting's name must be a word");
      const std::string& key = entry.first.Scalar();
      const std::string path = fmt::format("alarms.{}.{}", name, key);
      if (!seen.insert(key).second) {
        return wrong_at_(place, fmt::format("\"{}\" is set twice", path));
      }
      if (key == "kind") continue;
      if (auto read = field(place, rule, path, key, entry.second); !read) return read;
    }
    return check(mark, rule);
  }

  Result<void> field(const YAML::Mark& place, AlarmRule& rule, const std::string& path,
                     const std::string& key, const YAML::Node& value) {
    if (std::ranges::find(kKeys, std::string_view(key)) == kKeys.end()) {
      std::string message = fmt::format("unknown setting \"{}\"", path);
      const std::string nearest = nearest_word(key, kKeys.data(), kKeys.size());
      if (!nearest.empty()) message += fmt::format("; did you mean \"{}\"?", nearest);
      return wrong_at_(place, message);
    }
    if (key == kReceivers || key == "inhibited_by") {
      auto names = list(value, path);
      if (!names) return failure(names.error());
      if (key == "inhibited_by") {
        for (const std::string& name : *names)
          named_.push_back({value.Mark(), path, name, rule.name});
      }
      (key == kReceivers ? rule.receivers : rule.inhibited_by) = std::move(*names);
      return {};
    }
    if (!value.IsScalar()) {
      return wrong_at_(value.IsNull() ? place : value.Mark(), path + " must be a single value");
    }
    if (auto read = scalar(rule, key, value.Scalar()); !read) {
      return wrong_at_(value.Mark(), fmt::format("{}: {}", path, read.error().message));
    }
    return {};
  }

  static Result<void> scalar(AlarmRule& rule, const std::string& key, const std::string& text) {
    const AlarmKindRow& row = alarm_kind_row(rule.kind);
    if (key == "above" || key == "below" || key == "clear") {
      if (row.unit != AlarmUnit::kNone && key != "clear" && (key == "below") != row.below) {
        return wrong(fmt::format("this rule has {}", row.below ? "below" : "above"));
      }
      const auto value = read_value(row.unit, text);
      if (!value) return failure(value.error());
      (key == "clear" ? rule.clear_at : rule.threshold) = *value;
      return {};
    }
    if (key == "severity") {
      const auto severity = severity_named(text);
      if (!severity) return wrong(fmt::format("\"{}\" is not info, warning or critical", text));
      rule.severity = *severity;
      return {};
    }
    if (key == "weekly") {
      const auto time = parse_weekly(text);
      if (rule.kind != AlarmKind::kWeeklyReport) return wrong("only a weekly_report has it");
      if (!time) return wrong(fmt::format("\"{}\" is not like mon 08:00", text));
      rule.weekly = *time;
      return {};
    }
    const auto time = read_time(text);
    if (!time) return failure(time.error());
    (key == "for" ? rule.hold : key == "repeat" ? rule.repeat : rule.clear_for) = *time;
    return {};
  }

  Result<void> check(const YAML::Mark& mark, const AlarmRule& rule) {
    const auto threshold = threshold_of(rule);
    if (!threshold || !rule.clear_at) return {};
    const bool below = alarm_kind_row(rule.kind).below;
    const bool wrong_way = below ? *rule.clear_at < *threshold : *rule.clear_at > *threshold;
    if (!wrong_way) return {};
    return wrong_at_(mark, fmt::format("alarms.{}.clear must not be {} the value that raises it",
                                       rule.name, below ? "below" : "above"));
  }

  const WrongAt& wrong_at_;
  AlarmRules rules_;
  std::vector<Named> named_;  // Checked when all rules are known.
};

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(quoted(name));
  return fmt::format("[{}]", fmt::join(words, ", "));
}

// What of the rule differs from `usual`.
std::string rule_text(const AlarmRule& rule, const AlarmRule& usual, bool own) {
  if (!rule.enabled && !own) return "off";
  const AlarmKindRow& row = alarm_kind_row(rule.kind);
  std::vector<std::string> parts;
  const auto add = [&parts](std::string_view key, const std::string& value) {
    parts.push_back(fmt::format("{}: {}", key, value));
  };
  if (own) add("kind", std::string(row.name));
  if (rule.threshold) {
    add(row.below ? "below" : "above", alarm_value_text(row.unit, *rule.threshold));
  }
  if (rule.clear_at) add("clear", alarm_value_text(row.unit, *rule.clear_at));
  if (rule.hold != usual.hold) add("for", exact_duration(rule.hold));
  if (rule.clear_for != usual.clear_for) add("clear_for", exact_duration(rule.clear_for));
  if (rule.severity != usual.severity) add("severity", std::string(severity_name(rule.severity)));
  if (!rule.receivers.empty()) add(kReceivers, names_text(rule.receivers));
  if (rule.inhibited_by != usual.inhibited_by) add("inhibited_by", names_text(rule.inhibited_by));
  if (rule.repeat != usual.repeat) add("repeat", exact_duration(rule.repeat));
  if (rule.weekly != usual.weekly) add("weekly", quoted(weekly_text(rule.weekly)));
  if (parts.empty()) return rule.enabled ? "on" : "off";
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

Result<AlarmRules> read_alarms(const YAML::Node& map, const WrongAt& wrong_at) {
  return AlarmsReading(wrong_at).map(map);
}

std::string alarms_text(const AlarmRules& rules, std::string_view indent) {
  std::string out;
  if (!rules.receivers.empty()) {
    out += fmt::format("\n{}receivers: {}", indent, names_text(rules.receivers));
  }
  for (const AlarmRule& rule : rules.all) {
    const AlarmKindRow& row = alarm_kind_row(rule.kind);
    const AlarmRule usual = default_rule(row);
    const bool own = rule.name != row.name;
    if (rule == usual) continue;
    out += fmt::format("\n{}{}: {}", indent, own ? quoted(rule.name) : rule.name,
                       rule_text(rule, usual, own));
  }
  return out.empty() ? "{}" : out;
}

}  // namespace gpusched
