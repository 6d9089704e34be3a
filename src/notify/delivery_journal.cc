#include "notify/delivery_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/number.h"
#include "base/text.h"
#include "os/small_file.h"

namespace gpusched {
namespace {

constexpr std::size_t kJournalMost = 16U << 20;

tl::unexpected<Error> journal_failure(const std::string& what, const std::string& path) {
  return failure(ErrorCode::kIo, what + " " + path + ": " + std::strerror(errno));
}

// "17 1767254400123456 delivered".
std::optional<DeliveryOutcome> outcome_of(std::string_view line) {
  const std::vector<std::string_view> words = split(line, ' ');
  DeliveryOutcome outcome;
  if (words.size() != 3 || !whole_number(words[0], outcome.id) || !is_mark(words[1])) {
    return std::nullopt;
  }
  outcome.mark = words[1];
  const auto word = std::ranges::find(kDeliveryResultWords, words[2]);
  if (word == kDeliveryResultWords.end()) return std::nullopt;
  outcome.result = static_cast<DeliveryResult>(word - kDeliveryResultWords.begin());
  return outcome;
}

// Nothing here may wait: somebody may have put a pipe or a device in its place.
Result<Fd> open_journal(const std::string& path, int flags) {
  Fd file(::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat found {};
  const bool opened = file && ::fstat(file.get(), &found) == 0;
  if (opened && S_ISREG(found.st_mode)) return file;
  // A pipe without a reader, and a link.
  const bool other = opened || errno == ENXIO || errno == ELOOP || errno == EISDIR;
  if (!other) return journal_failure("open", path);
  return failure(ErrorCode::kIo,
                 "open " + path + ": it is not a regular file; remove it, and messages are sent");
}

}  // namespace

std::string mark_of(const Message& message) {
  return std::to_string(message.at.time_since_epoch().count());
}

Result<std::optional<Fd>> DeliveryJournal::lock() const {
  auto file = open_journal(path_, O_WRONLY | O_APPEND | O_CREAT);
  if (!file) return failure(std::move(file.error()));
  if (::flock(file->get(), LOCK_EX | LOCK_NB) == 0) return std::optional(std::move(*file));
  if (errno == EWOULDBLOCK) return std::optional<Fd>();
  return journal_failure("lock", path_);
}

Result<std::vector<DeliveryOutcome>> DeliveryJournal::read() const {
  std::vector<DeliveryOutcome> outcomes;
  if (::access(path_.c_str(), F_OK) != 0 && errno == ENOENT) return outcomes;
  const auto file = open_journal(path_, O_RDONLY);
  if (!file) return failure(file.error());
  std::string text = read_small_file(file->get(), kJournalMost);
  take_lines(text, [&](std::string_view line) {
    if (auto outcome = outcome_of(line)) outcomes.push_back(std::move(*outcome));
  });
  return outcomes;
}

Result<void> DeliveryJournal::clear() const {
  if (::access(path_.c_str(), F_OK) != 0 && errno == ENOENT) return {};
  const auto file = open_journal(path_, O_WRONLY);
  if (!file) return failure(file.error());
  if (::ftruncate(file->get(), 0) == 0) return {};
  return journal_failure("empty", path_);
}

}  // namespace gpusched
