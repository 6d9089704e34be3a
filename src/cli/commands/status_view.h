// What `status` asks the daemon and draws, once or again and again.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/jobs/selectors.h"
#include "cli/render/columns.h"
#include "client/client.h"

namespace gpusched::cli {

struct StatusQuestion {
  Request request = {};
  Selection selection;
  ColumnChoice columns = {};  // Empty: the usual table.
  bool overview = false;
  bool csv = false;
};

Result<std::string> render_status(const Client& client, const StatusQuestion& question);
// Onto a terminal: the whole picture again on every change, also of the terminal's size. Into a
// pipe or file: one line per change.
int follow_status(const Client& client, const StatusQuestion& question, bool json);

}  // namespace gpusched::cli
