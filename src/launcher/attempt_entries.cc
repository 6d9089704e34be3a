#include "launcher/attempt_entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "jobdir/remove_tree.h"

namespace gpusched {
namespace {

constexpr std::string_view kSparePrefix = "spare.";
constexpr std::string_view kLostPrefix = "lost.";

// A full disk is over some time; the attempt waits for that.
tl::unexpected<Error> entry_failure(const char* what) {
  const bool full = errno == ENOSPC || errno == EDQUOT;
  return failure(full ? ErrorCode::kStorageFull : ErrorCode::kIo,
                 std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

Result<Fd> listen_for_control(int directory) {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/control", directory);
  // Left by one that prepared this attempt and was not told to go on.
  ::unlinkat(directory, "control", 0);
  // Everybody may connect, few are listened to: the peer's credentials decide.
  if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), 16) != 0) {
    return entry_failure("cannot make the control socket");
  }
  return socket;
}

Result<Fd> open_own_log(int directory) {
  Fd log(::openat(directory, "log", O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!log) return entry_failure("cannot open the log");
  return log;
}

Result<void> keep_detached(int jobs_fd, JobId job) {
  const Fd directory(
      ::openat(jobs_fd, to_string(job).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return entry_failure("cannot open the job's directory");
  return replace_file(directory.get(), "detached", "", 0600);
}

bool is_kept_detached(int jobs_fd, JobId job) {
  const std::string path = to_string(job) + "/detached";
  return ::faccessat(jobs_fd, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<void> make_checkpoint_directory(int jobs_fd, const LaunchOrder& order, bool change_owner) {
  const std::string path = to_string(order.attempt.job) + "/checkpoint";
  // One that is there before the first attempt was prepared for a job that never came to be, and
  // may be somebody else's; or it was made beforehand, and is nobody's yet.
  const bool made = ::mkdirat(jobs_fd, path.c_str(), 0700) == 0;
  if (!made && errno == EEXIST && order.attempt.number > 1) {
    // What the attempt before said of its progress is not said of this one.
    ::unlinkat(jobs_fd, (path + "/progress").c_str(), 0);
    return {};
  }
  if (!made && errno != EEXIST) {
    // Said below.
  } else if (!change_owner || ::fchownat(jobs_fd, path.c_str(), order.command.owner.uid,
                                         order.command.owner.gid, AT_SYMLINK_NOFOLLOW) == 0) {
    return {};
  }
  return entry_failure("cannot make the checkpoint directory");
}

std::optional<SpareEntries> make_spare_entries(int jobs_fd) {
  SpareEntries spare;
  spare.name = std::string(kSparePrefix) + std::to_string(::getpid());
  const std::string attempt = spare.name + "/1";
  const auto fail = [&]() -> std::optional<SpareEntries> {
    remove_spare_entries(jobs_fd, spare);
    return std::nullopt;
  };
  if (::mkdirat(jobs_fd, spare.name.c_str(), 0711) != 0 ||
      ::mkdirat(jobs_fd, attempt.c_str(), 0711) != 0 ||
      ::mkdirat(jobs_fd, (spare.name + "/checkpoint").c_str(), 0700) != 0) {
    return fail();
  }
  spare.directory.reset(
      ::openat(jobs_fd, attempt.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!spare.directory) return fail();
  auto log = open_own_log(spare.directory.get());
  auto control = listen_for_control(spare.directory.get());
  auto draft = make_draft(spare.directory.get());
  if (!log || !control || !draft) return fail();
  spare.log = std::move(*log);
  spare.control = std::move(*control);
  spare.draft = std::move(*draft);
  return spare;
}

bool take_spare_entries(int jobs_fd, const SpareEntries& spare, AttemptId attempt) {
  const std::string job = to_string(attempt.job);
  // What is there and not empty is not replaced by a rename.
  if (attempt.number == 1 && ::renameat(jobs_fd, spare.name.c_str(), jobs_fd, job.c_str()) == 0) {
    return true;
  }
  remove_spare_entries(jobs_fd, spare);
  return false;
}

void remove_spare_entries(int jobs_fd, const SpareEntries& spare) {
  // Ignoring failure: the next launcher tries again.
  (void)remove_tree(jobs_fd, spare.name);
}

void remove_lost_spares(int jobs_fd) {
  std::vector<std::string> lost;
  const int copy = ::openat(jobs_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* directory = copy >= 0 ? ::fdopendir(copy) : nullptr;
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name(entry->d_name);
    if (name.starts_with(kSparePrefix) || name.starts_with(kLostPrefix)) lost.emplace_back(name);
  }
  ::closedir(directory);
  for (std::string& name : lost) {
    // Its shim may live and take it for a job at this moment: of two renames one wins. What has
    // become a job's must not be touched, least of all its claim.
    if (name.starts_with(kSparePrefix)) {
      const std::string gone = std::string(kLostPrefix) + name;
      if (::renameat(jobs_fd, name.c_str(), jobs_fd, gone.c_str()) != 0) continue;
      name = gone;
    }
    (void)remove_tree(jobs_fd, name);
  }
}

}  // namespace gpusched
