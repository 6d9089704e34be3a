#include "jobdir/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "jobdir/as_owner.h"
#include "jobdir/job_directory.h"

namespace gpusched {
namespace {

tl::unexpected<Error> log_error(AttemptId attempt, const std::string& why, ErrorCode code) {
  return failure(code, "open the log of job " + to_string(attempt.job) + ": " + why);
}

Result<FileIdentity> what_the_shim_opened(int directory, AttemptId attempt, LogStream stream) {
  auto content = read_file(directory, "status");
  if (!content) return failure(std::move(content.error()));
  if (!content->has_value()) {
    return log_error(attempt, "it has not been started yet", ErrorCode::kNotFound);
  }
  const auto status = parse_status(**content);
  if (!status) return failure(status.error());
  return stream == LogStream::kError && status->error ? *status->error : status->output;
}

Result<Fd> open_chosen(AttemptId attempt, const std::string& path, FileIdentity expected,
                       const Identity& owner) {
  const AsOwner rights(owner);
  if (!rights.done()) {
    return log_error(attempt, "cannot take on its owner's rights", ErrorCode::kIo);
  }
  const auto refused = [&] {
    return log_error(attempt, "'" + path + "': " + std::strerror(errno),
                     errno == EACCES ? ErrorCode::kForbidden : ErrorCode::kNotFound);
  };
  // Only a name for what is there: a device or a pipe would already do something when opened.
  const Fd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat about {};
  if (!place || ::fstat(place.get(), &about) != 0) return refused();
  if (!S_ISREG(about.st_mode)) {
    return log_error(attempt, "'" + path + "' is not a plain file", ErrorCode::kUnsupported);
  }
  if (expected != FileIdentity{about.st_dev, about.st_ino}) {
    return log_error(attempt, "'" + path + "' is no longer the file that the job writes to",
                     ErrorCode::kConflict);
  }
  const std::string same = "/proc/self/fd/" + std::to_string(place.get());
  Fd file(::open(same.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return refused();
  return file;
}

}  // namespace

Result<Fd> open_log(const std::string& state_directory, AttemptId attempt, LogStream stream,
                    const std::string& path, const Identity& owner) {
  auto directory = open_attempt(state_directory, attempt);
  if (!directory) return failure(std::move(directory.error()));
  if (!directory->valid()) {
    return log_error(attempt, "it has not been started yet", ErrorCode::kNotFound);
  }
  if (!path.empty()) {
    const auto expected = what_the_shim_opened(directory->get(), attempt, stream);
    if (!expected) return failure(expected.error());
    return open_chosen(attempt, path, *expected, owner);
  }
  Fd file(
      ::openat(directory->get(), "log", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return log_error(attempt, std::strerror(errno), ErrorCode::kNotFound);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return log_error(attempt, "it is not a plain file", ErrorCode::kUnsupported);
  }
  return file;
}

Result<LogPiece> read_log(int log, std::uint64_t offset, std::size_t most) {
  LogPiece piece{{}, offset};
  const off_t data = ::lseek(log, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) {
    if (errno == ENXIO) return piece;  // At the end.
    return failure(ErrorCode::kIo, std::string("read the log: ") + std::strerror(errno));
  }
  const off_t hole = ::lseek(log, data, SEEK_HOLE);
  std::size_t wanted = most;
  if (hole > data) wanted = std::min(wanted, static_cast<std::size_t>(hole - data));
  piece.bytes.resize(wanted);
  const ssize_t got = ::pread(log, piece.bytes.data(), wanted, data);
  if (got < 0) return failure(ErrorCode::kIo, std::string("read the log: ") + std::strerror(errno));
  piece.bytes.resize(static_cast<std::size_t>(got));
  piece.next_offset = static_cast<std::uint64_t>(data) + static_cast<std::uint64_t>(got);
  return piece;
}

Result<LogStretch> log_stretch(int log, std::uint64_t offset, std::uint64_t most) {
  const off_t size = ::lseek(log, 0, SEEK_END);
  if (size < 0)
    return failure(ErrorCode::kIo, std::string("read the log: ") + std::strerror(errno));
  const auto end = static_cast<std::uint64_t>(size);
  if (offset >= end) return LogStretch{end, end};
  const off_t data = ::lseek(log, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0 && errno == ENXIO) return LogStretch{end, end};
  const off_t hole = data < 0 ? data : ::lseek(log, data, SEEK_HOLE);
  if (hole < 0)
    return failure(ErrorCode::kIo, std::string("read the log: ") + std::strerror(errno));
  const auto begin = static_cast<std::uint64_t>(data);
  return LogStretch{
      begin, begin + std::min({most, static_cast<std::uint64_t>(hole) - begin, end - begin})};
}

Result<std::uint64_t> log_tail_offset(int log, std::uint64_t bytes) {
  const off_t end = ::lseek(log, 0, SEEK_END);
  if (end < 0) return failure(ErrorCode::kIo, std::string("read the log: ") + std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(end);
  return size > bytes ? size - bytes : 0;
}

}  // namespace gpusched
