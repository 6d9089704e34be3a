#include "cli/commands/status_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <optional>

#include "cli/display.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/signal_fd.h"
#include "cli/terminal.h"
#include "client/change_feed.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

// Changes that come together are drawn together.
constexpr std::chrono::milliseconds kGather{100};
// Times on the screen go on even if nothing happens.
constexpr std::chrono::milliseconds kTick{5000};

// As much as fits, so that the screen never scrolls.
std::string first_rows(const std::string& text, int rows) {
  std::size_t end = 0;
  for (int row = 0; row + 1 < rows && end < text.size(); ++row) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return text.substr(0, end);
}

// A picture for a terminal that was resized while it was asked for is drawn again by who is told of
// the resizing.
Result<void> redraw(const Client& client, const StatusQuestion& question) {
  Patience patience = client.patience();
  auto text = render_status(client, question);
  while (!text && is_away(text.error()) && patience.wait_a_moment()) {
    text = render_status(client, question);
  }
  if (!text) return failure(text.error());
  const int rows = terminal_size(STDOUT_FILENO).value_or(TerminalSize{}).rows;
  return print("\x1b[H\x1b[2J" + first_rows(*text, rows));
}

int follow_screen(const Client& client, const StatusQuestion& question, const std::string& jobs) {
  SignalFd resized({SIGWINCH});  // First: from here on none is missed.
  ChangeFeed feed(client, jobs);
  if (auto opened = feed.open(); !opened) return fail(opened.error());
  while (true) {
    if (auto drawn = redraw(client, question); !drawn) return fail(drawn.error());
    auto next = feed.next(kTick, resized.fd());
    while (next && next->by == ChangeFeed::Woken::kChange) next = feed.next(kGather, resized.fd());
    if (!next) return fail(next.error());
    while (resized.take()) continue;
  }
}

// Into a pipe or file: one line per change.
int follow_lines(const Client& client, const std::string& jobs, bool json) {
  ChangeFeed feed(client, jobs);
  if (auto opened = feed.open(); !opened) return fail(opened.error());
  std::map<std::uint64_t, std::string> shown;
  std::optional<Wall> heard;  // Of the last change that came while we listened.
  while (true) {
    auto next = feed.next(std::chrono::milliseconds{-1});
    if (!next) return fail(next.error());
    if (next->by != ChangeFeed::Woken::kChange || next->change.kind != "job") continue;
    auto job = parse_job(next->change.data);
    if (!job) return fail(job.error());
    const std::string& why = job->waiting() ? job->reason : outcome_text(*job);
    const std::string line =
        fmt::format("{} {}{}{}\n", job->id, job->state, why.empty() ? "" : " ", escaped(why));
    // After a restart the daemon shows all jobs again, without numbers: only news are printed.
    const auto known = shown.find(job->id);
    const bool picture = next->change.id.empty();
    const bool same = known != shown.end() && known->second == line;
    // One that came while we were away is news, even if it has ended since.
    const bool came_since = heard && job->submitted_at && *job->submitted_at >= *heard;
    const bool at_rest = known == shown.end() && (job->ended() || job->waiting()) && !came_since;
    if (!picture) heard = read_clock().wall;
    shown[job->id] = line;
    if (picture && (same || at_rest)) continue;
    if (auto done = print(json ? next->change.data + "\n" : line); !done) return fail(done.error());
  }
}

}  // namespace

Result<std::string> render_status(const Client& client, const StatusQuestion& question) {
  const Page page = stdout_page();
  if (question.overview) {
    auto body = client.call(question.request);
    if (!body) return failure(body.error());
    auto view = parse_overview(*body);
    if (!view) return failure(view.error());
    return render_overview(*view, page);
  }
  auto listed = list_folded(client, question.request);
  if (!listed) return failure(listed.error());
  if (question.csv) return render_csv(listed->jobs, question.columns);
  if (listed->empty()) {
    note("no job matches");
    return std::string();
  }
  if (!question.columns.empty()) return render_columns(listed->jobs, question.columns, page);
  return render_folded(*listed, page);
}

int follow_status(const Client& client, const StatusQuestion& question, bool json) {
  // Without a word about which, everybody's.
  std::string jobs = question.selection.jobs;
  const bool filtered = !question.selection.query.empty();
  if (!json && is_terminal(STDOUT_FILENO)) {
    // Others may come to match: all changes are heard of.
    return follow_screen(client, question, filtered ? "" : jobs);
  }
  if (filtered) {
    auto ids = resolve_ids(client, question.selection);
    if (!ids) return fail(ids.error());
    jobs = selector_of(*ids);
    if (jobs.empty()) {
      note("no job matches");
      return kExitOk;
    }
  }
  return follow_lines(client, jobs, json);
}

}  // namespace gpusched::cli
