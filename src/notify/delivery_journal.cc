#include "notify/delivery_journal.h"

#include <fcntl.h>
#include <sys/file.h>
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

// "17 delivered".
std::optional<DeliveryOutcome> outcome_of(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  DeliveryOutcome outcome;
  if (!whole_number(line.substr(0, space), outcome.id)) return std::nullopt;
  const auto word = std::ranges::find(kDeliveryResultWords, line.substr(space + 1));
  if (word == kDeliveryResultWords.end()) return std::nullopt;
  outcome.result = static_cast<DeliveryResult>(word - kDeliveryResultWords.begin());
  return outcome;
}

}  // namespace

Result<std::optional<Fd>> DeliveryJournal::lock() const {
  Fd file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return journal_failure("open", path_);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return std::optional(std::move(file));
  if (errno == EWOULDBLOCK) return std::optional<Fd>();
  return journal_failure("lock", path_);
}

Result<std::vector<DeliveryOutcome>> DeliveryJournal::read() const {
  std::string text = read_small_file(path_, kJournalMost);
  std::vector<DeliveryOutcome> outcomes;
  take_lines(text, [&](std::string_view line) {
    if (auto outcome = outcome_of(line)) outcomes.push_back(std::move(*outcome));
  });
  return outcomes;
}

Result<void> DeliveryJournal::clear() const {
  if (::truncate(path_.c_str(), 0) == 0 || errno == ENOENT) return {};
  return journal_failure("empty", path_);
}

}  // namespace gpusched
