// Answers and requests about who one is, and about logins.
#pragma once

#include "base/time.h"
#include "wire/message.h"

namespace gpusched::wire {

// What one may do to what is one's own, and to what is not.
struct MayDo {
  std::string action;
  bool own = false, others = false;

  static constexpr std::string_view kName = "MayDo";
  static constexpr auto fields() {
    return std::make_tuple(field("action", &MayDo::action), field("own", &MayDo::own),
                           field("others", &MayDo::others));
  }
};
struct WhoAmI {
  int schema = 1;
  std::string user;
  std::uint64_t uid = 0;
  std::string role, tenant, proof;
  std::string token, token_name;   // Where that is the proof.
  std::optional<Wall> expires_at;  // Of the token or the login, whichever comes first.
  std::vector<MayDo> may;
  bool dry_run = false;

  static constexpr std::string_view kName = "WhoAmI";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &WhoAmI::schema), field("user", &WhoAmI::user), field("uid", &WhoAmI::uid),
        field("role", &WhoAmI::role), field("tenant", &WhoAmI::tenant),
        field("proof", &WhoAmI::proof, {.words = "peer|token|cookie"}),
        field("token", &WhoAmI::token, kOrNull), field("token_name", &WhoAmI::token_name, kOrNull),
        field("expires_at", &WhoAmI::expires_at), field("may", &WhoAmI::may),
        field("dry_run", &WhoAmI::dry_run, kMaybe));
  }
};
struct LoginRequest {
  std::string token;

  static constexpr std::string_view kName = "LoginRequest";
  static constexpr auto fields() {
    return std::make_tuple(
        field("token", &LoginRequest::token,
              {.most = 255, .what = "where the header Authorization does not show one"}));
  }
};
struct LoggedOut {
  int schema = 1;
  bool ended = false;
  bool dry_run = false;

  static constexpr std::string_view kName = "LoggedOut";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &LoggedOut::schema), field("ended", &LoggedOut::ended),
                           field("dry_run", &LoggedOut::dry_run, kMaybe));
  }
};

}  // namespace gpusched::wire
