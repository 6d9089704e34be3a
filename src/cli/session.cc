#include "cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/display.h"
#include "cli/servers.h"
#include "cli/write_all.h"

namespace gpusched::cli {

Client client_of(const Arguments& arguments) { return Client(server_of(arguments), note); }

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
  if (client.far()) {  // Whole, so that what gets lost on the way can be asked for again.
    auto body = client.call(request);
    if (!body) return fail(body.error());
    auto done = print(body->ends_with('\n') || body->empty() ? *body : *body + "\n");
    return done ? kExitOk : fail(done.error());
  }
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

std::string with_parameter(const std::string& target, std::string_view parameter) {
  return fmt::format("{}{}{}", target, target.find('?') == std::string::npos ? '?' : '&',
                     parameter);
}

std::string list_target(const Selection& selection) {
  std::string query = selection.query;
  if (!selection.jobs.empty() && selection.jobs != "all") {
    query += fmt::format("{}ids={}", query.empty() ? "" : "&", percent_encoded(selection.jobs));
  }
  return query.empty() ? "/v1/jobs" : "/v1/jobs?" + query;
}

}  // namespace gpusched::cli
