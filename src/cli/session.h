// What every verb needs around its one job: the client for its flags, words on stderr, data on
// stdout, and an exit code that says how it went.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/flags.h"
#include "cli/jobs/selectors.h"
#include "client/client.h"

namespace gpusched::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitTryLater = 75;  // EX_TEMPFAIL: `wait --timeout` ran out.

Client client_of(const Arguments& arguments);

// Data. A reader that has gone away ends the program quietly; a full disk is an error.
Result<void> print(std::string_view data);
// Words for people, one line, "gpusched: " before it.
void note(std::string_view words);
// Says what went wrong and returns the exit code for it.
int fail(const Error& error);

// Copies the answer to stdout as it comes: for --json.
int pass_through(const Client& client, const Request& request);
// Calls, then prints what `render` makes of the body.
int call_and_print(const Client& client, const Request& request,
                   const std::function<Result<std::string>(const std::string&)>& render);

// Calls, then says `done` on stderr, or what would be done; with --json the answer instead.
int change_and_say(const Arguments& arguments, const Request& request, const std::string& done);
// "?dry_run=1" if that is asked for.
std::string dry_run_query(const Arguments& arguments);

// "/v1/jobs/7-12/cancel?dry_run=1&state=queued"
std::string jobs_target(const Selection& selection, std::string_view action, bool dry_run);
// Like GET /v1/jobs?ids=…: the list.
std::string list_target(const Selection& selection);
// With one more parameter: "sweeps=1".
std::string with_parameter(const std::string& target, std::string_view parameter);

}  // namespace gpusched::cli
