#include "core/model/reason.h"

#include <algorithm>

#include "base/check.h"
#include "base/words.h"

namespace gpusched {
namespace {

std::string job_list(const std::vector<JobId>& jobs) {
  std::string text = jobs.size() == 1 ? "job " : "jobs ";
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i > 0) text += ", ";
    text += to_string(jobs[i]);
  }
  return text;
}

// The program and its first word: enough to know it by.
std::string short_command(const std::string& command) {
  std::string text = command.substr(0, command.find(' '));
  if (const auto slash = text.rfind('/'); slash != std::string::npos) text.erase(0, slash + 1);
  const auto blank = command.find(' ');
  if (blank == std::string::npos || command[blank + 1] == '-') return text;
  return text + " " + command.substr(blank + 1, command.find(' ', blank + 1) - blank - 1);
}

std::string card_name(CardNumber card) { return "card " + std::to_string(number_of(card)); }

std::string percent(std::uint64_t number) { return std::to_string(number) + " %"; }

std::string process_name(const ForeignHolder& holder) {
  std::string text =
      holder.command.empty() ? "a process" : "`" + short_command(holder.command) + "`";
  text += ", pid " + std::to_string(holder.pid);
  if (!holder.user.empty()) text += ", of " + holder.user;
  return text;
}

std::string room_sentence(const Reason& reason) {
  return "room is being made: " + job_list(reason.jobs) +
         (reason.jobs.size() == 1 ? " is" : " are") + " moved aside" +
         (reason.name.empty() ? "" : ", for about " + reason.name + " more");
}

std::string kept_sentence(const Reason& reason) {
  return "there is room, but it is kept for " + job_list(reason.jobs) + ", which " +
         (reason.jobs.size() == 1 ? "goes" : "go") + " before it";
}

std::string missing_clause(const Reason& reason) {
  if (reason.cards_missing == 0) return {};
  return "; " + counted(reason.cards_missing, "card") + " of this machine " +
         (reason.cards_missing == 1 ? "is" : "are") + " missing";
}

std::string soonest_clause(const SoonestEnd& end) {
  return "job " + to_string(end.job) + " has " + counted(end.cards, "card") + " and ends in " +
         (end.limit ? "" : "about ") + rough_duration(end.in) + (end.limit ? " at the latest" : "");
}

// "; job 5 has 4, job 6 has 2".
std::string holders_clause(const Reason& reason) {
  std::string text;
  for (const HostHolder& one : reason.holders) {
    text += (text.empty() ? "; job " : ", job ") + to_string(one.job) + " has " +
            (reason.code == ReasonCode::kRam ? gib_text(one.amount) : std::to_string(one.amount));
  }
  return text;
}

std::string aside_sentence(const Reason& reason) {
  return (reason.jobs.empty() ? std::string("moved aside; ")
                              : "moved aside for " + job_list(reason.jobs) + "; ") +
         (reason.name.empty() ? "comes back when there is room" : reason.name);
}

bool lacks(const Reason& reason, Lack what) {
  return std::ranges::find(reason.lacks, what, &CardLack::what) != reason.lacks.end();
}
bool lacks_only(const Reason& reason, Lack what) {
  return lacks(reason, what) &&
         std::ranges::all_of(reason.lacks, [=](const CardLack& one) { return one.what == what; });
}

// " with 8.0 GiB free": what a card would have to have.
std::string wanted_clause(const Reason& reason) {
  if (reason.vram_bytes == 0) return " free";
  if (lacks_only(reason, Lack::kJobsMost)) return " that may take one more job";
  if (lacks_only(reason, Lack::kSharing)) return " without jobs";
  const bool compute = lacks(reason, Lack::kCompute) || lacks(reason, Lack::kForeignLoad);
  const bool other = std::ranges::any_of(reason.lacks, [](const CardLack& one) {
    return one.what != Lack::kCompute && one.what != Lack::kForeignLoad;
  });
  const std::string share =
      percent(static_cast<std::uint64_t>(reason.share_percent)) + " of the compute";
  if (compute && !other) return " with " + share + " free";
  return " with " + gib_text(reason.vram_bytes) + (compute ? " and " + share : "") + " free";
}

// What one card has instead; empty where the rest of the sentence says it.
std::string lack_clause(const CardLack& lack, bool alike) {
  const std::string card = card_name(lack.card);
  switch (lack.what) {
    case Lack::kVram:
      return alike ? "" : card + " has " + gib_text(lack.left) + " left";
    case Lack::kCompute:
      return card + " has " + percent(lack.left) + " of its compute left";
    case Lack::kSharing:
      return card + " is not shared";
    case Lack::kJobsMost:
      return card + " has its limit of " + counted(lack.left, "job");
    case Lack::kGrowth:
      return card + " has a job that grows beyond what it asked for";
    case Lack::kNothing:
    case Lack::kUnusable:
    case Lack::kSize:
    case Lack::kForeignLoad:
    case Lack::kTaken:
    case Lack::kEmptiness:
      return {};
  }
  CHECK(false);
}

std::string cards_sentence(const Reason& reason) {
  constexpr std::size_t kCardsNamedMost = 3;
  std::string text = "needs " + counted(reason.wanted, "card") + wanted_clause(reason);
  text += ", " + std::to_string(reason.available) + " available";
  const bool alike = lacks_only(reason, Lack::kVram);
  std::size_t named = 0;
  for (const CardLack& lack : reason.lacks) {
    const std::string clause = lack_clause(lack, alike);
    if (!clause.empty() && named++ < kCardsNamedMost) text += "; " + clause;
  }
  if (!reason.jobs.empty()) {
    text += "; " + job_list(reason.jobs) + (reason.jobs.size() == 1 ? " holds" : " hold") +
            " the cards it could use";
  }
  if (reason.soonest) text += "; " + soonest_clause(*reason.soonest);
  for (const ForeignHolder& holder : reason.foreign) text += "; " + describe(holder);
  return text + missing_clause(reason);
}

}  // namespace

std::string rough_duration(Microseconds length) {
  const auto seconds = std::chrono::duration_cast<Seconds>(length).count();
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86400) + " days";
}

const char* reason_code_name(ReasonCode code) {
  switch (code) {
    case ReasonCode::kHeld:
      return "held";
    case ReasonCode::kCrashGuard:
      return "crash_guard";
    case ReasonCode::kDependency:
      return "dependency";
    case ReasonCode::kBegin:
      return "begin";
    case ReasonCode::kRetry:
      return "retry";
    case ReasonCode::kMachineLimit:
      return "machine_limit";
    case ReasonCode::kGroupLimit:
      return "group_limit";
    case ReasonCode::kGroupPaused:
      return "group_paused";
    case ReasonCode::kArrayLimit:
      return "array_limit";
    case ReasonCode::kTenantQuota:
      return "tenant_quota";
    case ReasonCode::kNoSuchCard:
      return "no_such_card";
    case ReasonCode::kCards:
      return "cards";
    case ReasonCode::kCpus:
      return "cpus";
    case ReasonCode::kRam:
      return "ram";
    case ReasonCode::kCardsReserved:
      return "booked";
    case ReasonCode::kReserved:
      return "reserved";
    case ReasonCode::kKept:
      return "kept";
    case ReasonCode::kSlowPair:
      return "slow_pair";
    case ReasonCode::kMakingRoom:
      return "making_room";
    case ReasonCode::kRoomLater:
      return "room_later";
    case ReasonCode::kMovedAside:
      return "moved_aside";
    case ReasonCode::kStandsStill:
      return "stands_still";
    case ReasonCode::kPaused:
      return "paused";
    case ReasonCode::kVramLimit:
      return "vram_limit";
    case ReasonCode::kDiskFull:
      return "disk_full";
    case ReasonCode::kNext:
      return "next";
  }
  CHECK(false);
}

std::string describe(const ForeignHolder& holder) {
  if (holder.busy_percent > 0) {
    const std::string busy = card_name(holder.card) + " busy (" +
                             percent(static_cast<std::uint64_t>(holder.busy_percent)) + ")";
    // Where the driver does not tell who it is.
    if (holder.pid == 0) return "others keep " + busy;
    return process_name(holder) + ", keeps " + busy;
  }
  std::string text = gib_text(holder.vram_bytes) + " on " + card_name(holder.card) +
                     " are held by " + process_name(holder);
  if (holder.held_for) text += ", since " + rough_duration(*holder.held_for);
  if (holder.idle) text += ", without using the card";
  return text;
}

std::string describe(const Reason& reason) {
  switch (reason.code) {
    case ReasonCode::kHeld:
      return "held on request";
    case ReasonCode::kCrashGuard:
      return "held: the first jobs of array " + to_string(reason.jobs.front()) +
             " all failed within seconds";
    case ReasonCode::kDependency:
      return "waits for " + job_list(reason.jobs);
    case ReasonCode::kBegin:
      return "may not begin yet";
    case ReasonCode::kRetry:
      return "waits before its next try";
    case ReasonCode::kMachineLimit:
      return counted(reason.wanted, "job") +
             " run at once, as many as the daemon has open files for";
    case ReasonCode::kGroupLimit:
      return "group '" + reason.name + "' runs its limit of " + counted(reason.wanted, "job");
    case ReasonCode::kGroupPaused:
      return "group '" + reason.name + "' is paused";
    case ReasonCode::kArrayLimit:
      return "array " + to_string(reason.jobs.front()) + " runs its limit of " +
             counted(reason.wanted, "job");
    case ReasonCode::kTenantQuota:
      return describe(*reason.quota);
    case ReasonCode::kNoSuchCard:
      return "needs " + counted(reason.wanted, "usable card") + " of the kind it asks for, " +
             std::to_string(reason.available) + " there now" +
             (reason.name.empty() ? "" : ": " + reason.name) + missing_clause(reason);
    case ReasonCode::kCards:
      return cards_sentence(reason);
    case ReasonCode::kCpus:
      return "needs " + counted(reason.wanted, "CPU") + ", " + std::to_string(reason.available) +
             " free" + holders_clause(reason);
    case ReasonCode::kRam:
      return "needs " + gib_text(reason.wanted) + " of host RAM, " + gib_text(reason.available) +
             " free" + holders_clause(reason);
    case ReasonCode::kCardsReserved:
      return "needs " + counted(reason.wanted, "card") + ", " + std::to_string(reason.available) +
             " to be had; " + reason.name;
    case ReasonCode::kReserved:
      return "there is room, but job " + to_string(reason.jobs.front()) +
             " is first in order and would be delayed";
    case ReasonCode::kKept:
      return kept_sentence(reason);
    case ReasonCode::kSlowPair:
      return job_list(reason.jobs) + (reason.jobs.size() == 1 ? " is" : " are") +
             " where it would fit, and they slow each other down";
    case ReasonCode::kMakingRoom:
      return room_sentence(reason);
    case ReasonCode::kRoomLater:
      return job_list(reason.jobs) + " will be moved aside for it when " +
             (reason.jobs.size() == 1 ? "it has" : "they have") + " run for a while" +
             (reason.name.empty() ? "" : ", " + reason.name);
    case ReasonCode::kMovedAside:
      return aside_sentence(reason);
    case ReasonCode::kStandsStill:
      return "stands still until " + job_list(reason.jobs) +
             " has left its card, which is almost full";
    case ReasonCode::kPaused:
      return "paused on request";
    case ReasonCode::kVramLimit:
      return "stopped at its VRAM limit of " + reason.name + " unless that is raised";
    case ReasonCode::kDiskFull:
      return "the disk that holds the state directory is full; it starts when there is room";
    case ReasonCode::kNext:
      return "starts next";
  }
  CHECK(false);
}

}  // namespace gpusched
