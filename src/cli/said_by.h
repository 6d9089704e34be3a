// A program that answers a question: what it printed, and how it ended.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace gpusched::cli {

struct SaidBy {
  std::string text;   // Its standard output, without the last line end.
  int exit_code = 0;  // Its standard error is ours.
};
// An error: it could not be started, or says nothing for very long.
Result<SaidBy> said_by(const std::vector<std::string>& command);

}  // namespace gpusched::cli
