#include "store/cancel_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>

#include "store/number_line.h"

namespace gpusched {
namespace {

constexpr std::size_t kCancelSlot = 64 * 1024;  // Room for thousands.
constexpr std::string_view kCancelsBegin = "gpusched-cancels 1";
constexpr std::size_t kNumbersBefore = 2, kNumbersEach = 3;

tl::unexpected<Error> cancel_failure(const char* doing, const std::string& path) {
  const ErrorCode code =
      errno == ENOSPC || errno == EDQUOT ? ErrorCode::kStorageFull : ErrorCode::kIo;
  return failure(code, fmt::format("{} {}: {}", doing, path, std::strerror(errno)));
}

Result<void> write_slot(const Fd& file, const std::string& path, std::string text,
                        std::uint64_t write) {
  text.resize(kCancelSlot, '\0');
  const auto at = static_cast<off_t>((write % 2) * kCancelSlot);
  errno = ENOSPC;  // What a short write means.
  if (::pwrite(file.get(), text.data(), text.size(), at) != static_cast<ssize_t>(text.size())) {
    return cancel_failure("write", path);
  }
  if (::fdatasync(file.get()) != 0) return cancel_failure("write", path);
  return {};
}

}  // namespace

Result<CancelFile> CancelFile::open(const std::string& directory) {
  CancelFile cancels;
  cancels.path_ = directory + "/" + kCancelsName;
  cancels.file_.reset(
      ::open(cancels.path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!cancels.file_) return cancel_failure("open", cancels.path_);
  const Result<FilePlace> place = place_of_file(cancels.path_);
  if (!place) return failure(place.error());
  cancels.place_ = *place;
  std::string content(2 * kCancelSlot, '\0');
  const ssize_t got = ::pread(cancels.file_.get(), content.data(), content.size(), 0);
  if (got < 0) return cancel_failure("read", cancels.path_);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    const auto numbers = read_number_line(
        kCancelsBegin, std::string_view(content).substr(slot * kCancelSlot, kCancelSlot));
    if (!numbers || numbers->size() % kNumbersEach != kNumbersBefore % kNumbersEach) continue;
    if ((*numbers)[0] < cancels.writes_) continue;
    cancels.writes_ = (*numbers)[0];
    cancels.commits_ = (*numbers)[1];
    cancels.kept_.clear();
    for (std::size_t i = kNumbersBefore; i < numbers->size(); i += kNumbersEach) {
      KeptCancel one{{JobId{(*numbers)[i]}, static_cast<int>((*numbers)[i + 1])}, {}};
      if (const std::uint64_t grace = (*numbers)[i + 2]; grace > 0) one.grace = Seconds{grace - 1};
      cancels.kept_.push_back(one);
    }
  }
  if (static_cast<std::size_t>(got) < content.size()) {
    // Room for both; what was read is written again. Without it, keep() tries on its own.
    (void)!::pwrite(cancels.file_.get(), content.data(), content.size(), 0);
  }
  return cancels;
}

Result<void> CancelFile::write() {
  std::vector<std::uint64_t> numbers{writes_ + 1, commits_};
  for (const KeptCancel& one : kept_) {
    numbers.push_back(number_of(one.attempt.job));
    numbers.push_back(static_cast<std::uint64_t>(one.attempt.number));
    numbers.push_back(one.grace ? static_cast<std::uint64_t>(one.grace->count()) + 1 : 0);
  }
  std::string line = number_line(kCancelsBegin, numbers);
  if (line.size() > kCancelSlot) {
    return failure(ErrorCode::kStorageFull,
                   fmt::format("write {}: there is no room for so many", path_));
  }
  // A file that nobody will find again keeps nothing.
  if (Result<void> same = require_same_file(path_, place_); !same) return same;
  Result<void> written = write_slot(file_, path_, std::move(line), writes_ + 1);
  if (written) ++writes_;
  return written;
}

Result<void> CancelFile::keep(const std::vector<KeptCancel>& more, std::uint64_t commits) {
  const std::vector<KeptCancel> before = kept_;
  const std::uint64_t commits_before = commits_;
  std::set<KeptCancel> all(kept_.begin(), kept_.end());
  all.insert(more.begin(), more.end());
  kept_.assign(all.begin(), all.end());
  commits_ = commits;
  Result<void> written = write();
  if (!written) {
    kept_ = before;
    commits_ = commits_before;
  }
  return written;
}

// Failing does no harm: by the number of commits they are over.
void CancelFile::clear() {
  if (kept_.empty()) return;
  kept_.clear();
  (void)write();
}

}  // namespace gpusched
