// `token`: what scripts, pages and other machines show instead of an account.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/display.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "cli/views/view_reader.h"
#include "json/json_writer.h"

namespace gpusched::cli {
namespace {

constexpr std::array kTokenFlags = {
    Flag{"--role", 0, FlagKind::kValue, "ROLE",
         "the most it may do: viewer, user, operator, admin (user)", Offer::kWords,
         "viewer user operator admin"},
    Flag{"--read-only", 0, FlagKind::kSwitch, "", "it may only look; the same as --role viewer"},
    Flag{"--expires", 0, FlagKind::kValue, "DURATION", "how long it is good: 90d (for ever)"},
    Flag{"--name", 0, FlagKind::kValue, "TEXT", "what for, for those who look"},
    Flag{"--tenant", 0, FlagKind::kValue, "NAME",
         "the tenant that its jobs count for (the user's own)"},
    Flag{"--user", 0, FlagKind::kValue, "NAME", "whose it is (oneself); for administrators"},
};
constexpr std::array<FlagSection, 3> kTokenSections = {FlagSection{"What", kTokenFlags},
                                                       FlagSection{"Trying out", kDryRunFlags},
                                                       FlagSection{"General", kCommonFlags}};

int usage_of_token(const std::string& why) { return fail({ErrorCode::kInvalid, why}); }

Result<std::string> token_body(const Arguments& arguments) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  for (const char* name : {"role", "name", "tenant", "user"}) {
    const std::string flag = std::string("--") + name;
    if (arguments.has(flag)) json.field(name, arguments.text(flag));
  }
  if (arguments.has("--read-only")) json.field("read_only", true);
  if (const FlagValue* expires = arguments.find("--expires")) {
    const auto lasts = parse_duration(expires->text);
    if (!lasts) return bad_value(*expires, lasts.error().message);
    if (*lasts < Seconds{1}) return bad_value(*expires, "a token must last for some time");
    json.field("expires_s", static_cast<std::uint64_t>(lasts->count()));
  }
  json.end_object();
  return body;
}

int create_token(const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    return usage_of_token("token create takes flags only: gpusched token create --expires 90d");
  }
  auto body = token_body(arguments);
  if (!body) return fail(body.error());
  const Client client = client_of(arguments);
  const Request request{.method = "POST",
                        .target = "/v1/tokens" + dry_run_query(arguments),
                        .body = std::move(*body),
                        .makes = true};
  if (arguments.has("--json")) return pass_through(client, request);
  auto answer = client.call(request);
  if (!answer) return fail(answer.error());
  auto made = parse_message<wire::MadeToken>(*answer);
  if (!made) return fail(made.error());
  const std::string what = fmt::format(
      "a token of {}, role {}, {}", made->token.user, made->token.role,
      made->token.expires_at ? "good until " + local_time(*made->token.expires_at, stdout_page())
                             : std::string("without an end"));
  for (const std::string& warning : made->warnings) note(escaped(warning));
  if (arguments.has("--dry-run")) {
    note("would make " + what);
    return kExitOk;
  }
  note(fmt::format("{}; it is shown this once. Take it back: gpusched token revoke {}", what,
                   made->token.id));
  if (auto printed = print(made->secret + "\n"); !printed) return fail(printed.error());
  return kExitOk;
}

int list_tokens(const Arguments& arguments) {
  if (arguments.operands.size() > 1) return usage_of_token("token list takes no further words");
  const Client client = client_of(arguments);
  const Request request{.target = "/v1/tokens"};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    auto tokens = parse_message<wire::Tokens>(body);
    if (!tokens) return failure(tokens.error());
    if (tokens->tokens.empty()) {
      note("there are no tokens; make one: gpusched token create --expires 90d");
      return std::string();
    }
    return render_tokens(tokens->tokens, stdout_page());
  });
}

int revoke_token(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() != 2) {
    return usage_of_token("write the token's id, as token list shows it: gpusched token revoke ID");
  }
  return change_and_say(
      arguments,
      {.method = "DELETE",
       .target = "/v1/tokens/" + percent_encoded(words[1]) + dry_run_query(arguments)},
      fmt::format("token {} is revoked", words[1]));
}

int run_token(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (!words.empty() && words[0] == "create") return create_token(arguments);
  for (const Flag& flag : kTokenFlags) {
    if (arguments.has(flag.name)) {
      return usage_of_token(fmt::format("{} belongs to token create", flag.name));
    }
  }
  if (words.empty() || words[0] == "list" || words[0] == "ls") return list_tokens(arguments);
  if (words[0] == "revoke" || words[0] == "rm") return revoke_token(arguments);
  return usage_of_token(fmt::format("token has no '{}'; it has create, list and revoke", words[0]));
}

}  // namespace

constinit const Verb kTokenVerb = {
    .name = "token",
    .summary = "tokens for scripts, pages and other machines",
    .usage = "token [create | list | revoke ID] [FLAGS]",
    .about =
        "Who shows a token (Authorization: Bearer) acts as its user, with at most its role, and "
        "never\n"
        "with more rights than the user has at that time. It is printed once; the daemon keeps a "
        "hash.\n"
        "Everybody makes tokens for oneself, administrators also for others.",
    .examples =
        "gpusched token create --expires 90d --name laptop\n"
        "gpusched token create --read-only --name dashboard\n"
        "gpusched token list\n"
        "gpusched token revoke k3mx92ab",
    .sections = kTokenSections,
    .operands = Operands::kWords,
    .words = "create list revoke",
    .offer = Offer::kTokens,
    .run = run_token,
};

}  // namespace gpusched::cli
