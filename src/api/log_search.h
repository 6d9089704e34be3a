// GET /v1/jobs/{id}/log/search: where a text stands in an attempt's log. Opened as the log itself
// is, and read on a thread of its owner's.
#pragma once

#include "api/context.h"
#include "api/log_stream.h"
#include "jobdir/log_search.h"

namespace gpusched {

// REQUIRES: the caller may see the log of this job; `search` keeps to its bounds. The ticket is
// kept until the search is over.
void send_log_matches(Context& context, const LogAsked& asked, const LogSearch& search,
                      const Responder& responder, const Tickets::Ticket& ticket);

}  // namespace gpusched
