// outbox.done in the state directory: what the notifier has delivered, written by the notifier
// before it says so. It outlives a daemon that dies between the delivery and its commit, so that
// nothing is sent twice. Who has its lock delivers; the lock goes with the notifier's descriptor,
// so that a new daemon sends nothing while the old one's notifier is still at work (docs/adr/0114).
// An entry names the message by more than its number, so that what was left beside another store
// settles nothing there (docs/adr/0120).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "wire/notifier_lines.h"

namespace gpusched {

// What an entry means by this message: one that has the number was made at another time.
std::string mark_of(const Message& message);

class DeliveryJournal {
 public:
  explicit DeliveryJournal(std::string path) : path_(std::move(path)) {}

  // To be handed on to a notifier; nothing: another one has the lock. Closed here and there, it is
  // free. What is no regular file is refused, and never waited for.
  Result<std::optional<Fd>> lock() const;
  // All that is written there, with marks. A line that makes no sense, such as half of one, says
  // nothing.
  Result<std::vector<DeliveryOutcome>> read() const;
  // REQUIRES: no notifier is at work, and what it says is settled.
  Result<void> clear() const;

 private:
  std::string path_;
};

}  // namespace gpusched
