// The daemon and the disk of its state directory: room for everybody, and what each user keeps.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "api/name_cache.h"
#include "daemon/daemon.h"
#include "daemon/disk_room.h"
#include "daemon/disk_use.h"
#include "os/clock.h"
#include "os/log.h"

namespace gpusched {
namespace {

constexpr Microseconds kOften = Seconds{2};
constexpr Microseconds kSeldom = Seconds{600};
constexpr int kPartOfTime = 20;

struct Counted {
  DiskUseSeen seen;
  std::optional<DiskSpace> space;
  Microseconds took{0};
};

// On a thread of its own.
Counted count_all(const std::string& state_directory, std::uint64_t limit) {
  const Boot begin = read_clock().boot;
  Counted counted;
  counted.space = disk_space_of(state_directory);
  if (limit == 0 && counted.space) limit = counted.space->all_bytes / 2;
  counted.seen.limit = limit;
  for (const auto& [uid, count] :
       count_job_files(state_directory + "/jobs", {.bytes = 4 * limit})) {
    if (uid == 0) continue;
    const std::string name = NameCache::system_lookup(uid);
    counted.seen.bytes[name.empty() ? std::to_string(uid) : name] += count.bytes;
  }
  counted.took = read_clock().boot - begin;
  return counted;
}

}  // namespace

void Daemon::look_at_disk() {
  constexpr std::chrono::seconds kLookEvery{2};
  const bool was_full = disk_full_;
  if (const auto space = disk_space_of(config_.state_directory)) {
    disk_full_ = is_full(*space, was_full);
    alarm_watch_->take_disk(*space);
  }
  if (disk_full_ != was_full) {
    if (disk_full_)
      log_error("the disk that holds the state directory is full; jobs wait for room");
    if (!disk_full_) log_info("there is room on the disk again");
    engine_->post(DiskSeen{disk_full_});
  }
  disk_look_.expires_after(kLookEvery);
  disk_look_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) look_at_disk();
  });
}

// Only where users share a disk: a daemon of one user has nobody to protect.
void Daemon::look_at_disk_use() {
  if (::geteuid() != 0) return;
  disk_counter_.post(
      0,
      [this, directory = config_.state_directory,
       limit = config_.limits.disk_per_tenant_bytes]() -> Background::Then {
        return [this, counted = count_all(directory, limit)] {
          if (counted.seen.bytes != disk_used_) engine_->post(counted.seen);
          disk_used_ = counted.seen.bytes;
          // However long it takes, it takes a small part of the time.
          disk_use_look_.expires_after(std::clamp(counted.took * kPartOfTime, kOften, kSeldom));
          disk_use_look_.async_wait([this](const boost::system::error_code& cancelled) {
            if (cancelled) return;
            log_disk_use();
            look_at_disk_use();
          });
        };
      });
}

void Daemon::log_disk_use() {
  const DiskUse& use = engine_->state().disk_use();
  std::set<std::string> over;
  for (const auto& [tenant, bytes] : use.bytes) {
    if (use.too_much(tenant)) over.insert(tenant);
  }
  for (const std::string& tenant : over) {
    if (disk_over_.contains(tenant)) continue;
    log_warning("jobs of a tenant keep too much on the disk; nothing of it starts until it is less",
                {{"tenant", tenant}, {"bytes", use.of(tenant)}, {"limit", use.limit}});
  }
  for (const std::string& tenant : disk_over_) {
    if (!over.contains(tenant)) log_info("jobs of a tenant start again", {{"tenant", tenant}});
  }
  disk_over_ = std::move(over);
}

}  // namespace gpusched
