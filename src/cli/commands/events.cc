#include <fmt/format.h>

#include <charconv>

#include "cli/change_feed.h"
#include "cli/commands/verbs.h"
#include "cli/job_ids.h"
#include "cli/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

constexpr std::array kFlags = {
    Flag{"--follow", 'f', FlagKind::kSwitch, "", "go on with what happens next"},
    Flag{"--after", 0, FlagKind::kValue, "SEQUENCE", "only what came after this one"},
};
constexpr std::array<FlagSection, 3> kSections = {FlagSection{"What", kFlags},
                                                  FlagSection{"Which jobs", kSelectorFlags},
                                                  FlagSection{"General", kCommonFlags}};

std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Prints what came after `after`; the sequence of the last line, or `after`.
Result<std::uint64_t> print_after(const Client& client, const Selection& selection,
                                  std::uint64_t after, bool json, bool head) {
  Request request{.target = jobs_target(selection, "events", false)};
  request.target +=
      fmt::format("{}after={}", request.target.find('?') == std::string::npos ? '?' : '&', after);
  auto body = call_patiently(client, request);
  if (!body) return failure(body.error());
  auto trail = parse_trail(*body);
  if (!trail) return failure(trail.error());
  if (trail->empty()) return after;
  std::string text;
  if (json) {
    text = body->ends_with('\n') ? *body : *body + "\n";
  } else {
    text = render_trail(*trail, stdout_page());
    if (!head) text.erase(0, text.find('\n') + 1);
  }
  if (auto done = print(text); !done) return failure(done.error());
  return trail->back().sequence;
}

int follow(const Client& client, const Selection& selection, bool json,
           std::optional<std::uint64_t> last, const std::string& feed_jobs) {
  ChangeFeed feed(client, feed_jobs, last ? std::to_string(*last) : "");
  if (auto opened = feed.open(); !opened) return fail(opened.error());
  bool head = !last;
  while (true) {
    auto next = feed.next(std::chrono::milliseconds{-1});
    if (!next) return fail(next.error());
    if (next->by == ChangeFeed::Woken::kChange) {
      const std::uint64_t sequence = number_in(next->change.id);
      if (!last) last = sequence == 0 ? 0 : sequence - 1;
      if (sequence != 0 && sequence <= *last) continue;  // Printed with an earlier one.
    }
    if (!last) continue;
    auto printed = print_after(client, selection, *last, json, head);
    if (!printed) return fail(printed.error());
    head = head && *printed == *last;
    last = *printed;
  }
}

int run_events(const Arguments& arguments) {
  auto selection = selection_of(arguments);
  if (!selection) return fail(selection.error());
  const bool following = arguments.has("--follow");
  const bool everything = selection->jobs.empty() && following;
  if (selection->jobs.empty()) selection->jobs = everything ? "all" : "last";
  const Client client = client_of(arguments);
  if (is_moving(selection->jobs) && !everything && selection->jobs != "all") {
    auto ids = resolve_ids(client, *selection);
    if (!ids) return fail(ids.error());
    if (ids->empty()) {
      note("no job matches");
      return kExitOk;
    }
    *selection = {selector_of(*ids), ""};
  }
  const bool json = arguments.has("--json");
  std::optional<std::uint64_t> last;
  if (!everything || arguments.has("--after")) {
    auto printed =
        print_after(client, *selection, number_in(arguments.text("--after", "0")), json, true);
    if (!printed) return fail(printed.error());
    last = *printed;
  }
  if (!following) return kExitOk;
  return follow(client, *selection, json, last, selection->jobs == "all" ? "" : selection->jobs);
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
    .sections = kSections,
    .operands = Operands::kJobs,
    .run = run_events,
};

}  // namespace gpusched::cli
