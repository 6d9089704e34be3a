// The configuration, read again while the daemon runs: all that can change, or nothing.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "config/reload.h"
#include "daemon/daemon.h"
#include "os/clock.h"
#include "os/log.h"

namespace gpusched {

Result<Reloaded> Daemon::reload(bool dry_run) {
  struct stat file {};
  if (!config_file_.empty() && ::stat(config_file_.c_str(), &file) != 0) {
    // It may be on its way from somewhere: that is no reason to forget every quota.
    return failure(ErrorCode::kNotFound,
                   "the configuration file " + config_file_ + " is not there any more");
  }
  if (!config_file_.empty() && !S_ISREG(file.st_mode)) {
    return failure(ErrorCode::kInvalid, config_file_ + " is not a file that can be read again");
  }
  auto found = read_again_();
  if (!found) return failure(found.error());
  const NetworkSettings& network = found->config.network;
  // Trouble that is known and not of this file's making keeps no other change waiting.
  const bool as_before = !network_troubles_.empty() && network == config_.network;
  // Read also where its name is the same: that is how a certificate is renewed.
  auto certificate = read_certificate(network);
  if (!certificate && !as_before) return failure(certificate.error());
  const std::string fingerprint =
      certificate && *certificate ? (*certificate)->fingerprint() : fingerprint_now();
  Reloaded done{.file = found->path, .changes = {}, .roles = found->config.roles};
  for (SettingChange& change : changes_between(config_, found->config)) {
    done.changes.push_back({std::move(change.setting), std::move(change.from), std::move(change.to),
                            change.at_restart});
  }
  if (fingerprint != fingerprint_now() && !fingerprint.empty() && !fingerprint_now().empty()) {
    done.changes.push_back({"network.certificate", "fingerprint " + fingerprint_now(),
                            "fingerprint " + fingerprint, false});
  }
  if (let_in_ && !as_before) {
    auto opened =
        dry_run ? check_network_of(network) : open_network(network, std::move(*certificate));
    if (!opened) return failure(opened.error());
  }
  if (dry_run) return done;
  config_file_ = found->path;
  take_over(with_live_settings(config_, found->config));
  origins_ = origins_after(origins_, config_, *found);
  wanted_ = *found;
  if (let_in_ && as_before) open_what_can_be_had();
  for (const ReloadedSetting& change : done.changes) {
    log_info(change.at_restart ? "a changed setting waits for a restart" : "a setting was changed",
             {{"setting", change.setting}, {"from", change.from}, {"to", change.to}});
  }
  log_info("the configuration was read again",
           {{"file", done.file}, {"changes", done.changes.size()}});
  return done;
}

void Daemon::take_over(Config next) {
  // One that was chosen by hand stays until the file says another.
  if (next.log.level != config_.log.level) set_log_level(next.log.level);
  config_ = std::move(next);
  api_->change_limits(api_limits());
  foreign_->change_grace(config_.jobs.grace);
  engine_->post(SettingsRead{config_.rules, config_.tenants});
  if (config_.calendar.empty() && calendar_read_) {
    calendar_read_.reset();
    engine_->post(CalendarRead{});
  }
  read_calendar(engine_->state().cards());
}

void Daemon::note_reload(const Result<Reloaded>& read) {
  AuditEntry entry;
  entry.kind = read ? AuditKind::kChange : AuditKind::kRefusal;
  entry.at = read_clock().wall;
  entry.proof = "signal";
  entry.operation = "reload_config";
  entry.result = read ? "done" : "refused";
  if (read) {
    entry.summary = fmt::format("{} changed settings", read->changes.size());
  } else {
    entry.code = error_code_name(read.error().code);
  }
  engine_->note(std::move(entry));
}

// With a digest of the settings: two starts that differ in it had different ones.
void Daemon::note_start() {
  constexpr std::size_t kDigits = 12;
  Sha256 digest;
  digest.add_counted(config_text(config_));
  AuditEntry entry;
  entry.at = read_clock().wall;
  entry.uid = ::geteuid();
  entry.pid = ::getpid();
  entry.proof = "daemon";
  entry.operation = "start_daemon";
  entry.summary =
      fmt::format("version {}, settings {}", GPUSCHED_VERSION, digest.hex().substr(0, kDigits));
  entry.result = "done";
  engine_->note(std::move(entry));
}

}  // namespace gpusched
