#include "api/routes/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <string>

#include "api/answers.h"
#include "api/cookie.h"
#include "api/origin.h"
#include "api/request_clock.h"
#include "api/veil.h"
#include "base/text.h"
#include "os/log.h"
#include "wire/message_json.h"
#include "wire/messages/login.h"

namespace gpusched {
namespace {

constexpr std::string_view kApi = "1";

// The captured segments if the path fits the pattern.
std::optional<std::vector<std::string>> match(std::string_view pattern,
                                              const std::vector<std::string>& segments) {
  const std::vector<std::string_view> wanted = split_nonempty(pattern, '/');
  if (wanted.size() != segments.size()) return std::nullopt;
  std::vector<std::string> captured;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].front() == '{') {
      captured.push_back(segments[i]);
    } else if (wanted[i] != segments[i]) {
      return std::nullopt;
    }
  }
  return captured;
}

// Whether we speak one language.
std::optional<Error> refuses_version(const HttpRequest& request) {
  const auto api = request.headers.find("gpusched-api");
  if (api != request.headers.end() && api->second != kApi) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("the client speaks API {}, this daemon (version {}) speaks API {}",
                             api->second, GPUSCHED_VERSION, kApi)};
  }
  return std::nullopt;
}

Result<bool> take_flag(std::map<std::string, std::string>& query, const char* name) {
  const auto it = query.find(name);
  if (it == query.end()) return false;
  const std::string text = it->second;
  query.erase(it);
  if (text == "1" || text == "true" || text.empty()) return true;
  if (text == "0" || text == "false") return false;
  return failure(ErrorCode::kInvalid, fmt::format("{} must be 0 or 1", name));
}

// Refuses parameters that the route does not know.
std::optional<Error> unknown_parameter(const Route& route, const HttpRequest& request) {
  const std::vector<std::string_view> known = split_nonempty(route.query, ' ');
  for (const auto& [name, unused] : request.query) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string near = nearest_word(name, known.data(), known.size());
    return Error{ErrorCode::kInvalid,
                 near.empty() ? fmt::format("{} is not a known parameter here", name)
                              : fmt::format("{} is not a known parameter here; did you mean {}?",
                                            name, near)};
  }
  return std::nullopt;
}

// False: it is answered already, or will be by another.
bool is_to_be_done(Context& context, const Route& route, Call& call) {
  const Result<std::string> key = idempotency_key(call.request);
  if (!key) {
    call.responder.fail(key.error());
    return false;
  }
  // The key of a submission is kept with its jobs.
  if (key->empty() || call.dry_run || route.run == submit_jobs) return true;
  call.asked->key = *key;
  call.asked->role = call.actor.role;
  call.asked->digest = request_digest(call.request);
  // A secret is never kept.
  if (route.run == make_token || route.run == log_in) return true;
  auto responder = context.kept_answers.begin(call.actor, *key, call.request, call.responder);
  if (!responder) return false;
  call.responder = responder->watched([asked = call.asked](HttpResponse& response) {
    if (asked->repeated && !response.error) {
      response.headers.emplace_back("Idempotency-Replayed", "true");
    }
  });
  return true;
}

Error why_not(const Principal& actor, Action needs) {
  if (needs == Action::kAct) {
    return {ErrorCode::kForbidden, "you may only look here: your role is viewer"};
  }
  return of_token(actor,
                  {ErrorCode::kForbidden, fmt::format("only {} may do that", who_may(needs))});
}

// For the audit; what is watched here is told there, unless it is told with the change itself.
void watch_change(Context& context, const Route& route, Call& call) {
  call.asked = std::make_shared<Asked>();
  AuditEntry& entry = call.asked->entry;
  entry = entry_of(call.request.peer, call.actor);
  entry.operation = route.name;
  entry.target = audit_target(call.captured, call.request);
  if (route.pattern.starts_with("/v1/leases")) entry.kind = AuditKind::kLease;
  entry.key = audit_key(idempotency_key(call.request).value_or(""));
  call.responder = context.audit.watch(call.responder, call.asked);
  // At once where it is known. Nobody waits for a name; one that comes too late is found by those
  // who read.
  if (!call.actor.uid || !entry.user.empty()) return;
  context.names.resolve(*call.actor.uid, [asked = call.asked](const std::string& name) {
    if (asked->entry.user.empty()) asked->entry.user = name;
  });
}

// Who types into a job runs code as its owner: that is a change, whatever the method says.
bool is_audited(const Route& route) {
  return route.kind == RouteKind::kChange || route.run == open_terminal;
}

void run(Context& context, const Route& route, Call call) {
  if (is_audited(route) && !call.asked) watch_change(context, route, call);
  // Whose is whose must be known where others are hidden (api/veil.h).
  if (call.actor.user.empty() && hides_others(context, call.actor)) {
    return with_named_actor(context, call,
                            [&context, &route](const Call& named) { run(context, route, named); });
  }
  if (!may(call.actor, route.needs)) {
    return call.responder.fail(why_not(call.actor, route.needs));
  }
  if (route.kind == RouteKind::kChange) {
    Result<bool> dry_run = take_flag(call.request.query, "dry_run");
    if (!dry_run) return call.responder.fail(dry_run.error());
    call.dry_run = *dry_run;
  }
  if (const auto fault = unknown_parameter(route, call.request)) {
    return call.responder.fail(*fault);
  }
  if (route.kind == RouteKind::kChange && !is_to_be_done(context, route, call)) return;
  if (call.asked) call.asked->begun = !call.dry_run;
  if (route.kind == RouteKind::kRead || call.dry_run) {
    const std::uint32_t uid = call.actor.account();
    context.after_commit.run(uid, [&context, &route, call = std::move(call)]() mutable {
      route.run(context, std::move(call));
    });
  } else {
    route.run(context, std::move(call));
  }
}

// Nobody was let in; what they could do about it stands in the headers.
void send_unknown(const Context& context, const HttpRequest& request, const Error& error,
                  const Responder& responder) {
  HttpResponse response = error_response(error);
  if (error.code == ErrorCode::kUnauthenticated) {
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (Authenticator::is_by_cookie(request)) {
      response.headers.emplace_back("Set-Cookie", set_cookie(is_over_tls(request), {}, 0));
    }
  } else if (const auto wait = context.authenticator.must_wait(request)) {
    response.headers = {{"Retry-After", std::to_string(wait->count())}};
  }
  responder.send(std::move(response));
}

std::string path_of(const HttpRequest& request) {
  std::string path;
  for (const std::string& segment : request.segments) path += "/" + segment;
  return path.substr(0, 200);
}

// No route took it: either the method is wrong or there is nothing of that name.
void send_no_route(const HttpRequest& request, const Responder& responder) {
  std::set<std::string_view> methods;
  for (const Route& route : all_routes()) {
    if (match(route.pattern, request.segments)) methods.insert(route.method);
  }
  if (methods.empty()) {
    return responder.fail(
        {ErrorCode::kNotFound,
         fmt::format("there is no {} {}; the routes are those of docs/api.md, such as "
                     "GET /v1/version, GET /v1/jobs and POST /v1/jobs",
                     request.method, path_of(request))});
  }
  std::string allowed;
  for (const std::string_view method : methods) {
    allowed += (allowed.empty() ? "" : ", ") + std::string(method);
  }
  HttpResponse response =
      error_response({ErrorCode::kInvalid, fmt::format("{} does not take {}, only {}",
                                                       path_of(request), request.method, allowed)});
  response.status = 405;
  response.headers = {{"Allow", allowed}};
  responder.send(std::move(response));
}

void route_request(Context& context, HttpRequest request, const Principal& who,
                   const Responder& responder, RouteTaken& taken) {
  Call call;
  call.responder = responder;
  call.actor = who;
  for (const Route& route : all_routes()) {
    if (route.method != request.method) continue;
    std::optional<std::vector<std::string>> captured = match(route.pattern, request.segments);
    if (!captured) continue;
    taken.pattern = route.pattern;
    taken.method = route.method;
    call.captured = std::move(*captured);
    call.request = std::move(request);
    return run(context, route, std::move(call));
  }
  send_no_route(request, responder);
}

}  // namespace

std::uint64_t body_most(std::string_view method, std::string_view target) {
  constexpr std::uint64_t kOrdinary = 64U << 10;
  const std::string_view path = target.substr(0, target.find('?'));
  const bool submission = method == "POST" && (path == "/v1/jobs" || path == "/v1/preview");
  return submission ? std::numeric_limits<std::uint64_t>::max() : kOrdinary;
}

namespace {

bool is_login(const HttpRequest& request) {
  return request.method == "POST" && request.segments == std::vector<std::string>{"v1", "login"};
}

// A token in the body of a login is as good as one in the header, and takes the same way.
std::optional<Error> take_token_of_login(HttpRequest& request) {
  if (!is_login(request) || request.headers.contains("authorization")) return std::nullopt;
  if (request.body.empty()) return std::nullopt;
  auto read = wire::read_request<wire::LoginRequest>(request.body);
  if (!read) return read.error();
  if (!read->token.empty()) request.headers["authorization"] = "Bearer " + read->token;
  return std::nullopt;
}

void send_misdirected(const Error& error, const Responder& responder) {
  HttpResponse response = error_response(error);
  response.status = 421;
  responder.send(std::move(response));
}

}  // namespace

void dispatch(Context& context, HttpRequest request, const Responder& back) {
  const auto taken = std::make_shared<RouteTaken>();
  const Responder responder = counted(context, back, taken);
  if (log_enabled(LogLevel::kDebug)) {
    log_debug("request", {{"method", request.method},
                          {"path", path_of(request)},
                          {"uid", request.peer.uid},
                          {"pid", request.peer.pid},
                          {"address", request.peer.address}});
  }
  if (const auto error = refuses_host(request, context.limits.names)) {
    return send_misdirected(*error, responder);
  }
  if (auto file = context.page.answer(request)) {
    taken->pattern = "page";
    taken->method = request.method == "HEAD" ? "HEAD" : "GET";
    return responder.send(std::move(*file));
  }
  const bool proves_itself = request.headers.contains("authorization");
  const bool by_cookie = Authenticator::is_by_cookie(request);
  if (!proves_itself || is_login(request)) {
    if (const auto error = refuses_origin(request, by_cookie && !is_login(request))) {
      return responder.fail(*error);
    }
  }
  if (const auto error = take_token_of_login(request)) return responder.fail(*error);
  // Who that is may have to be looked up; it waits alone.
  const auto kept = std::make_shared<HttpRequest>(std::move(request));
  context.authenticator.ask(*kept,
                            [&context, kept, responder, taken](const Result<Principal>& who) {
                              if (!who) context.audit.not_let_in(kept->peer, who.error());
                              if (!who) return send_unknown(context, *kept, who.error(), responder);
                              if (const auto error = refuses_version(*kept))
                                return responder.fail(*error);
                              route_request(context, std::move(*kept), *who, responder, *taken);
                            });
}

}  // namespace gpusched
