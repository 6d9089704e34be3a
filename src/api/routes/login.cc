// POST /v1/login and /v1/logout, GET /v1/whoami
#include <algorithm>
#include <utility>

#include "api/answers.h"
#include "api/cookie.h"
#include "api/origin.h"
#include "api/routes/routes.h"
#include "core/access/roles.h"
#include "wire/message_json.h"
#include "wire/messages/login.h"

namespace gpusched {
namespace {

std::string_view proof_name(Proof proof) {
  switch (proof) {
    case Proof::kToken:
      return "token";
    case Proof::kCookie:
      return "cookie";
    case Proof::kNone:
    case Proof::kInside:
    case Proof::kPeer:
      break;
  }
  return "peer";
}

const Token* token_named(const Context& context, const std::string& id) {
  const auto found = context.state().tokens().find(id);
  return found == context.state().tokens().end() ? nullptr : &found->second;
}

// What the setting of a row says.
bool is_opened(const Context& context, Action action) {
  if (action == Action::kSeeJob) return context.limits.visibility == Visibility::kAll;
  if (action == Action::kSeeArguments) return context.limits.arguments_for_all;
  return action == Action::kReserve && context.state().rules().users_may_reserve;
}

// REQUIRES: the actor has a name.
wire::WhoAmI who_is(const Context& context, const Principal& who) {
  wire::WhoAmI answer{.user = who.user,
                      .uid = who.account(),
                      .role = std::string(role_name(who.role)),
                      .tenant = who.tenant,
                      .proof = std::string(proof_name(who.proof)),
                      .token = who.token};
  if (const Token* token = token_named(context, who.token)) {
    answer.token_name = token->name;
    answer.expires_at = token->expires_at;
    const Login* login = context.logins.find(who.login, context.now().wall);
    if (login != nullptr) answer.expires_at = Logins::ends_at(*login, *token);
  }
  const Subject own{.uid = who.uid, .user = who.user};
  for (const RightsRow& row : rights_table()) {
    const bool opened = is_opened(context, row.action);
    answer.may.push_back({.action = std::string(action_name(row.action)),
                          .own = may(who, row.action, own, opened),
                          .others = may(who, row.action, {}, opened)});
  }
  return answer;
}

HttpResponse with_cookie(HttpResponse response, const Call& call, std::string_view secret,
                         long seconds) {
  response.headers.emplace_back("Set-Cookie",
                                set_cookie(is_over_tls(call.request), secret, seconds));
  return response;
}

}  // namespace

void get_whoami(Context& context, Call call) {
  with_named_actor(context, call, [&context](const Call& named) {
    named.responder.send(json_response(wire::to_json(who_is(context, named.actor))));
  });
}

void log_in(Context& context, Call call) {
  if (call.actor.proof != Proof::kToken) {
    return call.responder.fail({ErrorCode::kUnauthenticated,
                                "a login needs a token, in the header Authorization: Bearer or as "
                                "{\"token\": ...}; 'gpusched token create' makes one"});
  }
  with_named_actor(context, call, [&context](const Call& named) {
    const Token* token = token_named(context, named.actor.token);
    if (token == nullptr) {
      return named.responder.fail({ErrorCode::kUnauthenticated, "the token was revoked"});
    }
    if (named.dry_run) {
      wire::WhoAmI answer = who_is(context, named.actor);
      answer.dry_run = true;
      return named.responder.send(json_response(wire::to_json(answer)));
    }
    context.logins.begin(
        *token, context.now().wall, [&context, named](const Result<std::string>& secret) {
          if (!secret) return named.responder.fail(secret.error());
          Call logged_in = named;
          logged_in.actor.proof = Proof::kCookie;
          logged_in.actor.login = Logins::id_of(*secret);
          const wire::WhoAmI answer = who_is(context, logged_in.actor);
          const Wall now = context.now().wall;
          const auto lasts = std::chrono::ceil<Seconds>(answer.expires_at.value_or(now) - now);
          named.responder.send(with_cookie(json_response(wire::to_json(answer)), named, *secret,
                                           std::max<long>(lasts.count(), 1)));
        });
  });
}

void log_out(Context& context, Call call) {
  if (call.actor.proof != Proof::kCookie) {
    return call.responder.fail({ErrorCode::kInvalid,
                                "there is no login to end: you have not come with its cookie; a "
                                "token is revoked by 'gpusched token revoke'"});
  }
  wire::LoggedOut answer{.ended = true, .dry_run = call.dry_run};
  if (call.dry_run) return call.responder.send(json_response(wire::to_json(answer)));
  context.logins.end(call.actor.login, [&context, call, answer](const Result<void>& kept) {
    context.lasting.look();
    if (!kept) return call.responder.fail(kept.error());
    call.responder.send(with_cookie(json_response(wire::to_json(answer)), call, {}, 0));
  });
}

}  // namespace gpusched
