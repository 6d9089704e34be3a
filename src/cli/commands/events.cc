#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "cli/commands/verbs.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "client/change_feed.h"
#include "json/json_writer.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

// A burst of changes is asked about in one go, within the limits of a request.
constexpr std::size_t kJobsAtOnce = 200;
constexpr int kGatherMost = 2000;

constexpr std::array kEventsFlags = {
    Flag{"--follow", 'f', FlagKind::kSwitch, "", "go on with what happens next"},
    Flag{"--after", 0, FlagKind::kValue, "SEQUENCE", "only what came after this one"},
};
constexpr std::array<FlagSection, 3> kEventsSections = {FlagSection{"What", kEventsFlags},
                                                        FlagSection{"Which jobs", kSelectorFlags},
                                                        FlagSection{"General", kCommonFlags}};

std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string events_target(const Selection& selection, std::uint64_t after) {
  const std::string target = jobs_target(selection, "events", false);
  const char mark = target.find('?') == std::string::npos ? '?' : '&';
  return fmt::format("{}{}after={}", target, mark, after);
}

// Lines of a trail, each printed once; the head of the table only before the first.
class Printer {
 public:
  explicit Printer(bool json) : json_(json) {}

  Result<void> print_new(const std::vector<TrailView>& trail) {
    std::vector<TrailView> fresh;
    for (const TrailView& line : trail) {
      std::uint64_t& last = last_[line.job];
      if (line.sequence <= last) continue;
      last = line.sequence;
      fresh.push_back(line);
    }
    if (fresh.empty()) return {};
    if (json_) return print(as_json(fresh));
    std::string text = render_trail(fresh, stdout_page());
    if (std::exchange(begun_, true)) text.erase(0, text.find('\n') + 1);
    return print(text);
  }

 private:
  // One event per line, in the form of the API.
  static std::string as_json(const std::vector<TrailView>& trail) {
    std::string out;
    for (const TrailView& line : trail) {
      JsonWriter json(out);
      json.begin_object().field("sequence", line.sequence).field("job", line.job);
      json.field("at", line.at).field("attempt", line.attempt).field("kind", line.kind);
      json.field("text", line.text).end_object();
      out += '\n';
    }
    return out;
  }

  bool json_;
  bool begun_ = false;
  std::map<std::uint64_t, std::uint64_t> last_;  // Sequence of the last line printed, by job.
};

// The trails of the jobs that have changed. One that the daemon has forgotten has none.
Result<void> print_changed(const Client& client, const std::set<std::uint64_t>& jobs,
                           std::uint64_t after, Printer& printer) {
  const std::vector<std::uint64_t> ids(jobs.begin(), jobs.end());
  auto body = client.call_patiently({.target = events_target({selector_of(ids), ""}, after)});
  if (!body && body.error().code == ErrorCode::kNotFound) {
    if (ids.size() == 1) return {};
    for (const std::uint64_t id : ids) {
      if (auto one = print_changed(client, {id}, after, printer); !one) return one;
    }
    return {};
  }
  if (!body) return failure(body.error());
  auto trail = parse_trail(*body);
  return trail ? printer.print_new(*trail) : failure(trail.error());
}

// The changes that have gathered. The present row of a job comes once however often it changed, so
// its trail is asked for from where the last look ended.
class Gathered {
 public:
  void add(const StreamEvent& change) {
    auto job = parse_job(change.data);
    if (!job || job->id == 0 || change.kind != "job") return;
    newest_ = std::max(newest_, number_in(change.id));
    // Without a number it is the picture of all jobs after a restart: most have not changed.
    if (change.id.empty() && job->ended() && !is_recent(*job)) return;
    jobs_.insert(job->id);
  }
  void connection_was_lost() { lost_at_ = read_clock().wall; }
  std::uint64_t newest() const { return newest_; }
  std::set<std::uint64_t> take() { return std::exchange(jobs_, {}); }

 private:
  bool is_recent(const JobView& job) const {
    return job.ended_at && *job.ended_at > lost_at_ - Seconds{60};
  }
  std::set<std::uint64_t> jobs_;
  std::uint64_t newest_ = 0;
  Wall lost_at_{};
};

// Prints by portions that fit into a request.
Result<void> print_all_changed(const Client& client, const std::set<std::uint64_t>& jobs,
                               std::uint64_t after, Printer& printer) {
  std::set<std::uint64_t> portion;
  for (const std::uint64_t id : jobs) {
    portion.insert(id);
    if (portion.size() < kJobsAtOnce && id != *jobs.rbegin()) continue;
    if (auto done = print_changed(client, portion, after, printer); !done) return done;
    portion.clear();
  }
  return {};
}

int follow(const Client& client, ChangeFeed& feed, std::uint64_t last, Printer& printer) {
  Gathered gathered;
  while (true) {
    auto next = feed.next(std::chrono::milliseconds{-1});
    for (int i = 0; next && next->by == ChangeFeed::Woken::kChange && i < kGatherMost; ++i) {
      gathered.add(next->change);
      next = feed.next(std::chrono::milliseconds{0});
    }
    // The one that came when enough had gathered.
    if (next && next->by == ChangeFeed::Woken::kChange) gathered.add(next->change);
    if (!next) return fail(next.error());
    if (feed.take_reconnected()) gathered.connection_was_lost();
    auto done = print_all_changed(client, gathered.take(), last, printer);
    if (!done) return fail(done.error());
    last = std::max(last, gathered.newest());
  }
}

// Where the trail ends now; what comes after it is news.
Result<std::uint64_t> end_of_trail(const Client& client) {
  auto body = client.call({.target = events_target({"last", ""}, 0)});
  if (!body && body.error().code == ErrorCode::kNotFound) return 0;  // No jobs yet.
  if (!body) return failure(body.error());
  auto trail = parse_trail(*body);
  if (!trail) return failure(trail.error());
  return trail->empty() ? 0 : trail->back().sequence;
}

int run_events(const Arguments& arguments) {
  auto selection = selection_of(arguments);
  if (!selection) return fail(selection.error());
  const bool following = arguments.has("--follow");
  const bool everything = selection->jobs.empty() && following;
  if (selection->jobs.empty()) selection->jobs = everything ? "all" : "last";
  const Client client = client_of(arguments);
  const bool filtered = !selection->query.empty() && following;
  if ((is_moving(selection->jobs) && selection->jobs != "all") || filtered) {
    auto ids = resolve_ids(client, *selection);
    if (!ids) return fail(ids.error());
    if (ids->empty()) {
      note("no job matches");
      return kExitOk;
    }
    *selection = {selector_of(*ids), ""};
  }
  Printer printer(arguments.has("--json"));
  const Request request{.target =
                            events_target(*selection, number_in(arguments.text("--after", "0")))};
  if (arguments.has("--json") && !following) return pass_through(client, request);
  // Opened first, so that nothing falls between what is printed now and what comes.
  ChangeFeed feed(client, selection->jobs);
  if (following) {
    if (auto opened = feed.open(); !opened) return fail(opened.error());
  }
  std::uint64_t last = 0;
  if (everything && !arguments.has("--after")) {
    auto end = end_of_trail(client);
    if (!end) return fail(end.error());
    last = *end;
  } else {
    auto body = client.call(request);
    if (!body) return fail(body.error());
    auto trail = parse_trail(*body);
    if (!trail) return fail(trail.error());
    if (auto done = printer.print_new(*trail); !done) return fail(done.error());
    if (!trail->empty()) last = trail->back().sequence;
  }
  if (!following) return kExitOk;
  return follow(client, feed, last, printer);
}

}  // namespace

constinit const Verb kEventsVerb = {
    .name = "events",
    .summary = "the durable trail: what was decided, when and why",
    .usage = "events [IDS…] [FLAGS]",
    .about =
        "Without ids: of the newest of one's own jobs; with -f, of all of one's jobs from now on.",
    .examples =
        "gpusched events 7\n"
        "gpusched events -f",
    .sections = kEventsSections,
    .operands = Operands::kJobs,
    .run = run_events,
};

}  // namespace gpusched::cli
