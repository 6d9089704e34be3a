#include "process/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "process/job_directory.h"

namespace gpusched {
namespace {

tl::unexpected<Error> log_error(AttemptId attempt, const std::string& why, ErrorCode code) {
  return failure(code, "open the log of job " + to_string(attempt.job) + ": " + why);
}

}  // namespace

Result<Fd> open_log(const std::string& state_directory, AttemptId attempt, LogStream stream,
                    const std::string& path, std::uint32_t uid) {
  auto directory = open_attempt(state_directory, attempt);
  if (!directory) return failure(std::move(directory.error()));
  if (!directory->valid()) {
    return log_error(attempt, "it has not been started yet", ErrorCode::kNotFound);
  }
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Fd file(path.empty() ? ::openat(directory->get(), "log", kFlags | O_NOFOLLOW)
                       : ::open(path.c_str(), kFlags));
  if (!file) return log_error(attempt, std::strerror(errno), ErrorCode::kNotFound);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) {
    return log_error(attempt, std::strerror(errno), ErrorCode::kIo);
  }
  if (!S_ISREG(about.st_mode)) {
    return log_error(attempt, "'" + path + "' is not a plain file", ErrorCode::kUnsupported);
  }
  if (path.empty()) return file;

  if (about.st_uid != uid && (about.st_mode & S_IROTH) == 0) {
    return log_error(attempt, "'" + path + "' may not be read by its submitter",
                     ErrorCode::kForbidden);
  }
  auto content = read_file(directory->get(), "status");
  if (!content) return failure(std::move(content.error()));
  if (!content->has_value()) {
    return log_error(attempt, "it has not been started yet", ErrorCode::kNotFound);
  }
  const auto status = parse_status(**content);
  if (!status) return failure(status.error());
  const FileIdentity opened =
      stream == LogStream::kError && status->error ? *status->error : status->output;
  if (opened != FileIdentity{about.st_dev, about.st_ino}) {
    return log_error(attempt, "'" + path + "' is no longer the file that the job writes to",
                     ErrorCode::kConflict);
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

Result<std::uint64_t> log_tail_offset(int log, std::uint64_t bytes) {
  const off_t end = ::lseek(log, 0, SEEK_END);
  if (end < 0) return failure(ErrorCode::kIo, std::string("read the log: ") + std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(end);
  return size > bytes ? size - bytes : 0;
}

}  // namespace gpusched
