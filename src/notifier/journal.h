// What became of each delivery, on disk before the daemon hears of it: a daemon that was killed in
// between reads it and sends nothing twice. "ID MARK delivered|again|refused" per line. One
// notifier at a time has it: the next one waits until the last has written its end.
#pragma once

#include "os/fd.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

inline constexpr int kJournalDescriptor = 3;

class Journal {
 public:
  // Takes the descriptor if it is open, and waits for its lock. Without it nothing is written.
  static Journal take(int descriptor);
  // False: it is not on disk.
  bool write(const DeliveryOutcome& outcome) const;
  // In a child: the lock is not its own.
  void leave() { file_.reset(); }

 private:
  Fd file_;
};

}  // namespace gpusched::notifier
