#include "jobdir/job_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>

#include "jobdir/record.h"

namespace gpusched {
namespace {

tl::unexpected<Error> io_error(const std::string& doing, int error) {
  ErrorCode code = ErrorCode::kIo;
  if (error == ENOSPC || error == EDQUOT) code = ErrorCode::kStorageFull;
  // We are short of something: that says nothing of what was to be looked at.
  if (error == EMFILE || error == ENFILE || error == ENOMEM) code = ErrorCode::kBusy;
  return failure(code, doing + ": " + std::strerror(error));
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t wrote = ::write(fd, content.data(), content.size());
    if (wrote < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace

std::string jobs_directory(const std::string& state_directory) { return state_directory + "/jobs"; }
std::string job_directory(const std::string& state_directory, JobId job) {
  return jobs_directory(state_directory) + "/" + to_string(job);
}
std::string attempt_directory(const std::string& state_directory, AttemptId attempt) {
  return job_directory(state_directory, attempt.job) + "/" + std::to_string(attempt.number);
}
std::string checkpoint_directory(const std::string& state_directory, JobId job) {
  return job_directory(state_directory, job) + "/checkpoint";
}

Result<Fd> open_attempt(const std::string& state_directory, AttemptId attempt) {
  const std::string path = attempt_directory(state_directory, attempt);
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory || errno == ENOENT) return directory;
  const int error = errno;
  struct stat about {};
  const bool known = ::lstat(path.c_str(), &about) == 0;
  // A file in its place knows as little as nothing. A link may be somebody's way of moving it to
  // another disk: it is not followed, and not taken for nothing either.
  if (error == ENOTDIR && (!known || !S_ISLNK(about.st_mode))) return directory;
  return io_error("open the job directory " + path, error);
}

namespace {

// Makes a directory, or finds it. What is in its place and is none is moved aside: nobody but the
// administrator can have put it there, and may want it back.
bool make_directory(int parent, const std::string& path) {
  if (::mkdirat(parent, path.c_str(), 0711) == 0) return true;
  if (errno != EEXIST) return false;
  struct stat about {};
  if (::fstatat(parent, path.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISDIR(about.st_mode)) return true;
  if (S_ISLNK(about.st_mode)) {
    errno = ELOOP;
    return false;
  }
  const std::string aside = path + ".in-the-way";
  return ::renameat(parent, path.c_str(), parent, aside.c_str()) == 0 &&
         ::mkdirat(parent, path.c_str(), 0711) == 0;
}

}  // namespace

Result<Fd> make_attempt(int jobs_directory_fd, AttemptId attempt) {
  const std::string job = to_string(attempt.job);
  const std::string path = job + "/" + std::to_string(attempt.number);
  // The first attempt makes the job's directory, later ones find it; either may be repeated.
  bool made = false;
  if (attempt.number > 1) made = ::mkdirat(jobs_directory_fd, path.c_str(), 0711) == 0;
  if (!made) {
    for (const std::string& each : {job, path}) {
      if (!make_directory(jobs_directory_fd, each)) {
        return io_error("make the job directory " + each, errno);
      }
    }
  }
  Fd directory(
      ::openat(jobs_directory_fd, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return io_error("open the job directory " + path, errno);
  return directory;
}

Result<std::optional<std::string>> read_file(int directory, const char* name) {
  const std::string doing = std::string("read ") + name;
  const Fd file(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT) return std::optional<std::string>();
    return io_error(doing, errno);
  }
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return io_error(doing, errno);
  if (!S_ISREG(about.st_mode)) return failure(ErrorCode::kIo, doing + ": it is not a plain file");
  if (about.st_uid != ::geteuid()) {
    return failure(ErrorCode::kIo, doing + ": it belongs to somebody else");
  }
  if (about.st_size > static_cast<off_t>(Record::kLargest)) {
    return failure(ErrorCode::kIo, doing + ": it is too large");
  }
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t have = 0;
  while (have < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(doing, errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  content.resize(have);
  return std::optional<std::string>(std::move(content));
}

Result<void> replace_file(int directory, const char* name, std::string_view content, mode_t mode) {
  const std::string temporary = std::string(name) + ".tmp";
  const auto fail = [&](const char* doing, int error) {
    ::unlinkat(directory, temporary.c_str(), 0);
    return io_error(std::string(doing) + " " + name, error);
  };
  const Fd file(::openat(directory, temporary.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return io_error(std::string("make ") + name, errno);
  if (!write_all(file.get(), content)) return fail("write", errno);
  if (::renameat(directory, temporary.c_str(), directory, name) != 0) return fail("name", errno);
  return {};
}

Result<ClaimDraft> make_draft(int directory) {
  // Ours alone to lock: others may not even open it, or they could make a dead shim look alive.
  ClaimDraft draft{Fd(), "claim." + std::to_string(::getpid())};
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  draft.file.reset(::openat(directory, draft.name.c_str(), kFlags, 0600));
  if (!draft.file && errno == EEXIST) {
    // Left by a process that died here and had our number; it may be the claim under another name.
    drop_draft(directory, draft);
    draft.file.reset(::openat(directory, draft.name.c_str(), kFlags, 0600));
  }
  if (!draft.file) return io_error("make the claim", errno);
  if (::flock(draft.file.get(), LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    drop_draft(directory, draft);
    return io_error("make the claim", error);
  }
  return draft;
}

Result<void> fill_draft(int directory, const ClaimDraft& draft, const ClaimRecord& claim) {
  if (write_all(draft.file.get(), write_claim(claim))) return {};
  const int error = errno;
  drop_draft(directory, draft);
  return io_error("make the claim", error);
}

Result<ClaimDraft> draft_claim(int directory, const ClaimRecord& claim) {
  auto draft = make_draft(directory);
  if (!draft) return draft;
  if (auto filled = fill_draft(directory, *draft, claim); !filled) return failure(filled.error());
  return draft;
}

Result<bool> post_claim(int directory, const ClaimDraft& draft) {
  if (::linkat(directory, draft.name.c_str(), directory, "claim", 0) == 0) return true;
  if (errno == EEXIST) return false;
  return io_error("make the claim", errno);
}

void drop_draft(int directory, const ClaimDraft& draft) {
  ::unlinkat(directory, draft.name.c_str(), 0);
}

Result<Fd> try_claim(int directory, const ClaimRecord& claim) {
  auto draft = draft_claim(directory, claim);
  if (!draft) return failure(std::move(draft.error()));
  const auto won = post_claim(directory, *draft);
  drop_draft(directory, *draft);
  if (!won) return failure(won.error());
  return *won ? std::move(draft->file) : Fd();
}

Result<bool> claim_is_held(int directory) {
  const Fd file(::openat(directory, "claim", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return io_error("open the claim", errno);
  // Shared, so that two who look at once do not take each other for the shim.
  if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return false;
  if (errno == EWOULDBLOCK) return true;
  return io_error("look at the lock of the claim", errno);
}

namespace {

// What a record says; nullopt: it is not there, or damaged, which `problem` then tells. An error:
// we were too short of something to read it, and nothing follows from that.
template <class Parse>
auto look_at_record(int directory, const char* name, std::string& problem, const Parse& parse)
    -> Result<std::optional<typename std::invoke_result_t<Parse, std::string_view>::value_type>> {
  auto content = read_file(directory, name);
  if (!content && content.error().code == ErrorCode::kBusy) return failure(content.error());
  if (!content) problem = content.error().message;
  if (!content || !content->has_value()) return {std::nullopt};
  auto parsed = parse(std::string_view(**content));
  if (parsed) return {std::move(*parsed)};
  problem = parsed.error().message;
  return {std::nullopt};
}

Unsupervised lost_with(const std::optional<ClaimRecord>& claim, std::optional<StatusRecord> status,
                       std::string problem) {
  Unsupervised lost;
  if (claim) lost.cgroup = claim->cgroup;
  if (claim) lost.boot_id = claim->boot_id;
  if (status && lost.boot_id.empty()) lost.boot_id = status->boot_id;
  if (claim) lost.process = claim->process;
  if (claim) lost.state = claim->state;
  lost.adopted = lost.process || (status && status->adopted);
  lost.status = std::move(status);
  lost.problem = std::move(problem);
  return lost;
}

}  // namespace

Result<AttemptFindings> look_at_attempt(const std::string& state_directory, AttemptId attempt,
                                        ShimLife shim) {
  auto opened = open_attempt(state_directory, attempt);
  if (!opened) return failure(std::move(opened.error()));
  if (!opened->valid()) return AttemptFindings(NoClaim{});
  const int directory = opened->get();

  std::string problem;
  // An exit record counts only if it can be read with certainty.
  const auto find_exit = [&] {
    return look_at_record(directory, "exit", problem,
                          [&](std::string_view text) { return parse_exit(text, attempt); });
  };
  auto ended = find_exit();
  if (!ended) return failure(ended.error());
  if (*ended) return AttemptFindings(std::move(**ended));
  struct stat about {};
  if (::fstatat(directory, "claim", &about, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return AttemptFindings(NoClaim{});
    return io_error("look at the claim of " + to_string(attempt), errno);
  }
  const auto claim = look_at_record(directory, "claim", problem, parse_claim);
  if (!claim) return failure(claim.error());
  if (*claim && !(*claim)->by_shim) return AttemptFindings(NeverRan{});
  auto status = look_at_record(directory, "status", problem, parse_status);
  if (!status) return failure(status.error());
  // Without its lock nobody can say that it is dead, but who has seen it die. What is no file at
  // all cannot be locked, and so is no living shim's.
  const auto held = S_ISREG(about.st_mode) ? claim_is_held(directory) : Result<bool>(false);
  if (shim == ShimLife::kUnknown && !held) return failure(held.error());
  if (shim == ShimLife::kUnknown && *held)
    return AttemptFindings(Supervised{
        *claim ? (*claim)->pid : 0, *claim && (*claim)->process ? (*claim)->process->pid : 0,
        std::move(*status), *claim ? (*claim)->state : std::string()});
  // The shim may have written its last word between the two looks.
  ended = find_exit();
  if (!ended) return failure(ended.error());
  if (*ended) return AttemptFindings(std::move(**ended));
  return AttemptFindings(lost_with(*claim, std::move(*status), std::move(problem)));
}

}  // namespace gpusched
