// The job directory: STATE/jobs/<id>/<attempt>/ with spec, claim, status, exit, control and log.
// It is the truth about an attempt; every process that asks "what became of it?" asks here.
// Rule: `claim` decides who may run the attempt, its lock says that the shim lives, `exit` says
// how it ended. docs/storage.md has the format.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "core/model/ids.h"
#include "core/model/job.h"
#include "engine/launcher.h"
#include "os/fd.h"

namespace gpusched {

class Record;

std::string jobs_directory(const std::string& state_directory);
std::string job_directory(const std::string& state_directory, JobId job);
std::string attempt_directory(const std::string& state_directory, AttemptId attempt);
// One per job, kept from attempt to attempt; the submitter's.
std::string checkpoint_directory(const std::string& state_directory, JobId job);

// Which file an open log really is, so that a path which has changed hands is noticed.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct ClaimOwner {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  friend bool operator==(const ClaimOwner&, const ClaimOwner&) = default;
};
// The keys `uid` and `gid`. Both or nothing: what cannot be read is nobody's, never root's.
std::optional<ClaimOwner> owner_in(const Record& record);
struct ClaimRecord {
  bool by_shim = true;  // False: recovery won it, the command never ran.
  int pid = 0;          // Of the shim.
  std::string boot_id;
  std::string cgroup;                          // The job's leaf; empty without one.
  std::optional<AdoptedProcess> process = {};  // Set: not started by the shim, only watched over.
  std::string state = {};                // Id of the state directory; empty: of an older version.
  std::optional<ClaimOwner> owner = {};  // Whose the attempt is; none: of an older version.
  std::string holds = {};                // As LaunchOrder::holds; empty: of an older version.
};
struct StatusRecord {
  int pid = 0;  // Of the command: also its session and process group.
  Wall started_at{};
  Boot started_boot{};
  std::string boot_id;
  FileIdentity output;
  std::optional<FileIdentity> error;  // Only when split.
  std::string device_filter = {};     // "on", or "off: why"; empty: an older shim.
  bool adopted = false;               // `pid` is then neither a session nor a group of ours.
  std::string mps = {};               // The same; empty: it was not to run under MPS.
  std::string vram_limit = {};        // What binds it: "dmem", "mps" or "watch"; empty: no limit.

  // Why it does not run under MPS although it should.
  std::string without_mps() const { return mps.starts_with("off: ") ? mps.substr(5) : ""; }
};
// What the next shim of an adopted attempt has to know when one has died; kept beside the claim.
struct AdoptionRecord {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  TimeRule time;
};
// The end of an attempt, as the shim saw it. kLaunch: it could not start the command, and `message`
// says why (no such program, directory gone, user gone, log cannot be opened).
using ExitRecord = AttemptFinished;

std::string write_claim(const ClaimRecord& claim);
std::string write_status(const StatusRecord& status);
std::string write_adoption(const AdoptionRecord& adoption);
std::string write_exit(const ExitRecord& ended);
Result<ClaimRecord> parse_claim(std::string_view text);
Result<StatusRecord> parse_status(std::string_view text);
Result<AdoptionRecord> parse_adoption(std::string_view text);
Result<ExitRecord> parse_exit(std::string_view text, AttemptId attempt);

// Opens an attempt's directory without following links. An empty Fd: it is not there.
Result<Fd> open_attempt(const std::string& state_directory, AttemptId attempt);
// Makes what is missing of it, as this process's user, mode 0711.
Result<Fd> make_attempt(int jobs_directory_fd, AttemptId attempt);

// A small file of ours in it. Absent: nullopt. A link, another owner, not a plain file, too
// large: an error. kBusy: we are short of descriptors or memory, and nothing is known of the file.
Result<std::optional<std::string>> read_file(int directory, const char* name);
// All or nothing, by rename.
Result<void> replace_file(int directory, const char* name, std::string_view content, mode_t mode);

// A claim that nobody sees yet: written and locked before its name appears, so that nobody ever
// sees a live claim unlocked.
struct ClaimDraft {
  Fd file;
  std::string name;  // Removed by drop_draft(), whether it was posted or not.
};
Result<ClaimDraft> draft_claim(int directory, const ClaimRecord& claim);
// In two steps: locked and empty, then with its words.
Result<ClaimDraft> make_draft(int directory);
Result<void> fill_draft(int directory, const ClaimDraft& draft, const ClaimRecord& claim);
// The moment of truth. False: somebody else has won.
Result<bool> post_claim(int directory, const ClaimDraft& draft);
void drop_draft(int directory, const ClaimDraft& draft);
// All three. Returns the locked file; an empty Fd: somebody else has won.
Result<Fd> try_claim(int directory, const ClaimRecord& claim);
// True while the shim that claimed lives.
Result<bool> claim_is_held(int directory);

// What is known of an attempt by looking once.
struct NoClaim {};
struct NeverRan {};  // Recovery has won the claim before.
struct Supervised {
  int shim_pid = 0;     // 0: the claim cannot be read.
  int adopted_pid = 0;  // 0: it was not adopted.
  std::optional<StatusRecord> status;
  std::string state = {};  // As its claim says.
};
struct Unsupervised {
  std::string cgroup;
  std::string boot_id;  // Of the boot it ran in; empty: unknown.
  std::optional<StatusRecord> status;
  std::string problem;   // What was damaged, if something was.
  bool adopted = false;  // It lives on, and is never ended for having lost its shim.
  std::optional<AdoptedProcess> process;  // Who it is, if that can be read.
  std::string state = {};                 // As its claim says.
};
using AttemptFindings = std::variant<NoClaim, NeverRan, Supervised, Unsupervised, ExitRecord>;
// An error says nothing of the attempt: something could not be read this time, and is to be tried
// again. Whatever is Unsupervised is known to be.
// kDead: the caller has seen the shim die, so that a lock still held means nothing (a process on
// its way to exec holds it for a moment longer).
enum class ShimLife { kUnknown, kDead };
Result<AttemptFindings> look_at_attempt(const std::string& state_directory, AttemptId attempt,
                                        ShimLife shim);

}  // namespace gpusched
