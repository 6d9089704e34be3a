// A job's log as the API has it, and its last lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/client.h"

namespace gpusched::cli {

struct LogRequest {
  std::uint64_t id = 0;
  std::string extra;  // "&attempt=2&stream=error"

  std::string target(std::string_view how) const;
};

struct LastLines {
  std::string text;
  std::uint64_t offset = 0;  // The position after them.
};
Result<LastLines> last_lines(const Client& client, const LogRequest& log, std::uint64_t lines);

// What a terminal would show of a line over which progress was drawn again and again: the last of
// it.
std::string_view after_returns(std::string_view line);

}  // namespace gpusched::cli
