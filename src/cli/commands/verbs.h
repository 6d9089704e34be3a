// Every verb, one file each in this folder. A new verb is a file, a line here and one in verbs.cc.
#pragma once

#include "cli/verb.h"

namespace gpusched::cli {

extern const Verb kServeVerb, kSubmitVerb, kRunVerb, kStatusVerb, kShowVerb, kExplainVerb,
    kEventsVerb, kLogsVerb, kCancelVerb, kHoldVerb, kReleaseVerb, kPauseVerb, kResumeVerb,
    kMoveVerb, kRequeueVerb, kSetVerb, kWaitVerb, kGroupVerb, kGpusVerb, kDoctorVerb, kConfigVerb,
    kBackupVerb, kCompletionVerb, kCompleteVerb, kSimulateVerb, kDrainVerb, kUndrainVerb, kTopVerb,
    kReportVerb, kTenantVerb, kReserveVerb, kLeaseVerb, kDebugVerb, kAdoptVerb, kDisownVerb,
    kSweepVerb, kAttachVerb, kRelayVerb, kCertVerb, kTokenVerb, kAuditVerb, kAlertsVerb, kPageVerb;

// `gpusched` without a verb (overview.cc).
int run_overview(const Arguments& arguments);

}  // namespace gpusched::cli
