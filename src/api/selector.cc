#include "api/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "core/access/rights.h"
#include "core/model/placeholders.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kIdMost = std::numeric_limits<std::int64_t>::max();

std::optional<std::uint64_t> whole(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  if (!whole_number(text, number) || number > most) return std::nullopt;
  return number;
}

std::optional<SelectorPart> parse_part(std::string_view text) {
  if (text == "all") return AllJobs{};
  if (text == "last") return NewestOf{0};
  if (text.starts_with("@~")) {
    const std::optional<std::uint64_t> back = whole(text.substr(2), 1'000'000);
    if (!back) return std::nullopt;
    return NewestOf{static_cast<std::size_t>(*back)};
  }
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> first = whole(text.substr(0, dash), kIdMost);
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return IdRange{JobId{*first}, JobId{*first}};
  const std::optional<std::uint64_t> last = whole(text.substr(dash + 1), kIdMost);
  if (!last || *last < *first) return std::nullopt;
  return IdRange{JobId{*first}, JobId{*last}};
}

Selector without_repeats(const Selector& selector) {
  std::vector<IdRange> ranges;
  std::set<std::size_t> newest;
  bool all = false;
  for (const SelectorPart& part : selector) {
    if (const auto* range = std::get_if<IdRange>(&part)) ranges.push_back(*range);
    if (const auto* one = std::get_if<NewestOf>(&part)) newest.insert(one->back);
    all = all || std::holds_alternative<AllJobs>(part);
  }
  std::ranges::sort(ranges, {}, &IdRange::first);
  Selector without;
  if (all) without.emplace_back(AllJobs{});
  for (const std::size_t back : newest) without.emplace_back(NewestOf{back});
  IdRange* last = nullptr;
  for (const IdRange& range : ranges) {
    if (last != nullptr && number_of(range.first) <= number_of(last->last) + 1) {
      last->last = std::max(last->last, range.last);
    } else {
      last = &std::get<IdRange>(without.emplace_back(range));
    }
  }
  return without;
}

struct StateWord {
  std::string_view name;
  StateSet states;
};
constexpr StateSet kHeld = 1, kQueued = 2, kStarting = 4, kRunning = 8, kCompleted = 16,
                   kFailed = 32, kCancelled = 64, kPausing = 128, kPaused = 256, kResuming = 512;
constexpr StateSet kAside = kPausing | kPaused | kResuming;
constexpr StateWord kStateWords[] = {
    {"held", kHeld},
    {"queued", kQueued},
    {"starting", kStarting},
    {"running", kRunning},
    {"pausing", kPausing},
    {"paused", kPaused},
    {"resuming", kResuming},
    {"completed", kCompleted},
    {"failed", kFailed},
    {"cancelled", kCancelled},
    {"waiting", kHeld | kQueued},
    {"active", kStarting | kRunning | kAside},
    {"ended", kCompleted | kFailed | kCancelled},
};

tl::unexpected<Error> no_such_job(std::uint64_t number) {
  return failure(ErrorCode::kNotFound, fmt::format("there is no job {}", number));
}

struct Resolver {
  const StateView& state;
  const JobFilter& filter;
  const Principal& actor;
  std::size_t newest_most = 0;  // Furthest back that is asked for.
  std::vector<JobId> newest_ids = {};
  std::vector<JobId> found = {};

  void keep(const Job& job) {
    if (filter.matches(job)) found.push_back(job.id);
  }

  Result<void> operator()(const IdRange& range) {
    std::uint64_t expected = number_of(range.first);
    for (auto it = state.jobs().lower_bound(range.first); it != state.jobs().end(); ++it) {
      if (number_of(it->first) != expected || it->first > range.last) break;
      if (state.in_open_submission(it->first) || !filter.sees(it->second)) break;
      keep(it->second);
      ++expected;
    }
    if (expected <= number_of(range.last)) return no_such_job(expected);
    return {};
  }

  Result<void> operator()(const NewestOf& newest) {
    // The least is named first: those further back are asked for together.
    if (newest_ids.size() <= newest.back) newest_ids = state.newest_of(actor, newest_most + 1);
    if (newest_ids.size() <= newest.back) {
      return failure(ErrorCode::kNotFound,
                     newest_ids.empty() ? "you have no jobs"
                                        : fmt::format("you have only {} jobs", newest_ids.size()));
    }
    keep(*state.find(newest_ids[newest.back]));
    return {};
  }

  Result<void> operator()(const AllJobs&) {
    // Operators mean others' jobs where they name the user.
    const Action needed = filter.user ? Action::kSteerJob : Action::kChangeJob;
    for (const auto& [id, job] : state.jobs()) {
      const bool meant = may(actor, needed, owned_by(job.owner));
      if (meant && !state.in_open_submission(id)) keep(job);
    }
    return {};
  }
};

}  // namespace

Result<Selector> parse_selector(std::string_view text) {
  Selector selector;
  for (const std::string_view word : split(text, ',')) {
    const std::optional<SelectorPart> part = parse_part(word);
    if (!part) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("\"{}\" names no jobs; write 7, 7-12, 7,9,20-22, last, @~2 or all",
                                 text.substr(0, 80)));
    }
    selector.push_back(*part);
  }
  return without_repeats(selector);
}

StateSet state_bit(const JobState& state) {
  struct Bits {
    StateSet operator()(const Held&) const { return kHeld; }
    StateSet operator()(const Queued&) const { return kQueued; }
    StateSet operator()(const Starting&) const { return kStarting; }
    StateSet operator()(const Running& running) const {
      const Aside* aside = aside_of(running);
      if (aside == nullptr) return kRunning;
      switch (aside->phase) {
        case AsidePhase::kPausing:
          return kPausing;
        case AsidePhase::kPaused:
          return kPaused;
        case AsidePhase::kResuming:
          return kResuming;
      }
      return 0;
    }
    StateSet operator()(const Ended& ended) const {
      switch (ended.outcome) {
        case Outcome::kCompleted:
          return kCompleted;
        case Outcome::kFailed:
          return kFailed;
        case Outcome::kCancelled:
          return kCancelled;
      }
      return 0;
    }
  };
  return std::visit(Bits{}, state);
}

Result<StateSet> parse_states(std::string_view text) {
  StateSet states = 0;
  for (const std::string_view name : split(text, ',')) {
    const auto word = std::ranges::find(kStateWords, name, &StateWord::name);
    if (word == std::end(kStateWords)) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("state has \"{}\"; the states are held, queued, starting, "
                                 "running, pausing, paused, resuming, completed, failed, "
                                 "cancelled, waiting, active, ended",
                                 name.substr(0, 40)));
    }
    states |= word->states;
  }
  return states;
}

bool JobFilter::sees(const Job& job) const {
  return !asker || may(*asker, Action::kSeeJob, owned_by(job.owner), others.rows);
}

bool JobFilter::matches(const Job& job) const {
  if (!sees(job)) return false;
  if ((states & state_bit(job.state)) == 0) return false;
  if (owner && !owns(*owner, owned_by(job.owner))) return false;
  if (user && job.owner.user != *user) return false;
  const auto* ended = since ? std::get_if<Ended>(&job.state) : nullptr;
  if (ended != nullptr && ended->ended_at < *since) return false;
  if (group && job.spec->group != *group && job.spec->group != own_group(job.owner.user, *group)) {
    return false;
  }
  const bool shown =
      !asker || may(*asker, Action::kSeeArguments, owned_by(job.owner), others.arguments);
  const Values values = shown ? Values::kShown : Values::kHidden;
  if (name && name_of(job, values) != *name) return false;
  if (array && (job.task == nullptr || job.task->array != *array)) return false;
  if (!tag) return true;
  const std::vector<std::string> tags = tags_of(job, values);
  return std::ranges::find(tags, *tag) != tags.end();
}

Result<std::optional<std::uint64_t>> query_number(const std::map<std::string, std::string>& query,
                                                  const char* name, std::uint64_t most) {
  const auto it = query.find(name);
  if (it == query.end()) return std::optional<std::uint64_t>{};
  const std::optional<std::uint64_t> number = whole(it->second, most);
  if (!number) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("{} must be a whole number up to {}", name, most));
  }
  return number;
}

Result<Wall> parse_since(const std::string& text, Wall now) {
  if (const auto range = parse_duration(text)) return now - *range;
  const auto moment = parse_rfc3339(text);
  if (!moment) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("since: '{}' is neither a duration such as 7d nor a time such as {}",
                               text.substr(0, 80), format_time(now)));
  }
  if (*moment > now) return failure(ErrorCode::kInvalid, "since: that is in the future");
  return *moment;
}

Result<JobFilter> parse_filter(const std::map<std::string, std::string>& query,
                               const Principal& actor, Wall now, ShownOfOthers others) {
  JobFilter filter;
  filter.asker = actor;
  filter.others = others;
  const auto take = [&query](const char* name, std::optional<std::string>& out) {
    if (const auto it = query.find(name); it != query.end()) out = it->second;
  };
  take("user", filter.user);
  take("group", filter.group);
  take("name", filter.name);
  take("tag", filter.tag);
  if (const auto it = query.find("state"); it != query.end()) {
    Result<StateSet> states = parse_states(it->second);
    if (!states) return failure(states.error());
    filter.states = *states;
  }
  Result<std::optional<std::uint64_t>> array = query_number(query, "array", kIdMost);
  if (!array) return failure(array.error());
  if (*array) filter.array = JobId{**array};
  Result<std::optional<std::uint64_t>> mine = query_number(query, "mine", 1);
  if (!mine) return failure(mine.error());
  if (mine->value_or(0) == 1) filter.owner = actor;
  if (const auto it = query.find("since"); it != query.end()) {
    Result<Wall> since = parse_since(it->second, now);
    if (!since) return failure(since.error());
    filter.since = *since;
  }
  return filter;
}

Result<std::vector<JobId>> resolve_selector(const StateView& state, const Selector& selector,
                                            const JobFilter& filter, const Principal& actor) {
  Resolver resolver{state, filter, actor};
  for (const SelectorPart& part : selector) {
    const auto* newest = std::get_if<NewestOf>(&part);
    if (newest != nullptr) resolver.newest_most = std::max(resolver.newest_most, newest->back);
  }
  for (const SelectorPart& part : selector) {
    if (Result<void> done = std::visit(resolver, part); !done) return failure(done.error());
  }
  std::vector<JobId>& found = resolver.found;
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return std::move(resolver.found);
}

}  // namespace gpusched
