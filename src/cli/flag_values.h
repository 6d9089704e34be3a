// The texts of flags as values, one reader for each kind.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/job.h"

namespace gpusched::cli {

Result<CardCount> parse_gpu_count(const std::string& text);
Result<int> parse_priority(const std::string& text);
Result<int> parse_share(const std::string& text);
Result<CardList> parse_cards(const std::string& text);
Result<std::pair<int, Seconds>> parse_signal(const std::string& text);
// `USR1@60`, each part optional; "none@60": no signal, number 0.
Result<std::pair<int, Seconds>> parse_checkpoint(const std::string& text);
Result<CauseSet> parse_causes(const std::string& text);
// A size of memory: 0, or at least 1 MiB, because `8` is nearly always a forgotten G.
Result<std::uint64_t> parse_memory(const std::string& text);
Result<int> parse_whole(const std::string& text, int least, int most);
Result<int> parse_count(const std::string& text);

// "after" as written; `last` and `@~2` are still to be looked up.
struct AfterEntry {
  std::string selector;  // "7", "7-12", "last", "@~2".
  std::string kind = "ok";
};

Result<std::vector<AfterEntry>> parse_after(const std::string& text);

// "a,b,,c" at each comma.
std::vector<std::string> split_at(std::string_view text, char mark);

}  // namespace gpusched::cli
