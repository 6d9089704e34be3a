#include "launcher/log_trim.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace gpusched {
namespace {

constexpr std::uint64_t kBlock = 4096;
constexpr Seconds kDeaf{1};
// Where notifications cannot be had (their number per user is limited), a rare look instead.
constexpr Seconds kRareLook{10};

std::uint64_t round_down(std::uint64_t value) { return value - value % kBlock; }

}  // namespace

std::optional<LogCut> plan_cut(std::uint64_t size, std::uint64_t limit, std::uint64_t hole_end) {
  if (limit == 0) return std::nullopt;
  // Room for at least the marker in front and one block behind.
  const std::uint64_t begin = std::max(round_down(limit / 4), kBlock);
  const std::uint64_t left = hole_end > begin ? size - (hole_end - begin) : size;
  if (left <= std::max(limit, begin + kBlock)) return std::nullopt;
  // An eighth of slack, within the limit: cutting has a price, and a cut per line would be one per
  // line.
  const std::uint64_t tail = limit > begin ? limit - begin : kBlock;
  const std::uint64_t kept = std::max(tail - std::min(tail, limit / 8), kBlock);
  const std::uint64_t end = round_down(size - kept + kBlock - 1);
  if (end <= begin || end <= hole_end) return std::nullopt;
  return LogCut{begin, end};
}

std::string removal_marker(std::uint64_t removed) {
  std::string line = "\n[gpusched: " + std::to_string(removed) + " bytes of output removed here]";
  line.resize(kMarkerSize - 1, ' ');
  line.push_back('\n');
  return line;
}

LogTrim::LogTrim(int directory, std::uint64_t limit, Boot now)
    : directory_(directory), limit_(limit), look_at_(now + kDeaf) {}

bool LogTrim::open() {
  if (log_) return true;
  log_.reset(::openat(directory_, "log", O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!inotify_) inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  return log_.valid();
}

void LogTrim::arm(Boot now) {
  // By descriptor: the directory's path may be long, and it may be moved.
  const std::string path = "/proc/self/fd/" + std::to_string(log_.get());
  armed_ =
      inotify_ && ::inotify_add_watch(inotify_.get(), path.c_str(), IN_MODIFY | IN_ONESHOT) >= 0;
  if (!armed_) look_at_ = now + kRareLook;
}

void LogTrim::on_readable(Boot now) {
  alignas(inotify_event) char events[4096];
  while (::read(inotify_.get(), events, sizeof events) > 0) {
  }
  armed_ = false;
  trim();
  look_at_ = now + kDeaf;
}

void LogTrim::on_time(Boot now) {
  if (!look_at_ || now < *look_at_) return;
  look_at_.reset();
  if (!open()) {  // Short of something: the log must not grow without bound for that.
    look_at_ = now + kRareLook;
    return;
  }
  // First armed, then looked: what is written in between is not missed.
  arm(now);
  trim();
}

void LogTrim::finish() {
  if (open()) trim();
}

void LogTrim::trim() {
  struct stat about {};
  if (::fstat(log_.get(), &about) != 0) return;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  // The job may have emptied its own log.
  if (size < hole_end_) hole_end_ = 0;
  const auto cut = plan_cut(size, limit_, hole_end_);
  if (!cut) return;
  const std::uint64_t removed = cut->hole_end - cut->hole_begin + kMarkerSize;
  if (!cannot_punch_ && ::fallocate(log_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                    static_cast<off_t>(cut->hole_begin),
                                    static_cast<off_t>(cut->hole_end - cut->hole_begin)) != 0) {
    if (errno != EOPNOTSUPP && errno != ENOSYS) return;  // Tried again with the next growth.
    cannot_punch_ = true;
  }
  if (cannot_punch_ && ::ftruncate(log_.get(), static_cast<off_t>(cut->hole_begin)) != 0) return;
  // Where nothing can be punched the newest output goes instead: the file must stay bounded.
  hole_end_ = cannot_punch_ ? 0 : cut->hole_end;
  const std::string marker =
      removal_marker(cannot_punch_ ? size - cut->hole_begin + kMarkerSize : removed);
  if (::pwrite(log_.get(), marker.data(), marker.size(),
               static_cast<off_t>(cut->hole_begin - kMarkerSize)) < 0) {
    return;  // A full disk: the hole is there, only its label is missing.
  }
}

}  // namespace gpusched
