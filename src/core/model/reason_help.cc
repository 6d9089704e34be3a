// What would help a job that waits, in words; commands in them can be pasted.
#include "base/check.h"
#include "base/words.h"
#include "core/model/reason.h"
#include "core/model/tenant.h"

namespace gpusched {
namespace {

// As it is written after --time: whole minutes where there are ten, whole hours where they divide.
std::string time_word(std::uint64_t seconds) {
  if (seconds < 600) return std::to_string(seconds) + "s";
  const std::uint64_t minutes = seconds / 60;
  return minutes % 60 == 0 ? std::to_string(minutes / 60) + "h" : std::to_string(minutes) + "m";
}

// As it is written after --vram or --mem: whole GiB where there is one.
std::string size_word(std::uint64_t bytes) {
  const std::uint64_t gibibytes = bytes >> 30;
  return gibibytes > 0 ? std::to_string(gibibytes) + "G" : std::to_string(bytes >> 20) + "M";
}

std::string help_sentence(const Help& help) {
  const bool said = help.asked > 0;
  switch (help.kind) {
    case Help::Kind::kLessVram:
      return said ? "ask for --vram " + size_word(help.value) + " instead of " +
                        size_word(help.asked) + " and it starts now"
                  : "say --vram " + size_word(help.value) + " or less, and it starts now";
    case Help::Kind::kLessShare:
      return "with --share " + std::to_string(help.value) + " it starts now";
    case Help::Kind::kAnyCards:
      return "without --gpu, --not-gpu and --gpu-type it starts now";
    case Help::Kind::kLessRam:
      return "with --mem " + size_word(help.value) + " it starts now";
    case Help::Kind::kFewerCards:
      return "with --gpus " + std::to_string(help.value) + " it starts now";
    case Help::Kind::kShorterTime:
      return "with --time " + time_word(help.value) + " or less it starts now";
    case Help::Kind::kFewerCpus:
      return "with --cpus " + std::to_string(help.value) + " it starts now";
  }
  CHECK(false);
}

// The same after `gpusched set 7`; empty: no flag says it.
std::string help_flag(const Help& help) {
  switch (help.kind) {
    case Help::Kind::kLessVram:
      return " --vram " + size_word(help.value);
    case Help::Kind::kLessShare:
      return " --share " + std::to_string(help.value);
    case Help::Kind::kAnyCards:
      return "";
    case Help::Kind::kLessRam:
      return " --mem " + size_word(help.value);
    case Help::Kind::kFewerCards:
      return " --gpus " + std::to_string(help.value);
    case Help::Kind::kShorterTime:
      return " --time " + time_word(help.value);
    case Help::Kind::kFewerCpus:
      return " --cpus " + std::to_string(help.value);
  }
  CHECK(false);
}

}  // namespace

std::string what_would_help(const Reason& reason, std::optional<JobId> job) {
  std::string sure;
  for (const Help& help : reason.helps) {
    sure += (sure.empty() ? "" : "; ") + help_sentence(help);
    if (const std::string flag = help_flag(help); job && !flag.empty()) {
      sure += ": gpusched set " + to_string(*job) + flag;
    }
  }
  if (!sure.empty()) return sure;
  const std::string id = job ? " " + to_string(*job) : "";
  switch (reason.code) {
    case ReasonCode::kHeld:
      return "gpusched release" + id;
    case ReasonCode::kCrashGuard:
      return "look at the logs of the failed jobs, then: gpusched release" + id;
    case ReasonCode::kMachineLimit:
      return "a higher limit of open files for the daemon (LimitNOFILE=, ulimit -n)";
    case ReasonCode::kGroupLimit:
      return reason.starts_when_lifted
                 ? "a higher limit: gpusched group set " + shell_word(reason.name) + " " +
                       std::to_string(reason.wanted + 1)
                 : "";
    case ReasonCode::kGroupPaused:
      return "gpusched group resume " + shell_word(reason.name);
    case ReasonCode::kTenantQuota:
      return reason.starts_when_lifted ? what_would_help(*reason.quota, reason.name) : "";
    case ReasonCode::kPaused:
      return "gpusched resume" + id;
    case ReasonCode::kVramLimit:
      return "a higher limit, or none: gpusched set" + id + " --vram-limit 0";
    case ReasonCode::kDiskFull:
      return "free space on that disk";
    // What is not sure to help is not said.
    case ReasonCode::kCards:
    case ReasonCode::kCpus:
    case ReasonCode::kRam:
    case ReasonCode::kCardsReserved:
    case ReasonCode::kReserved:
    case ReasonCode::kKept:
    case ReasonCode::kSlowPair:
    case ReasonCode::kMakingRoom:
    case ReasonCode::kRoomLater:
    case ReasonCode::kMovedAside:
    case ReasonCode::kStandsStill:
    case ReasonCode::kDependency:
    case ReasonCode::kBegin:
    case ReasonCode::kRetry:
    case ReasonCode::kArrayLimit:
    case ReasonCode::kNoSuchCard:
    case ReasonCode::kNext:
      return {};
  }
  CHECK(false);
}

}  // namespace gpusched
