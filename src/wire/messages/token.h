// Answers and requests about tokens.
#pragma once

#include "base/time.h"
#include "wire/message.h"

namespace gpusched::wire {

struct Token {
  std::string id, user, role, tenant, name, by;
  std::optional<Wall> made_at, expires_at, used_at;
  bool expired = false;

  static constexpr std::string_view kName = "Token";
  static constexpr auto fields() {
    return std::make_tuple(field("id", &Token::id), field("user", &Token::user),
                           field("role", &Token::role), field("tenant", &Token::tenant, kOrNull),
                           field("name", &Token::name, kOrNull), field("by", &Token::by),
                           field("made_at", &Token::made_at, kAlways),
                           field("expires_at", &Token::expires_at),
                           field("used_at", &Token::used_at), field("expired", &Token::expired));
  }
};
struct Tokens {
  int schema = 1;
  std::vector<Token> tokens;
  bool dry_run = false;

  static constexpr std::string_view kName = "Tokens";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Tokens::schema), field("tokens", &Tokens::tokens),
                           field("dry_run", &Tokens::dry_run, kMaybe));
  }
};
struct MadeToken {
  int schema = 1;
  std::string secret;  // Shown this once.
  Token token;
  std::vector<std::string> warnings;
  bool dry_run = false;

  static constexpr std::string_view kName = "MadeToken";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &MadeToken::schema), field("secret", &MadeToken::secret, kOrNull),
        field("token", &MadeToken::token), field("warnings", &MadeToken::warnings, kMaybe),
        field("dry_run", &MadeToken::dry_run, kMaybe));
  }
};
struct TokenRequest {
  std::string role, user, tenant, name;
  bool read_only = false;
  Seconds lasts{0};

  static constexpr std::string_view kName = "TokenRequest";
  static constexpr auto fields() {
    return std::make_tuple(
        field("role", &TokenRequest::role, {.words = "viewer|user|operator|admin"}),
        field("user", &TokenRequest::user, {.most = 255, .what = "oneself"}),
        field("tenant", &TokenRequest::tenant, {.most = 255}),
        field("name", &TokenRequest::name, {.most = 255}),
        field("read_only", &TokenRequest::read_only, {.what = "the same as the role viewer"}),
        field("expires_s", &TokenRequest::lasts, {.what = "0: never"}));
  }
};

}  // namespace gpusched::wire
