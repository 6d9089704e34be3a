#include "daemon/disk_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include "os/fd.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kEntryBytes = 4096;
constexpr std::uint64_t kBlockBytes = 512;
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// False from `use`: enough of it.
void for_each_entry(Fd directory, const std::function<bool(int at, const dirent&)>& use) {
  const int raw = directory.release();
  DIR* listing = raw < 0 ? nullptr : ::fdopendir(raw);
  if (listing == nullptr) {
    if (raw >= 0) Fd closes(raw);
    return;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> closes(listing, ::closedir);
  while (const dirent* entry = ::readdir(listing)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    if (!use(::dirfd(listing), *entry)) return;
  }
}

class Count {
 public:
  explicit Count(const DiskCountMost& most) : most_(most) {}

  // What is in jobs/ID: the checkpoint directory is the submitter's, and so is all beside it.
  void add_job(int jobs, const char* id) {
    Fd job(::openat(jobs, id, kDirectory));
    struct stat about {};
    if (!job || ::fstatat(job.get(), "checkpoint", &about, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISDIR(about.st_mode)) return;
    device_ = about.st_dev;
    DiskCount& user = of_[about.st_uid];
    add_directory(std::move(job), 0, user);
  }

  std::map<std::uint32_t, DiskCount> take() { return std::move(of_); }

 private:
  bool too_much(const DiskCount& user) const {
    return user.bytes >= kUncountable || user.entries > most_.entries ||
           (most_.bytes > 0 && user.bytes > most_.bytes);
  }

  void add_directory(Fd directory, int depth, DiskCount& user) {
    if (depth > most_.depth) user.bytes = kUncountable;
    for_each_entry(std::move(directory), [&](int at, const dirent& entry) {
      if (too_much(user)) return false;
      struct stat about {};
      if (::fstatat(at, entry.d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) return true;
      if (about.st_dev != device_) return true;  // Something is mounted there: not our disk.
      ++user.entries;
      user.bytes +=
          std::max(kEntryBytes, static_cast<std::uint64_t>(about.st_blocks) * kBlockBytes);
      if (user.entries > most_.entries) user.bytes = kUncountable;
      if (!S_ISDIR(about.st_mode)) return true;
      add_directory(Fd(::openat(at, entry.d_name, kDirectory)), depth + 1, user);
      return true;
    });
  }

  DiskCountMost most_;
  dev_t device_ = 0;
  std::map<std::uint32_t, DiskCount> of_;
};

}  // namespace

std::map<std::uint32_t, DiskCount> count_job_files(const std::string& jobs_directory,
                                                   const DiskCountMost& most) {
  Count count(most);
  for_each_entry(Fd(::open(jobs_directory.c_str(), kDirectory)),
                 [&count](int at, const dirent& entry) {
                   count.add_job(at, entry.d_name);
                   return true;
                 });
  return count.take();
}

}  // namespace gpusched
