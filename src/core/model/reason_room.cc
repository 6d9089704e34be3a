// Why no room is made for a job, in words.
#include <algorithm>

#include "base/check.h"
#include "core/model/reason.h"

namespace gpusched {
namespace {

// After the jobs that it is said of.
const char* stays_words(Stays why, bool several) {
  switch (why) {
    case Stays::kNothing:
      return "could go, but that would not be enough, or not be worth it";
    case Stays::kOff:
      return several ? "stay: moving jobs is switched off" : "stays: moving jobs is switched off";
    case Stays::kAsImportant:
      return several ? "are as important as it is" : "is as important as it is";
    case Stays::kNever:
      return "asked not to be moved (--preempt never)";
    case Stays::kLease:
      return several ? "are leases, which go only while they sit idle"
                     : "is a lease, which goes only while it sits idle";
    case Stays::kYoung:
      return several ? "have not been there for long enough" : "has not been there for long enough";
    case Stays::kTired:
      return several ? "have been moved as often as a job may be"
                     : "has been moved as often as a job may be";
    case Stays::kBusy:
      return several ? "start, end or move at this moment" : "starts, ends or moves at this moment";
    case Stays::kSavesOnly:
      return several ? "cannot save themselves, and others are not asked to go"
                     : "cannot save itself, and others are not asked to go";
    case Stays::kMps:
      return several ? "use MPS, whose clients the driver does not move"
                     : "uses MPS, whose clients the driver does not move";
    case Stays::kCardsDoNotMove:
      return several ? "are on cards whose driver cannot move jobs"
                     : "is on a card whose driver cannot move jobs";
    case Stays::kRefused:
      return several ? "have programs that the driver did not move before"
                     : "has a program that the driver did not move before";
    case Stays::kHostRam:
      return several ? "have more VRAM than there is host RAM to take it"
                     : "has more VRAM than there is host RAM to take it";
    case Stays::kFailedLately:
      return "could not be moved a moment ago";
    case Stays::kEndsSoon:
      return several ? "end sooner than moving them would help"
                     : "ends sooner than moving it would help";
    case Stays::kOthersReturn:
      return "could go, but a job that is just leaving those cards returns there first";
    case Stays::kOthersLeave:
      return "could go, but there is room for it when those that are just leaving are gone";
    case Stays::kStartsSooner:
      return "could go, but it starts by itself before that";
    case Stays::kCardSilent:
      return "could go, but there may be room on a card that will answer in a moment";
  }
  CHECK(false);
}

}  // namespace

std::string why_no_room(const Reason& reason) {
  std::vector<Stays> kinds;
  for (const Staying& one : reason.staying) {
    if (std::ranges::find(kinds, one.why) == kinds.end()) kinds.push_back(one.why);
  }
  std::string text;
  for (const Stays kind : kinds) {
    std::string jobs;
    std::size_t count = 0;
    for (const Staying& one : reason.staying) {
      if (one.why == kind) jobs += (count++ == 0 ? "" : ", ") + to_string(one.job);
    }
    text += (text.empty() ? "" : "; ") + std::string(count == 1 ? "job " : "jobs ") + jobs + " " +
            stays_words(kind, count > 1);
  }
  return text;
}

}  // namespace gpusched
