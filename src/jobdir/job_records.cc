// The records of a job directory as text, both ways.
#include <limits>

#include "jobdir/job_directory.h"
#include "jobdir/record.h"

namespace gpusched {
namespace {

// The causes that a shim can see; any other word in an exit record is damage.
struct CauseWord {
  Cause cause;
  const char* word;
};
constexpr CauseWord kShimCauses[] = {{Cause::kExit, "exit"},        {Cause::kSignal, "signal"},
                                     {Cause::kTimeout, "timeout"},  {Cause::kHostOom, "host_oom"},
                                     {Cause::kCudaOom, "cuda_oom"}, {Cause::kLaunch, "launch"}};

tl::unexpected<Error> damaged(const char* what) { return failure(ErrorCode::kIo, what); }

std::string text_of(const Record& record, const std::string& key) {
  const std::string* value = record.find(key);
  return value == nullptr ? std::string() : *value;
}

std::optional<int> small(const Record& record, const char* key, int most) {
  const auto value = record.number(key);
  if (!value || *value < 0 || *value > most) return std::nullopt;
  return static_cast<int>(*value);
}

void set_identity(Record& record, const std::string& name, const FileIdentity& file) {
  record.set(name + "_device", static_cast<std::int64_t>(file.device));
  record.set(name + "_inode", static_cast<std::int64_t>(file.inode));
}

std::optional<FileIdentity> identity_of(const Record& record, const std::string& name) {
  const auto device = record.number(name + "_device");
  const auto inode = record.number(name + "_inode");
  if (!device || !inode) return std::nullopt;
  return FileIdentity{static_cast<std::uint64_t>(*device), static_cast<std::uint64_t>(*inode)};
}

constexpr int kLargestPid = std::numeric_limits<int>::max();

}  // namespace

std::optional<ClaimOwner> owner_in(const Record& record) {
  const auto uid = record.number("uid");
  const auto gid = record.number("gid");
  const auto is_account = [](const std::optional<std::int64_t>& number) {
    return number && *number >= 0 && *number < std::int64_t{kNoAccount};
  };
  if (!is_account(uid) || !is_account(gid)) return std::nullopt;
  return ClaimOwner{static_cast<std::uint32_t>(*uid), static_cast<std::uint32_t>(*gid)};
}

std::string write_claim(const ClaimRecord& claim) {
  Record record;
  record.set("by", std::string_view(claim.by_shim ? "shim" : "recovery"));
  record.set("pid", std::int64_t{claim.pid});
  record.set("boot_id", claim.boot_id);
  record.set("cgroup", claim.cgroup);
  if (claim.process) {
    record.set("process", std::int64_t{claim.process->pid});
    record.set("process_started", claim.process->started.time_since_epoch().count());
  }
  if (!claim.state.empty()) record.set("state", claim.state);
  if (claim.owner) {
    record.set("uid", std::int64_t{claim.owner->uid});
    record.set("gid", std::int64_t{claim.owner->gid});
  }
  if (!claim.holds.empty()) record.set("holds", claim.holds);
  return record.write();
}

Result<ClaimRecord> parse_claim(std::string_view text) {
  auto record = Record::parse(text);
  if (!record) return failure(std::move(record.error()));
  const std::string by = text_of(*record, "by");
  const auto pid = small(*record, "pid", kLargestPid);
  if (!pid || (by != "shim" && by != "recovery")) return damaged("the claim says nothing known");
  ClaimRecord claim{by == "shim", *pid, text_of(*record, "boot_id"), text_of(*record, "cgroup")};
  claim.state = text_of(*record, "state");
  claim.owner = owner_in(*record);
  claim.holds = text_of(*record, "holds");
  const auto process = small(*record, "process", kLargestPid);
  const auto started = record->number("process_started");
  if (process && started) claim.process = AdoptedProcess{*process, Boot{Microseconds{*started}}};
  return claim;
}

std::string write_status(const StatusRecord& status) {
  Record record;
  record.set("pid", std::int64_t{status.pid});
  record.set("started_at", status.started_at.time_since_epoch().count());
  record.set("started_boot", status.started_boot.time_since_epoch().count());
  record.set("boot_id", status.boot_id);
  set_identity(record, "output", status.output);
  if (status.error) set_identity(record, "error", *status.error);
  if (!status.device_filter.empty()) record.set("device_filter", status.device_filter);
  if (status.adopted) record.set("adopted", std::int64_t{1});
  if (!status.mps.empty()) record.set("mps", status.mps);
  if (!status.vram_limit.empty()) record.set("vram_limit", status.vram_limit);
  return record.write();
}

Result<StatusRecord> parse_status(std::string_view text) {
  auto record = Record::parse(text);
  if (!record) return failure(std::move(record.error()));
  const auto pid = small(*record, "pid", kLargestPid);
  const auto started_at = record->number("started_at");
  const auto started_boot = record->number("started_boot");
  const auto output = identity_of(*record, "output");
  if (!pid || *pid < 2 || !started_at || !started_boot || !output) {
    return damaged("the status lacks something");
  }
  return StatusRecord{*pid,
                      Wall{Microseconds{*started_at}},
                      Boot{Microseconds{*started_boot}},
                      text_of(*record, "boot_id"),
                      *output,
                      identity_of(*record, "error"),
                      text_of(*record, "device_filter"),
                      record->number("adopted") == 1,
                      text_of(*record, "mps"),
                      text_of(*record, "vram_limit")};
}

std::string write_adoption(const AdoptionRecord& adoption) {
  Record record;
  record.set("uid", std::int64_t{adoption.uid});
  record.set("gid", std::int64_t{adoption.gid});
  record.set("time_limit", adoption.time.limit.count());
  record.set("warn_signal", std::int64_t{adoption.time.warn_signal});
  record.set("warn_before", adoption.time.warn_before.count());
  record.set("grace", adoption.time.grace.count());
  return record.write();
}

Result<AdoptionRecord> parse_adoption(std::string_view text) {
  auto record = Record::parse(text);
  if (!record) return failure(std::move(record.error()));
  const auto owner = owner_in(*record);
  const auto limit = record->number("time_limit");
  const auto warn_signal = small(*record, "warn_signal", 64);
  const auto warn_before = record->number("warn_before");
  const auto grace = record->number("grace");
  if (!owner || !limit || !warn_signal || !warn_before || !grace) {
    return damaged("the record of the adoption lacks something");
  }
  return AdoptionRecord{
      owner->uid, owner->gid,
      TimeRule{Seconds{*limit}, *warn_signal, Seconds{*warn_before}, Seconds{*grace}}};
}

std::string write_exit(const ExitRecord& ended) {
  Record record;
  for (const CauseWord& known : kShimCauses) {
    if (known.cause == ended.cause) record.set("cause", std::string_view(known.word));
  }
  if (ended.exit_code) record.set("exit_code", std::int64_t{*ended.exit_code});
  if (ended.signal) record.set("signal", std::int64_t{*ended.signal});
  // Said, not left out: a record that lacks something is damaged.
  if (!ended.exit_code && !ended.signal) record.set("how", std::string_view("unknown"));
  if (ended.let_go) record.set("let_go", std::int64_t{1});
  if (!ended.message.empty()) record.set("message", ended.message);
  if (ended.started_at) record.set("started_at", ended.started_at->time_since_epoch().count());
  record.set("ended_at", ended.ended_at.time_since_epoch().count());
  record.set("user_cpu", ended.usage.user_cpu.count());
  record.set("system_cpu", ended.usage.system_cpu.count());
  record.set("max_rss", static_cast<std::int64_t>(ended.usage.max_rss_bytes));
  if (!ended.usage.said.empty()) record.set("said", ended.usage.said);
  return record.write();
}

Result<ExitRecord> parse_exit(std::string_view text, AttemptId attempt) {
  auto record = Record::parse(text);
  if (!record) return failure(std::move(record.error()));
  ExitRecord ended;
  ended.attempt = attempt;
  const std::string cause = text_of(*record, "cause");
  bool known_cause = false;
  for (const CauseWord& known : kShimCauses) {
    if (cause != known.word) continue;
    ended.cause = known.cause;
    known_cause = true;
  }
  const auto ended_at = record->number("ended_at");
  if (!known_cause || !ended_at) return damaged("the exit record lacks something");
  ended.exit_code = small(*record, "exit_code", 255);
  ended.signal = small(*record, "signal", 127);
  if (!ended.exit_code && !ended.signal && text_of(*record, "how") != "unknown") {
    return damaged("the exit record has no exit code");
  }
  ended.let_go = record->number("let_go") == 1;
  ended.message = text_of(*record, "message");
  if (const auto started = record->number("started_at")) {
    ended.started_at = Wall{Microseconds{*started}};
  }
  ended.ended_at = Wall{Microseconds{*ended_at}};
  ended.usage.user_cpu = Microseconds{record->number("user_cpu").value_or(0)};
  ended.usage.system_cpu = Microseconds{record->number("system_cpu").value_or(0)};
  const std::int64_t rss = record->number("max_rss").value_or(0);
  ended.usage.said = text_of(*record, "said");
  ended.usage.max_rss_bytes = rss > 0 ? static_cast<std::uint64_t>(rss) : 0;
  return ended;
}

}  // namespace gpusched
