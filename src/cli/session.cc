#include "cli/session.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/display.h"
#include "cli/write_all.h"
#include "os/clock.h"
#include "os/locations.h"

namespace gpusched::cli {
namespace {

constexpr Seconds kAwayMost{30};
constexpr int kBetweenTriesMs = 200;

}  // namespace

Client client_of(const Arguments& arguments) {
  if (const FlagValue* socket = arguments.find("--socket"); socket != nullptr) {
    return Client({socket->text});
  }
  return Client(client_sockets(process_environment()));
}

Result<void> print(std::string_view data) { return write_all(STDOUT_FILENO, data); }

void note(std::string_view words) {
  // Ignoring: there is nobody left to tell.
  (void)write_all(STDERR_FILENO, fmt::format("gpusched: {}\n", escaped(words)));
}

int fail(const Error& error) {
  note(error.message);
  return exit_code_of(error.code);
}

int pass_through(const Client& client, const Request& request) {
  auto exchange = client.open(request);
  if (!exchange) return fail(exchange.error());
  char last = '\n';
  while (true) {
    auto part = exchange->read_some();
    if (!part) return fail(part.error());
    if (part->empty()) break;
    last = part->back();
    if (auto done = print(*part); !done) return fail(done.error());
  }
  if (last != '\n') {
    if (auto done = print("\n"); !done) return fail(done.error());
  }
  return kExitOk;
}

int change_and_say(const Arguments& arguments, const Request& request, const std::string& done) {
  const Client client = client_of(arguments);
  if (arguments.has("--json")) return pass_through(client, request);
  auto body = client.call(request);
  if (!body) return fail(body.error());
  note(arguments.has("--dry-run") ? "would do this: " + done : done);
  return kExitOk;
}

std::string dry_run_query(const Arguments& arguments) {
  return arguments.has("--dry-run") ? "?dry_run=1" : "";
}

int call_and_print(const Client& client, const Request& request,
                   const std::function<Result<std::string>(const std::string&)>& render) {
  auto body = client.call(request);
  if (!body) return fail(body.error());
  auto text = render(*body);
  if (!text) return fail(text.error());
  if (auto done = print(*text); !done) return fail(done.error());
  return kExitOk;
}

std::string jobs_target(const Selection& selection, std::string_view action, bool dry_run) {
  std::string target = "/v1/jobs/" + percent_encoded(selection.jobs);
  if (!action.empty()) target += fmt::format("/{}", action);
  std::string query = selection.query;
  if (dry_run) query += query.empty() ? "dry_run=1" : "&dry_run=1";
  return query.empty() ? target : target + "?" + query;
}

std::string list_target(const Selection& selection) {
  std::string query = selection.query;
  if (!selection.jobs.empty() && selection.jobs != "all") {
    query += fmt::format("{}ids={}", query.empty() ? "" : "&", percent_encoded(selection.jobs));
  }
  return query.empty() ? "/v1/jobs" : "/v1/jobs?" + query;
}

bool is_away(const Error& error) { return error.code == ErrorCode::kUnavailable; }

bool Patience::wait_a_moment() {
  const Boot now = read_clock().boot;
  if (!waiting_) {
    waiting_ = true;
    since_ = now;
    note("the daemon is away; waiting up to 30 s for it to come back");
  }
  if (now - since_ > kAwayMost) return false;
  ::poll(nullptr, 0, kBetweenTriesMs);
  return true;
}

void Patience::reset() { waiting_ = false; }

Result<std::string> call_patiently(const Client& client, const Request& request) {
  Patience patience;
  while (true) {
    auto body = client.call(request);
    if (body || !is_away(body.error()) || !patience.wait_a_moment()) return body;
  }
}

}  // namespace gpusched::cli
