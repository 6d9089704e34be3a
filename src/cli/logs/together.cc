#include "cli/logs/together.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include "cli/display.h"
#include "cli/jobs/selectors.h"
#include "cli/logs/follow.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/views/views.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

// The daemon lets a user have 64 connections; the rest of the logs are followed as these end.
constexpr std::size_t kOpenMost = 40;
// Who waits for a start is looked at so often.
constexpr int kLookMs = 300;
// Ids that fit the request line.
constexpr std::size_t kAskedAtOnce = 500;

constexpr std::array kColours = {Style::kCyan, Style::kGreen, Style::kYellow, Style::kBold};

struct Followed {
  std::uint64_t id = 0;
  PrefixedLines lines;
  std::uint64_t offset = 0;
  bool begun = false;  // Its last lines have been shown, where only those are asked for.
  Boot heard = {};     // When it last said something, or was opened.
  bool ended = false;
  bool over = false;
  std::optional<Exchange> log = {};
};

class Follower {
 public:
  Follower(const Client& client, const Together& asked) : client_(client), asked_(asked) {
    const std::size_t width = std::to_string(asked.ids.empty() ? 0 : asked.ids.back()).size();
    const bool colour = stdout_page().colour;
    for (const std::uint64_t id : asked.ids) {
      followed_.push_back({id, PrefixedLines(id, width, colour)});
    }
  }

  Result<void> run() {
    while (true) {
      if (auto opened = open_some(); !opened) return opened;
      if (std::ranges::all_of(followed_, &Followed::over)) return {};
      if (auto told = take_some(); !told) return told;
    }
  }

 private:
  // The states of those that have no open log, by id. A daemon that is away is waited for.
  Result<std::map<std::uint64_t, JobView>> look() {
    std::vector<std::uint64_t> ids;
    for (const Followed& one : followed_) {
      if (!one.over && !one.log && ids.size() < kAskedAtOnce) ids.push_back(one.id);
    }
    std::map<std::uint64_t, JobView> jobs;
    if (ids.empty()) return jobs;
    const std::string target = list_target({selector_of(ids), ""});
    auto body = client_.call_patiently({.target = target});
    if (!body) return failure(body.error());
    auto rows = parse_jobs(*body);
    if (!rows) return failure(rows.error());
    for (JobView& job : *rows) jobs.emplace(job.id, std::move(job));
    return jobs;
  }

  std::size_t open_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(followed_, [](const Followed& one) { return one.log.has_value(); }));
  }

  Result<void> open_some() {
    auto jobs = look();
    if (!jobs) return failure(jobs.error());
    std::size_t open = open_count();
    for (Followed& one : followed_) {
      const auto job = jobs->find(one.id);
      if (job == jobs->end()) continue;
      if (job->second.waiting()) {
        say_it_waits(job->second);
        continue;
      }
      if (open >= kOpenMost) continue;
      one.ended = job->second.ended();  // Before its log is read: that has all of it then.
      if (auto opened = begin(one); !opened) return opened;
      if (one.log) ++open;
    }
    return {};
  }

  // One that was cancelled before it started has no log.
  Result<void> begin(Followed& one) {
    const LogRequest log{one.id, asked_.extra};
    if (asked_.lines && !one.begun) {
      auto last = last_lines(client_, log, *asked_.lines);
      if (!last) return without_log(one, last.error());
      one.begun = true;
      one.offset = last->offset;
      if (auto printed = print(one.lines.feed(last->text)); !printed) return printed;
    }
    Stage stage = Stage::kConnecting;
    const std::string_view how = asks_ ? "" : "&follow=1";
    auto opened =
        client_.open_once({.target = log.target(fmt::format("offset={}{}", one.offset, how))},
                          {client_.head_of_stream(), std::chrono::milliseconds{-1}}, &stage);
    if (!opened) {
      // From here on each log is asked for: something on the way keeps streams back.
      asks_ = asks_ || (stage == Stage::kSilent && client_.on_network());
      return without_log(one, opened.error());
    }
    one.heard = read_clock().boot;
    one.log.emplace(std::move(*opened));
    return take(one, one.log->read_buffered());
  }

  // One that may have died unseen is opened again.
  void drop_silent() {
    if (!client_.on_network()) return;
    const Boot now = read_clock().boot;
    for (Followed& one : followed_) {
      if (one.log && now - one.heard > kLogSilence) one.log.reset();
    }
  }

  Result<void> without_log(Followed& one, const Error& error) {
    if (is_away(error)) return {};  // Asked for again in a moment.
    one.over = true;
    note(fmt::format("job {}: {}", one.id, error.message));
    return {};
  }

  Result<void> take_some() {
    std::vector<pollfd> entries;
    std::vector<Followed*> open;
    for (Followed& one : followed_) {
      if (!one.log) continue;
      entries.push_back({one.log->fd(), POLLIN, 0});
      open.push_back(&one);
    }
    const bool all_open = std::ranges::all_of(
        followed_, [](const Followed& one) { return one.over || one.log.has_value(); });
    const int most = static_cast<int>(client_.on_network() ? kLogSilence.count() : -1);
    const auto look = static_cast<int>(asks_ ? kAskForLogEvery.count() : kLookMs);
    if (::poll(entries.data(), entries.size(), all_open ? most : look) < 0 && errno != EINTR) {
      return failure(ErrorCode::kIo, "wait for the logs");
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (entries[i].revents == 0) continue;
      Followed& one = *open[i];
      if (auto taken = take(one, one.log->read_within(std::chrono::milliseconds{0})); !taken) {
        return taken;
      }
    }
    drop_silent();
    return {};
  }

  Result<void> take(Followed& one, const Result<std::string>& part) {
    if (!part) {  // The daemon went away; what was told stays told.
      if (!is_away(part.error())) return failure(part.error());
      one.log.reset();
      return {};
    }
    one.offset += part->size();
    one.heard = read_clock().boot;
    if (auto printed = print(one.lines.feed(*part)); !printed) return printed;
    if (!one.log->ended()) return {};
    one.log.reset();
    one.over = !asks_ || one.ended;  // What was asked for ends where the log ends now.
    if (!one.over) return {};
    if (auto printed = print(one.lines.finish()); !printed) return printed;
    return say_how_it_ended(one.id);
  }

  Result<void> say_how_it_ended(std::uint64_t id) {
    auto body = client_.call_patiently({.target = fmt::format("/v1/jobs?ids={}", id)});
    if (!body) return failure(body.error());
    auto jobs = parse_jobs(*body);
    if (!jobs || jobs->empty()) return {};
    const JobView& job = jobs->front();
    const std::string how = outcome_text(job);
    note(fmt::format("job {} {}{}", id, job.ended() ? job.state : "goes on in another attempt",
                     how.empty() ? "" : ": " + how));
    return {};
  }

  void say_it_waits(const JobView& job) {
    if (!told_.emplace(job.id, true).second) return;
    note(fmt::format("job {} waits: {}", job.id, job.reason));
  }

  const Client& client_;
  const Together& asked_;
  std::vector<Followed> followed_;
  std::map<std::uint64_t, bool> told_;
  bool asks_ = false;  // No stream comes through.
};

}  // namespace

PrefixedLines::PrefixedLines(std::uint64_t id, std::size_t id_width, bool colour)
    : prefix_(
          styled(fmt::format("{:>{}} |", id, id_width), kColours[id % kColours.size()], colour) +
          " ") {}

std::string PrefixedLines::feed(std::string_view bytes) {
  rest_ += bytes;
  std::string out;
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos;
       end = rest_.find('\n', begin)) {
    out += prefix_;
    out += after_returns(std::string_view(rest_).substr(begin, end - begin));
    out += '\n';
    begin = end + 1;
  }
  rest_.erase(0, begin);
  return out;
}

std::string PrefixedLines::finish() { return rest_.empty() ? std::string() : feed("\n"); }

Result<void> follow_together(const Client& client, const Together& asked) {
  return Follower(client, asked).run();
}

}  // namespace gpusched::cli
