// The logs of several jobs as one: each line whole, with its job before it, as they are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/logs/last_lines.h"
#include "client/client.h"

namespace gpusched::cli {

// Bytes of one log as they come, out as lines with the job before each. A line is told when it is
// whole, or when the log has ended.
class PrefixedLines {
 public:
  PrefixedLines(std::uint64_t id, std::size_t id_width, bool colour);
  std::string feed(std::string_view bytes);
  std::string finish();

 private:
  std::string prefix_;
  std::string rest_;
};

struct Together {
  std::vector<std::uint64_t> ids;
  std::string extra;                   // As in LogRequest.
  std::optional<std::uint64_t> lines;  // Begin with so many of each; absent: with all.
};
// Until all of them have ended; says of each how.
Result<void> follow_together(const Client& client, const Together& asked);

}  // namespace gpusched::cli
