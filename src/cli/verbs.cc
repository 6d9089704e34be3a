#include <array>

#include "cli/commands/verbs.h"

namespace gpusched::cli {
namespace {

constexpr std::array kVerbs = {
    &kSubmitVerb,  &kRunVerb,    &kAttachVerb,   &kStatusVerb,  &kShowVerb,       &kSweepVerb,
    &kExplainVerb, &kEventsVerb, &kLogsVerb,     &kWaitVerb,    &kCancelVerb,     &kHoldVerb,
    &kReleaseVerb, &kPauseVerb,  &kResumeVerb,   &kRequeueVerb, &kSetVerb,        &kMoveVerb,
    &kGroupVerb,   &kTenantVerb, &kGpusVerb,     &kTopVerb,     &kDrainVerb,      &kUndrainVerb,
    &kReserveVerb, &kLeaseVerb,  &kAdoptVerb,    &kDisownVerb,  &kReportVerb,     &kAlertsVerb,
    &kServeVerb,   &kPageVerb,   &kDoctorVerb,   &kConfigVerb,  &kTokenVerb,      &kAuditVerb,
    &kCertVerb,    &kBackupVerb, &kSimulateVerb, &kDebugVerb,   &kCompletionVerb, &kCompleteVerb,
    &kRelayVerb};

}  // namespace

std::span<const Verb* const> all_verbs() { return kVerbs; }

const Verb* find_verb(std::string_view name) {
  for (const Verb* verb : kVerbs) {
    if (verb->name == name || (!verb->alias.empty() && verb->alias == name)) return verb;
  }
  return nullptr;
}

}  // namespace gpusched::cli
