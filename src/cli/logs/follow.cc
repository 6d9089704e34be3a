#include "cli/logs/follow.h"

#include <fmt/format.h>

#include "cli/session.h"
#include "cli/views/views.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

Result<void> print_rest(Exchange& exchange, std::uint64_t& offset) {
  while (true) {
    auto part = exchange.read_some();
    if (!part) return failure(part.error());
    if (part->empty()) return {};
    if (auto done = print(*part); !done) return done;
    offset += part->size();
  }
}

// Which attempt it is, and whether it is over.
struct Standing {
  int attempt = 0;
  bool ended = false;
};

Result<Standing> standing_of(const Client& client, std::uint64_t id) {
  auto body = client.call_patiently({.target = fmt::format("/v1/jobs/{}", id)});
  if (!body) return failure(body.error());
  auto jobs = parse_job_details(*body);
  if (!jobs) return failure(jobs.error());
  if (jobs->empty()) return failure(ErrorCode::kNotFound, fmt::format("there is no job {}", id));
  return Standing{static_cast<int>(jobs->front().attempt), jobs->front().ended()};
}

Result<void> ask_for_log(const Client& client, const LogRequest& log, std::uint64_t offset) {
  auto first = standing_of(client, log.id);
  if (!first) return failure(first.error());
  while (true) {
    // Before the log: what is written until then is in it.
    auto now = standing_of(client, log.id);
    if (!now) return failure(now.error());
    if (auto copied = copy_log(client, log, offset); !copied) return copied;
    if (now->ended || now->attempt != first->attempt) return {};
    pause_for(kAskForLogEvery);
  }
}

}  // namespace

Result<void> copy_log(const Client& client, const LogRequest& log, std::uint64_t& offset) {
  Patience patience = client.patience();
  while (true) {
    auto exchange = client.open({.target = log.target(fmt::format("offset={}", offset))});
    if (!exchange) return failure(exchange.error());
    const std::uint64_t before = offset;
    auto printed = print_rest(*exchange, offset);
    if (offset > before) patience.reset();
    const bool again = !printed && client.far() && is_away(printed.error());
    if (!again || !patience.wait_a_moment()) return printed;
  }
}

Result<void> follow_log(const Client& client, const LogRequest& log, std::uint64_t offset) {
  Patience patience = client.patience();
  const Waits waits{client.head_of_stream(),
                    client.on_network() ? kLogSilence : std::chrono::milliseconds{-1}};
  while (true) {
    Stage stage = Stage::kConnecting;
    const std::string target = log.target(fmt::format("offset={}&follow=1", offset));
    auto exchange = client.open_once({.target = target}, waits, &stage);
    Error error;
    if (exchange) {
      patience.reset();
      auto printed = print_rest(*exchange, offset);
      if (printed) return {};
      error = printed.error();
      // The job says nothing, or the connection died unseen: another one tells.
      if (exchange->was_silent()) continue;
    } else {
      error = exchange.error();
      if (stage == Stage::kSilent && client.on_network()) return ask_for_log(client, log, offset);
    }
    if (!is_away(error) || !patience.wait_a_moment()) return failure(error);
  }
}

}  // namespace gpusched::cli
