// The settings in force, where each comes from, and what waits for a restart.
#include "daemon/daemon.h"
#include "os/log.h"

namespace gpusched {

wire::Settings Daemon::settings(bool addresses) const {
  Config running = config_;
  SettingOrigins origins = origins_;
  // PUT /v1/log-level: it holds until the file says another one, or a restart.
  if (log_level() != config_.log.level) {
    running.log.level = log_level();
    origins["log.level"] = {SettingFrom::kRunTime, 0};
  }
  wire::Settings answer{.file = config_file_, .settings = {}};
  for (ShownSetting& one : shown_settings(running, wanted_, origins, addresses)) {
    wire::Setting row{.name = std::move(one.name),
                      .value = std::move(one.value),
                      .standard = std::move(one.standard),
                      .from = setting_from_name(one.origin.from),
                      .line = {},
                      .at_restart = one.at_restart,
                      .waits = std::move(one.waits),
                      .about = std::move(one.about)};
    if (one.origin.from == SettingFrom::kFile) row.line = one.origin.line;
    // What was chosen at run time waits for nothing.
    if (one.origin.from == SettingFrom::kRunTime) {
      row.at_restart = false;
      row.waits.clear();
    }
    answer.settings.push_back(std::move(row));
  }
  return answer;
}

}  // namespace gpusched
