// GET and POST /v1/tokens, DELETE /v1/tokens/{id}
#include <algorithm>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "api/token_secret.h"
#include "core/access/roles.h"
#include "wire/labels.h"
#include "wire/message_json.h"
#include "wire/messages/token.h"

namespace gpusched {
namespace {

wire::Token token_row(const Context& context, const Token& token) {
  return {.id = token.id,
          .user = token.user,
          .role = std::string(role_name(token.role)),
          .tenant = token.tenant,
          .name = token.name,
          .by = token.by,
          .made_at = token.made_at,
          .expires_at = token.expires_at,
          .used_at = std::max(token.used_at, context.authenticator.last_use(token.id)),
          .expired = token.expired(context.now().wall)};
}

Subject token_owner(const Token& token) { return {.uid = token.uid, .user = token.user}; }

// Who has stolen one must not be able to make others of it, nor to take the owner's away.
bool asks_with_token(const Call& call) {
  if (!call.actor.is_by_token()) return false;
  call.responder.fail({ErrorCode::kForbidden,
                       "tokens are made and revoked by one's account on the machine itself, not "
                       "with a token"});
  return true;
}

Result<Token> parse_token(const Call& call, Now now) {
  if (call.request.body.empty()) {
    return failure(ErrorCode::kInvalid,
                   "say what the token may do: a JSON object, such as {\"role\":\"user\"} or {}");
  }
  auto read = wire::read_request<wire::TokenRequest>(call.request.body);
  if (!read) return failure(read.error());
  for (const auto& [field, text] : {std::pair("name", &read->name), std::pair("user", &read->user),
                                    std::pair("tenant", &read->tenant)}) {
    if (auto fault = fault_of_label(field, *text)) return failure(ErrorCode::kInvalid, *fault);
  }
  if (read->read_only && !read->role.empty() && read->role != "viewer") {
    return failure(ErrorCode::kInvalid, "read_only is the role viewer; give one of the two");
  }
  Token token;
  token.user = std::move(read->user);
  token.tenant = std::move(read->tenant);
  token.name = std::move(read->name);
  token.made_at = now.wall;
  if (read->lasts > Seconds{0}) token.expires_at = now.wall + read->lasts;
  // Not more than most people need, unless it is said.
  token.role = read->read_only
                   ? Role::kViewer
                   : role_named(read->role).value_or(std::min(Role::kUser, call.actor.role));
  return token;
}

// What is allowed, and yet will hardly do what was meant.
std::vector<std::string> warnings_of(const Context& context, const Token& token,
                                     const Result<Role>& owner) {
  std::vector<std::string> said;
  if (owner && *owner < token.role) {
    said.push_back("the role of " + token.user + " is " + std::string(role_name(*owner)) +
                   ": the token may not do more, whatever its own role");
  }
  const TenantBook& tenants = context.state().tenants();
  const auto& users = tenants.configured().tenant_of_user;
  const bool of_somebody =
      std::ranges::any_of(users, [&](const auto& entry) { return entry.second == token.tenant; });
  if (!token.tenant.empty() && tenants.find(token.tenant) == nullptr && !of_somebody &&
      !tenants.configured().rules.contains(token.tenant)) {
    said.push_back("there is no tenant '" + token.tenant +
                   "' yet: jobs of this token make one, without a quota of its own");
  }
  return said;
}

// REQUIRES: the owner is known.
void draw_and_make(Context& context, const Call& call, Token token,
                   std::vector<std::string> warnings) {
  std::string secret;
  if (!call.dry_run) {
    Result<FreshToken> fresh = draw_token();
    if (!fresh) return call.responder.fail(fresh.error());
    token.id = std::move(fresh->id);
    token.hash = std::move(fresh->hash);
    secret = std::move(fresh->text);
  }
  token.by = call.actor.user;
  ask_engine(context, call, TokenMakeAsked{call.actor, token},
             [&context, call, token, secret, warnings](const Result<Answer>& answer) {
               if (!answer) return call.responder.fail(answer.error());
               const auto kept = context.state().tokens().find(token.id);
               const Token& made = kept == context.state().tokens().end() ? token : kept->second;
               call.responder.send(
                   json_response(wire::to_json(wire::MadeToken{.secret = secret,
                                                               .token = token_row(context, made),
                                                               .warnings = warnings,
                                                               .dry_run = call.dry_run})));
             });
}

// REQUIRES: the owner is known.
void make_for_another(Context& context, const Call& call, const Token& token) {
  context.authenticator.ask_role(token.uid, [&context, call, token](const Result<Role>& role) {
    context.after_commit.run(call.actor.account(), [&context, call, token, role] {
      draw_and_make(context, call, token, warnings_of(context, token, role));
    });
  });
}

// Who is in several groups that are tenants may choose one of them.
void with_chosen_tenant(Context& context, const Call& call, const Token& token,
                        const std::vector<std::string>& warnings) {
  if (!token.tenant.starts_with(kGroupMark)) return draw_and_make(context, call, token, warnings);
  const auto answer = [&context, call, token,
                       warnings](const Result<std::vector<std::string>>& groups) {
    if (!groups) return call.responder.fail(groups.error());
    const auto& tenants = context.state().tenants().configured().groups;
    const std::string group = token.tenant.substr(kGroupMark.size());
    const bool in_it = std::ranges::find(*groups, group) != groups->end() &&
                       std::ranges::find(tenants, group) != tenants.end();
    Call chosen = call;
    if (in_it) chosen.actor.tenant = token.tenant;
    context.after_commit.run(call.actor.account(), [&context, chosen, token, warnings] {
      draw_and_make(context, chosen, token, warnings);
    });
  };
  context.authenticator.find_groups(call.actor.account(), answer);
}

}  // namespace

void list_tokens(Context& context, Call call) {
  wire::Tokens answer;
  for (const auto& [id, token] : context.state().tokens()) {
    if (may(call.actor, Action::kTokens, token_owner(token))) {
      answer.tokens.push_back(token_row(context, token));
    }
  }
  std::ranges::stable_sort(answer.tokens, {}, [](const wire::Token& token) {
    return std::pair(token.user, token.made_at);
  });
  call.responder.send(json_response(wire::to_json(answer)));
}

void make_token(Context& context, Call call) {
  if (asks_with_token(call)) return;
  Result<Token> read = parse_token(call, context.now());
  if (!read) return call.responder.fail(read.error());
  with_named_actor(context, call, [&context, asked = *read](const Call& named) {
    Token token = asked;
    if (token.user.empty() || token.user == named.actor.user) {
      token.uid = named.actor.account();
      token.user = named.actor.user;
      const auto warnings = warnings_of(context, token, named.actor.role);
      return with_chosen_tenant(context, named, token, warnings);
    }
    // First, so that nobody learns here which users there are.
    if (!may(named.actor, Action::kTokens)) {
      return named.responder.fail(
          {ErrorCode::kForbidden, "only an administrator makes tokens for others"});
    }
    context.authenticator.find_user(
        token.user, named.actor.account(),
        [&context, named, token](std::optional<std::uint32_t> uid) {
          if (!uid) {
            return named.responder.fail(
                {ErrorCode::kNotFound, "there is no user '" + token.user + "' on this machine"});
          }
          Token whole = token;
          whole.uid = *uid;
          make_for_another(context, named, whole);
        });
  });
}

void revoke_token(Context& context, Call call) {
  if (asks_with_token(call)) return;
  const std::string id = call.captured.at(0);
  if (const auto fault = fault_of_label("the token's id", id)) {
    return call.responder.fail({ErrorCode::kInvalid, *fault});
  }
  wire::Tokens answer{.dry_run = call.dry_run};
  const auto found = context.state().tokens().find(id);
  if (found != context.state().tokens().end()) {
    answer.tokens.push_back(token_row(context, found->second));
  }
  ask_engine(context, call, TokenRevokeAsked{call.actor, id},
             [call, answer](const Result<Answer>& done) {
               if (!done) return call.responder.fail(done.error());
               call.responder.send(json_response(wire::to_json(answer)));
             });
}

}  // namespace gpusched
