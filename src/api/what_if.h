// POST /v1/whatif: jobs that have ended are copied piece by piece, replayed on a thread of their
// own, and compared. Nothing is kept.
#pragma once

#include "api/context.h"
#include "replay/what_if.h"

namespace gpusched {

// REQUIRES: what is asked makes sense for this machine (replay::changed_machine). `priority_of` and
// `without_tenant` name tenants that the caller may know of.
void send_what_if(Context& context, const Call& call, replay::WhatIf asked, Wall since);

}  // namespace gpusched
