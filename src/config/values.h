// Single values of the configuration: read with their limits, and written so that they read back
// as they are. Errors say what is wrong with the value, without the place.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "core/model/mps.h"

namespace gpusched {

Result<std::uint64_t> read_size(const std::string& text, std::uint64_t least, std::uint64_t most);
Result<std::int64_t> read_number(const std::string& text, std::int64_t least, std::int64_t most);
Result<bool> read_switch(const std::string& text);
Result<MpsUse> read_mps_use(const std::string& text);

// Sizes and durations in the largest unit that says them exactly.
std::string exact_size(std::uint64_t bytes);
std::string exact_duration(Seconds duration);
std::string switch_word(bool on);
std::string quoted(const std::string& text);

inline tl::unexpected<Error> wrong(std::string message) {
  return failure(ErrorCode::kInvalid, std::move(message));
}

}  // namespace gpusched
