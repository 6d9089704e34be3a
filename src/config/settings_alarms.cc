// The settings of alarms.
#include "config/alarms_yaml.h"
#include "config/setting_kinds.h"

namespace gpusched {

void add_alarm_settings(std::vector<Setting>& list) {
  Setting setting{
      "", "alarms",
      "Rules of alarms, by name; each has good defaults (docs/alarms.md). {receivers: [ops], "
      "temperature: {above: 85, for: 5m, severity: critical}, long_wait: off, weekly_report: "
      "{weekly: \"mon 08:00\", receivers: [ops]}}. receivers are those of rules that name none. A "
      "rule of another name says its kind: warm: {kind: temperature, above: 70}. off: no alarms.",
      [](Config& config, const std::string& text) -> Result<void> {
        const auto on = read_switch(text);
        if (!on) return wrong("must be a map of rules, or off");
        config.alarms = AlarmRules();
        for (AlarmRule& rule : config.alarms.all) rule.enabled = rule.enabled && *on;
        return {};
      },
      [](const Config& config) { return alarms_text(config.alarms, "  "); }};
  setting.alarms = true;
  list.push_back(std::move(setting));
}

}  // namespace gpusched
