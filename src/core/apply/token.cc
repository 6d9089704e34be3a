// Tokens: made, revoked, used. Their secrets never come here.
#include <algorithm>
#include <utility>

#include "core/access/roles.h"
#include "core/apply/transitions.h"

namespace gpusched {
namespace {

Subject owner_of_token(const Token& token) { return {.uid = token.uid, .user = token.user}; }

// Nobody can use it any more; it was listed for a while, so that one sees why.
bool is_forgotten(const Token& token, Now now) {
  return token.expired(now.wall - kExpiredTokensKept);
}

void forget_expired(State& state, std::uint32_t uid, Now now) {
  std::vector<std::string> old;
  for (const auto& [id, token] : state.tokens()) {
    if (token.uid == uid && is_forgotten(token, now)) old.push_back(id);
  }
  for (const std::string& id : old) state.remove<Token>(id);
}

}  // namespace

std::optional<Refusal> check_token(const StateView& state, const TokenMakeAsked& asked, Now now) {
  const auto forbidden = [](std::string why) {
    return Refusal{RefusalKind::kForbidden, std::move(why)};
  };
  const Token& token = asked.token;
  const Subject owner = owner_of_token(token);
  if (!may(asked.actor, Action::kTokens, owner)) {
    return forbidden("only an administrator may make tokens for others");
  }
  if (owns(asked.actor, owner) && token.role > asked.actor.role) {
    return forbidden("your role is " + std::string(role_name(asked.actor.role)) +
                     ": a token of yours cannot be " + std::string(role_name(token.role)));
  }
  // The tenant of who asks is looked up where they are known.
  const bool own = owns(asked.actor, owner) && token.tenant == asked.actor.tenant;
  if (!token.tenant.empty() && !own && token.tenant != state.tenants().tenant_of(token.user) &&
      !may(asked.actor, Action::kChangeTenant)) {
    return forbidden("only an administrator may let a token's jobs count for another tenant");
  }
  if (token.expired(now.wall)) {
    return Refusal{RefusalKind::kInvalid, "a token must last for some time"};
  }
  if (state.tokens().contains(token.id)) {
    return Refusal{RefusalKind::kConflict, "there is a token " + token.id + " already; ask again"};
  }
  const auto of_owner = std::ranges::count_if(state.tokens(), [&](const auto& entry) {
    return entry.second.uid == token.uid && !is_forgotten(entry.second, now);
  });
  if (static_cast<std::size_t>(of_owner) >= kTokensPerUser) {
    return Refusal{RefusalKind::kConflict, "a user has at most " + std::to_string(kTokensPerUser) +
                                               " tokens; revoke one first"};
  }
  if (state.tokens().size() >= kTokensMost) {
    return Refusal{RefusalKind::kConflict, "there are too many tokens already"};
  }
  return std::nullopt;
}

Applied apply_token_make(State& state, const TokenMakeAsked& asked, Now now) {
  if (auto refusal = check_token(state, asked, now)) return refused(std::move(*refusal));
  forget_expired(state, asked.token.uid, now);
  Token token = asked.token;
  // Their own tenant at the time of each use, whichever that is then. One of several Unix groups is
  // a choice, which holds while they are in it.
  const bool choice = token.tenant.starts_with(kGroupMark);
  if (!choice && !may(asked.actor, Action::kChangeTenant)) token.tenant.clear();
  state.put(std::move(token));
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

std::optional<Refusal> check_token_revoke(const StateView& state, const TokenRevokeAsked& asked) {
  const auto found = state.tokens().find(asked.id);
  // Of others one does not even learn that it is there.
  if (found != state.tokens().end() &&
      may(asked.actor, Action::kTokens, owner_of_token(found->second))) {
    return std::nullopt;
  }
  const bool sees_all = may(asked.actor, Action::kTokens);
  return Refusal{RefusalKind::kNotFound,
                 "there is no token " + asked.id + (sees_all ? "" : " of yours")};
}

Applied apply_token_revoke(State& state, const TokenRevokeAsked& asked) {
  if (auto refusal = check_token_revoke(state, asked)) return refused(std::move(*refusal));
  state.remove<Token>(asked.id);
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

Applied apply_token_used(State& state, const TokenUsed& used) {
  const auto found = state.tokens().find(used.id);
  if (found == state.tokens().end()) return {};
  Token token = found->second;
  token.used_at = used.at;
  state.put(std::move(token));
  return {};
}

}  // namespace gpusched
