// One look at the cards of this machine without a daemon: `gpusched-sampler --once` is run as a
// child, because only that program may load driver libraries, and its lines are put together.
// A driver that hangs costs the deadline and nothing more.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "watch/format_local.h"
#include "watch/report.h"

namespace gpusched::cli {

struct CardLook {
  watch::NumberedCard card;
  std::optional<watch::SampleReport> sample;  // Absent: it did not answer.
  std::string state = "unknown";              // ok, unknown, asleep, gone.
  std::string reason;                         // Why it is not ok; may be empty.
};

struct LocalLook {
  std::vector<watch::BackendState> backends;
  std::vector<CardLook> cards;
  std::vector<std::string> complaints;  // Sentences for people.
};

// Longer than the sampler itself waits for a driver to let itself be opened.
inline constexpr std::chrono::milliseconds kPatientLook{35'000};

// What the lines of `gpusched-sampler --once` say.
Result<LocalLook> read_look(std::string_view lines);
// Runs the sampler. kUnsupported: there is no such program; kUnavailable: it did not end in time.
Result<LocalLook> look_here(std::chrono::milliseconds deadline);

std::string look_text(const LocalLook& look, std::size_t width);
std::string look_json(const LocalLook& look);
// True if a driver is there and does not work.
bool driver_in_trouble(const LocalLook& look);

}  // namespace gpusched::cli
