// Answers about who changed what.
#pragma once

#include "base/time.h"
#include "wire/message.h"

namespace gpusched::wire {

struct AuditEntry {
  std::uint64_t sequence = 0;
  std::optional<Wall> at;
  std::string user;
  std::optional<std::uint32_t> uid;
  std::string role, proof;
  std::optional<int> pid;
  std::string token, from, operation, target, summary, result, code, key;
  std::uint64_t times = 1;

  static constexpr std::string_view kName = "AuditEntry";
  static constexpr auto fields() {
    using Self = AuditEntry;
    return std::make_tuple(
        field("sequence", &Self::sequence), field("at", &Self::at, kAlways),
        field("user", &Self::user, kOrNull), field("uid", &Self::uid),
        field("role", &Self::role, kOrNull),
        field("proof", &Self::proof, {.or_null = true, .what = "socket, token, signal or daemon"}),
        field("pid", &Self::pid), field("token", &Self::token, {.or_null = true, .what = "its id"}),
        field("from", &Self::from, {.what = "an address, or \"this machine\""}),
        field("operation", &Self::operation), field("target", &Self::target, kOrNull),
        field("summary", &Self::summary, kOrNull),
        field("result", &Self::result, {.what = "done, begun, interrupted, refused or failed"}),
        field("code", &Self::code, kOrNull), field("key", &Self::key, kOrNull),
        field("times", &Self::times, {.what = "so many like it"}));
  }
};
struct Audit {
  int schema = 1;
  std::vector<AuditEntry> entries;
  std::string next;

  static constexpr std::string_view kName = "Audit";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Audit::schema), field("entries", &Audit::entries),
                           field("next", &Audit::next, kMaybe));
  }
};

}  // namespace gpusched::wire
