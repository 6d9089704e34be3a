// Which jobs a request means: "7", "7-12", "7,9,20-22", "last", "@~2", "all", and the filters of
// the query. Text becomes a value first (pure), then jobs of a state for one asker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "core/model/event.h"
#include "core/model/ids.h"
#include "core/state/state_view.h"

namespace gpusched {

struct IdRange {
  JobId first{}, last{};
  friend bool operator==(const IdRange&, const IdRange&) = default;
};
// The newest of the caller; 0: the very newest.
struct NewestOf {
  std::size_t back = 0;
  friend bool operator==(const NewestOf&, const NewestOf&) = default;
};
struct AllJobs {
  friend bool operator==(const AllJobs&, const AllJobs&) = default;
};
using SelectorPart = std::variant<IdRange, NewestOf, AllJobs>;
using Selector = std::vector<SelectorPart>;

// What is named twice is in it once, and ranges that touch are one: resolving it costs as much as
// the jobs that are meant.
Result<Selector> parse_selector(std::string_view text);

// One bit per public state.
using StateSet = std::uint32_t;
StateSet state_bit(const JobState& state);
inline constexpr StateSet kEveryState = ~StateSet{0};
// "queued,running", also active, waiting, ended.
Result<StateSet> parse_states(std::string_view text);

// By the settings.
struct ShownOfOthers {
  bool arguments = false;
  bool rows = true;
};

struct JobFilter {
  StateSet states = kEveryState;
  std::optional<std::string> user, group, name, tag;
  std::optional<JobId> array;
  std::optional<Principal> owner;  // Only their own.
  std::optional<Wall> since;       // Not those that had ended before.
  // Who asks: names and tags are compared as they see them. None: with all values.
  std::optional<Principal> asker;
  ShownOfOthers others = {};

  // One that is not seen is as if it were not there.
  bool sees(const Job& job) const;
  bool matches(const Job& job) const;
};
// Takes state, user, group, name, tag, array, mine and since from a query; leaves the rest. `actor`
// is whose jobs `mine` means.
Result<JobFilter> parse_filter(const std::map<std::string, std::string>& query,
                               const Principal& actor, Wall now, ShownOfOthers others = {});
// "2h", or a moment of RFC 3339.
Result<Wall> parse_since(const std::string& text, Wall now);

// A whole number of the query; nothing if it is absent.
Result<std::optional<std::uint64_t>> query_number(const std::map<std::string, std::string>& query,
                                                  const char* name, std::uint64_t most);

// The jobs meant, by id and each once. A number that does not exist is kNotFound.
Result<std::vector<JobId>> resolve_selector(const StateView& state, const Selector& selector,
                                            const JobFilter& filter, const Principal& actor);

}  // namespace gpusched
