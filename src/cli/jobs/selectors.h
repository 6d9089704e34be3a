// How jobs are named on the command line: 7, 7-12, 7,9,20-22, last, @~2, all, and filters.
// Checked here so that a typing error is one sentence without a daemon; resolved by the daemon.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace gpusched::cli {

struct Selection {
  std::string jobs;   // For the path: "7,9-12", "last", "all"; empty: nothing was named.
  std::string query;  // Filters, encoded and without '?': "state=failed&user=ml1".
};

// What --state takes.
inline constexpr std::array<std::string_view, 13> kStates = {
    "held",      "queued", "starting",  "running", "pausing", "paused", "resuming",
    "completed", "failed", "cancelled", "active",  "waiting", "ended"};

// One word: "7", "7-12", "7,9", "last", "@", "@~2", "all".
Result<std::string> parse_selector(std::string_view word);

// Whose jobs `--all` and filters mean where no ids are given.
enum class Reach : unsigned char {
  kChange,   // Those that one may change: one's own, an administrator's everybody's.
  kOwn,      // One's own, unless --user or --everybody says otherwise.
  kMachine,  // `--all`: one's own; filters: everybody's, it is a look at the machine.
};
// What a verb's operands, `--all` and filter flags name. Filters without ids mean all. For verbs
// that only look, `--all` means jobs that have not ended.
Result<Selection> selection_of(const Arguments& arguments, Reach reach = Reach::kChange);

// True if the same words can name other jobs later (last, @~2, all).
bool is_moving(std::string_view selector);

// Ascending ids as the shortest selector: "7-9,12".
std::string selector_of(std::span<const std::uint64_t> ids);

// "7" or "7-12" as first and last.
Result<std::pair<std::uint64_t, std::uint64_t>> parse_id_range(std::string_view word);

}  // namespace gpusched::cli
