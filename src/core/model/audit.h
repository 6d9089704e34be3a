// Who changed what: one entry for each change that somebody asked for, and for attempts that were
// refused. Nothing is decided by it. It never holds a secret, an argument or an environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/access/principal.h"

namespace gpusched {

// Each is kept within a bound of its own, so that many of one kind push out none of another.
enum class AuditKind : std::uint8_t {
  kChange,
  kRefusal,
  kLease,  // Programs ask for leases by the thousand.
};
inline constexpr int kAuditKinds = 3;

struct AuditEntry {
  std::uint64_t sequence = 0;  // Given by the engine.
  AuditKind kind = AuditKind::kChange;
  Wall at{};
  std::optional<std::uint32_t> uid = {};  // Absent: nobody of this machine.
  std::string user = {};                  // Its name; empty: not known at that time.
  std::string role = {};
  std::string proof = {};  // "socket", "token", "signal", "daemon"; empty: nothing was proved.
  int pid = 0;             // That connected, where the kernel told.
  std::string token = {};  // Its id, never the token.
  std::string from = {};   // The address; empty: this machine.
  std::string operation = {};
  std::string target = {};
  std::string summary = {};
  std::string result = {};  // "done", "begun", "refused", "failed".
  std::string code = {};    // Why, of the latter two.
  std::string key = {};     // The request's, shortened if it is long.
  std::uint64_t times = 1;  // So many like it; the others have no entries.
  bool again = false;       // Not kept: stands there already and is brought up to date.
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

// Goes with a change that somebody asks for, into the commit of that change.
struct Asked {
  AuditEntry entry;  // As far as it is known: without sequence, time and result.
  // Of a request with a key; without a digest nothing is kept of it (kept_change.h).
  std::string key = {}, digest = {};
  Role role = Role::kViewer;
  bool repeated = false;  // Set when it was answered with what is kept.
  bool begun = false;     // It is to be done: no dry run, and not done before.
  // Set once the entry is on disk, or need not be there.
  bool recorded = false;
};

// How much of it is kept.
struct AuditBounds {
  Wall since{};          // What is older goes.
  std::size_t most = 0;  // Of changes; of each other kind a tenth.
  friend bool operator==(const AuditBounds&, const AuditBounds&) = default;
};
inline std::size_t audit_most(const AuditBounds& bounds, AuditKind kind) {
  return kind == AuditKind::kChange ? bounds.most : bounds.most / 10;
}

// A part of it, from the newest on.
struct AuditPart {
  std::optional<std::uint64_t> before = {};  // Only what has a smaller number.
  std::size_t most = 0;
  bool leases = false;  // Also those.
};

}  // namespace gpusched
