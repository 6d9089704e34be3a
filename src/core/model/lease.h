// A lease: cards for a holder that brings its own process. It is a job without a command: same
// ids, order, admission, quota, trail and history; its time to live is the job's time limit. What
// is here is what a lease says beside that (docs/adr/0029).
#pragma once

#include <cstdint>
#include <string>

namespace gpusched {

struct LeaseTerms {
  // Held by the connection that asked; else by the process `pid`.
  bool by_connection = false;
  // The holder's process. What it and its descendants use of a card is the lease's. 0: not known.
  int pid = 0;
  std::uint64_t pid_started = 0;  // In the kernel's ticks since boot; tells it from a later one.
  // Who asks, by name; with the user it says what ResetScheduler ends. May be empty.
  std::string application;
  // What the holder's process runs (core/model/program.h): by this its leases are told from those
  // of the user's other programs. Empty: not known.
  std::string program = {};
  // Cards are taken by turns instead of as the machine's placement says.
  bool by_turns = false;
  friend bool operator==(const LeaseTerms&, const LeaseTerms&) = default;
};

// Names the processes of a lease's holder where those of an attempt are named: which of the
// holder's leases they belong to is known only together with the card.
constexpr int kHolderJob = 0;

}  // namespace gpusched
