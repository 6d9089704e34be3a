// What `set` makes of placeholders: what the first of the jobs is called then, and where it runs.
#pragma once

#include "cli/flags.h"
#include "cli/jobs/selectors.h"
#include "client/client.h"

namespace gpusched::cli {

// Notes, if a name, tag, directory or variable has placeholders.
void tell_filled_in(const Client& client, const Selection& selection, const Arguments& arguments);

}  // namespace gpusched::cli
