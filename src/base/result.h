// Result<T>: a value or an Error that says what was being done, to what, and why it failed.
// ErrorCode is the one list of kinds of failure; base/error_codes.cc maps each to an HTTP status
// and to an exit code of the command line, so that the three can never disagree.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace gpusched {

enum class ErrorCode {
  kInvalid,          // The request makes no sense: 400, exit 64 (usage) or 65 (data).
  kNotFound,         // No such job, group, route: 404, exit 66.
  kForbidden,        // Not yours: 403, exit 77.
  kUnauthenticated,  // Nobody knows who asks: 401, exit 77.
  kConflict,         // Not in this state, or the key means something else: 409, exit 65.
  kTooLarge,         // Body, header or backlog over its limit: 413, exit 65.
  kNeverFits,        // A need that no card can ever satisfy: 422, exit 65.
  kBusy,             // Too many clients or too much queued: 503, exit 75.
  kStorageFull,      // The disk is full; nothing was accepted: 507, exit 74.
  kUnavailable,      // No daemon, or it is going away: 503, exit 69.
  kIo,               // Reading or writing failed: 500, exit 74.
  kUnsupported,      // This machine, kernel or version cannot do it: 501, exit 69.
  kInternal,         // A bug: 500, exit 70.
};

// The word used in JSON: "invalid", "not_found", …
const char* error_code_name(ErrorCode code);
ErrorCode error_code_named(const std::string& name);  // Unknown words are kInternal.
ErrorCode error_code_of_status(int status);           // Of an answer that names no code.
int http_status_of(ErrorCode code);
int exit_code_of(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}
inline tl::unexpected<Error> failure(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace gpusched
