#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/words.h"
#include "cli/display.h"
#include "cli/render/render.h"
#include "cli/table.h"
#include "core/alarm/rule.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kLinesIndent = 2;

// An indented line, wrapped under itself.
std::string indented(const std::string& text, const Page& page) {
  if (text.empty()) return {};
  return std::string(kLinesIndent, ' ') + wrapped(escaped(text), page.width, kLinesIndent) + "\n";
}

std::string said_of(const wire::Alarm& alarm, const Page& page) {
  if (!alarm.quiet_because.empty()) return "Nobody is told: " + alarm.quiet_because + ".";
  if (!alarm.told_at) return {};
  if (alarm.told_to.empty()) return "It is in the log; no receiver is set for this rule.";
  std::string names;
  for (const std::string& name : alarm.told_to) names += (names.empty() ? "" : ", ") + name;
  return fmt::format("Told to {} at {}.", names, local_time(*alarm.told_at, page));
}

AlarmUnit unit_named(const std::string& name) {
  if (name == "bytes") return AlarmUnit::kBytes;
  return name == "seconds" ? AlarmUnit::kSeconds : AlarmUnit::kCount;
}

std::string value_text(const wire::AlarmRule& rule, double number) {
  if (rule.unit == "bytes") return rounded_size(static_cast<std::uint64_t>(number));
  // Parts of a whole have no more places than the whole.
  if (rule.unit == "celsius" || rule.unit == "percent") number = std::round(number * 10) / 10;
  std::string value = alarm_value_text(unit_named(rule.unit), number);
  if (rule.unit == "celsius") value += " °C";
  if (rule.unit == "percent") value += " %";
  return value;
}

std::string threshold_text(const wire::AlarmRule& rule) {
  if (!rule.weekly.empty()) return rule.weekly;
  if (!rule.threshold) return rule.unit == "celsius" ? "by card" : "";
  return (rule.below ? "below " : "from ") + value_text(rule, *rule.threshold);
}

// Empty: as soon as the value is no longer reached.
std::string clear_text(const wire::AlarmRule& rule) {
  if (!rule.threshold || !rule.clear || *rule.clear == *rule.threshold) return "";
  if (rule.unit != "seconds") return value_text(rule, *rule.clear);
  const bool whole = *rule.clear == std::floor(*rule.clear);
  if (whole) return format_duration(Seconds{static_cast<std::int64_t>(*rule.clear)});
  return value_text(rule, *rule.clear) + "s";
}

std::string time_text(Seconds time) { return time == Seconds{0} ? "" : format_duration(time); }

}  // namespace

std::string render_alarms(const std::vector<wire::Alarm>& alarms, const Page& page) {
  std::string out;
  for (const wire::Alarm& alarm : alarms) {
    const Microseconds age =
        alarm.since ? std::max(Microseconds{0}, page.now - *alarm.since) : Microseconds{0};
    const std::string head = fmt::format("{}  {}, {}", alarm.severity, alarm.rule, alarm.subject);
    if (!out.empty()) out += "\n";
    out += styled(escaped(head), alarm.severity == "critical" ? Style::kRed : Style::kYellow,
                  page.colour) +
           "\n";
    out += indented(alarm.what + ".", page);
    if (alarm.since) {
      out += indented(
          fmt::format("Since {}, for {}.", local_time(*alarm.since, page), format_duration(age)),
          page);
    }
    if (!alarm.whom.empty()) out += indented("Concerns " + alarm.whom + ".", page);
    if (!alarm.advice.empty()) out += indented("What to do: " + alarm.advice + ".", page);
    out += indented(said_of(alarm, page), page);
  }
  return out;
}

std::string render_silences(const std::vector<wire::Silence>& silences, const Page& page) {
  Table table({{"SILENCE"},
               {"RULE", false, 6},
               {"SUBJECT", false, 6},
               {"UNTIL"},
               {"BY", false, 0, 1},
               {"REASON", false, 6, 2}});
  for (const wire::Silence& one : silences) {
    table.add({{std::to_string(one.id)},
               {one.rule.empty() ? "all" : one.rule},
               {one.subject.empty() ? "all" : one.subject},
               {one.until ? local_time(*one.until, page) : ""},
               {one.by},
               {one.reason}});
  }
  return table.text(page.width, page.colour);
}

std::string render_outbox(const wire::Outbox& outbox, const Page& page) {
  Table table({{"RECEIVER", false, 6},
               {"CHANNEL", false, 0, 3},
               {"WAITING", true},
               {"NEWS", true, 0, 4},
               {"SINCE"},
               {"TRIES", true, 0, 2},
               {"NEXT TRY", false, 0, 1},
               {"LAST ERROR", false, 10},
               {"LAST MESSAGE", false, 10, 5}});
  for (const wire::OutboxLine& line : outbox.receivers) {
    const bool waits = line.waiting > 0;
    const auto time = [&page](const std::optional<Wall>& at) {
      return at ? local_time(*at, page) : std::string();
    };
    std::string last;
    if (!line.settled.empty()) {
      const wire::OutboxSettled& one = line.settled.back();
      last = (one.delivered ? "delivered " : "given up ") + time(one.at);
      if (!one.error.empty()) last += ": " + one.error;
    }
    table.add({{line.receiver},
               {line.channel.empty() ? "gone" : line.channel},
               {std::to_string(line.waiting), waits ? Style::kYellow : Style::kPlain},
               {waits ? std::to_string(line.notices) : ""},
               {waits ? time(line.oldest) : ""},
               {waits && line.tries > 0 ? std::to_string(line.tries) : ""},
               {waits ? time(line.next) : ""},
               {line.error},
               {last}});
  }
  return table.text(page.width, page.colour);
}

std::string render_alarm_rules(const std::vector<wire::AlarmRule>& rules, const Page& page) {
  Table table({{"RULE"},
               {"SEVERITY"},
               {"VALUE"},
               {"FOR"},
               {"OVER AT", false, 0, 3},
               {"OVER AFTER", false, 0, 2},
               {"RECEIVERS", false, 6},
               {"ALARM WHEN", false, 12, 1}});
  for (const wire::AlarmRule& rule : rules) {
    std::string names;
    for (const std::string& name : rule.receivers) names += (names.empty() ? "" : ",") + name;
    table.add({{rule.name},
               {rule.enabled ? rule.severity : "off"},
               {threshold_text(rule)},
               {time_text(rule.hold)},
               {clear_text(rule)},
               {time_text(rule.clear_for)},
               {names},
               {rule.watches}});
  }
  return table.text(page.width, page.colour);
}

}  // namespace gpusched::cli
