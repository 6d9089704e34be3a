#include "config/reload.h"

#include "config/settings.h"

namespace gpusched {

Config with_live_settings(const Config& running, const Config& wanted) {
  Config next = running;
  next.rules = wanted.rules;
  // How the jobs of a sweep fared was counted by it.
  next.rules.crash_guard_within = running.rules.crash_guard_within;
  // The mover has it from its start.
  next.rules.room.ram_reserve_bytes = running.rules.room.ram_reserve_bytes;
  next.tenants = wanted.tenants;
  next.roles = wanted.roles;
  next.alarms = wanted.alarms;
  next.calendar = wanted.calendar;
  next.network = wanted.network;
  next.jobs.grace = wanted.jobs.grace;
  next.jobs.retry_back_off = wanted.jobs.retry_back_off;
  next.arguments_for_all = wanted.arguments_for_all;
  next.visibility = wanted.visibility;
  next.prices = wanted.prices;
  next.log.level = wanted.log.level;
  return next;
}

std::vector<SettingChange> changes_between(const Config& running, const Config& wanted) {
  const Config next = with_live_settings(running, wanted);
  std::vector<SettingChange> changes;
  for (const Setting& setting : all_settings()) {
    const std::string from = setting.write(running);
    const std::string to = setting.write(wanted);
    if (from != to) changes.push_back({setting.path(), from, to, setting.write(next) != to});
  }
  return changes;
}

}  // namespace gpusched
