// `page`: where the web page is, and a link that logs in.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/display.h"
#include "cli/open_in_browser.h"
#include "cli/servers.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "cli/views/view_reader.h"
#include "json/json_writer.h"
#include "os/tcp_address.h"
#include "wire/messages/login.h"
#include "wire/messages/machine.h"
#include "wire/messages/token.h"

namespace gpusched::cli {
namespace {

// A working day: who keeps the link can log in with it for so long.
constexpr Seconds kUsualTime{12 * 3600};

constexpr std::array kPageFlags = {
    Flag{"--read-only", 0, FlagKind::kSwitch, "", "who logs in with the link may only look"},
    Flag{"--expires", 0, FlagKind::kValue, "DURATION", "how long link and login are good (12h)"},
    Flag{"--no-login", 0, FlagKind::kSwitch, "", "the address alone, without a token"},
    Flag{"--open", 0, FlagKind::kSwitch, "", "in the browser of this machine, by xdg-open"},
};
constexpr std::array<FlagSection, 3> kPageSections = {FlagSection{"What", kPageFlags},
                                                      FlagSection{"Trying out", kDryRunFlags},
                                                      FlagSection{"General", kCommonFlags}};

// The daemon's page, as it was found.
struct FoundPage {
  std::string address;              // With a slash at its end.
  std::vector<std::string> others;  // Where it is, too.
  std::string socket;               // Of the daemon, on its machine.
  std::string machine;              // As ssh takes it.
};

std::string machine_of(const Server& server) {
  if (server.elsewhere()) return server.machine;
  std::array<char, 256> name{};
  const bool known = ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return known ? name.data() : "MACHINE";
}

// "127.0.0.1:7340" of "http://127.0.0.1:7340/".
std::string place_in(const std::string& address) {
  const std::size_t begin = address.find("//") + 2;
  return address.substr(begin, address.find('/', begin) - begin);
}

// Another machine's word: it goes to a terminal and a browser, so nothing else may be in it.
bool is_address(const std::string& address) {
  const std::size_t begin = address.starts_with("https://") ? 8 : 7;
  if (!address.starts_with("http://") && begin == 7) return false;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-.:[]").find(c) != std::string_view::npos;
  };
  return address.size() > begin + 1 && address.back() == '/' &&
         std::all_of(address.begin() + static_cast<std::ptrdiff_t>(begin), address.end() - 1, fits);
}
bool is_secret(const std::string& secret) {
  return secret.starts_with("gpst_") && std::ranges::all_of(secret, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
         });
}

bool is_loopback(const std::string& address) {
  const std::string place = place_in(address);
  const auto parsed = parse_tcp_address(place);
  return place.starts_with("localhost:") || (parsed && parsed->is_loopback());
}

std::string tunnel_to(const std::string& end, const std::string& port, const std::string& machine) {
  return fmt::format("ssh -N -L {}:{} {}", port, end, machine);
}

tl::unexpected<Error> listens_nowhere(const FoundPage& page) {
  const std::string there =
      page.socket.empty()
          ? ""
          : fmt::format(
                "; from another desk, without that: {}, and there "
                "http://127.0.0.1:{}/",
                tunnel_to(page.socket, std::string(kUsualPort), page.machine), kUsualPort);
  return failure(ErrorCode::kUnavailable,
                 fmt::format("the daemon listens on no address: 'network: {{listen: "
                             "[\"127.0.0.1:{}\"]}}' in its configuration and 'gpusched config "
                             "reload' open one{}",
                             kUsualPort, there));
}

Result<FoundPage> find_page(const Client& client, const Server& server) {
  auto body = client.call({.target = "/v1/version"});
  if (!body) return failure(body.error());
  auto version = parse_message<wire::Version>(*body);
  if (!version) return failure(version.error());
  if (!version->page) {
    return failure(ErrorCode::kUnsupported,
                   "this daemon has no page: it was built without npm, or is older than the page "
                   "(docs/guide/page.md)");
  }
  FoundPage page{
      .others = version->addresses, .socket = version->socket, .machine = machine_of(server)};
  if (server.on_network()) {
    page.address = fmt::format("http{}://{}/", server.tls ? "s" : "", server.name());
    return page;
  }
  if (page.others.empty()) return listens_nowhere(page);
  if (!std::ranges::all_of(page.others, is_address)) {
    return failure(ErrorCode::kInternal, "the daemon's answer has an address that is none");
  }
  // One that works from other desks, too.
  const auto far = std::ranges::find_if_not(page.others, is_loopback);
  page.address = far != page.others.end() ? *far : page.others.front();
  return page;
}

Result<wire::MadeToken> make_token(const Arguments& arguments, const Client& client) {
  Seconds lasts = kUsualTime;
  if (const FlagValue* expires = arguments.find("--expires")) {
    const auto given = parse_duration(expires->text);
    if (!given) return bad_value(*expires, given.error().message);
    if (*given < Seconds{1}) return bad_value(*expires, "a login must last for some time");
    lasts = *given;
  }
  auto who = client.call({.target = "/v1/whoami"});
  if (!who) return failure(who.error());
  const auto self = parse_message<wire::WhoAmI>(*who);
  if (!self) return failure(self.error());
  std::string body;
  JsonWriter json(body);
  json.begin_object().field("name", "page").field("expires_s", lasts);
  json.field("role", arguments.has("--read-only") ? "viewer" : self->role).end_object();
  auto answer = client.call({.method = "POST",
                             .target = "/v1/tokens" + dry_run_query(arguments),
                             .body = std::move(body),
                             .makes = true});
  if (!answer) return failure(answer.error());
  auto made = parse_message<wire::MadeToken>(*answer);
  if (made && !made->secret.empty() && !is_secret(made->secret)) {
    return failure(ErrorCode::kInternal, "the daemon's answer has a token that is none");
  }
  return made;
}

std::string as_json(const FoundPage& page, const std::string& link,
                    const std::optional<wire::MadeToken>& made) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("address", page.address);
  json.key("addresses").begin_array();
  for (const std::string& other : page.others) json.value(other);
  json.end_array();
  json.key("link");
  made && !made->secret.empty() ? json.value(link) : json.null();
  json.key("token");
  made ? json.value(made->token.id) : json.null();
  json.key("role");
  made ? json.value(made->token.role) : json.null();
  json.key("expires_at").value(made ? made->token.expires_at : std::nullopt);
  json.end_object();
  return out + "\n";
}

void say_more(const FoundPage& page, const std::optional<wire::MadeToken>& made, bool dry_run) {
  if (made) {
    const std::string what =
        fmt::format("role {}, until {}", made->token.role,
                    local_time(made->token.expires_at.value_or(Wall{}), stdout_page()));
    if (dry_run) return note("would make a link that logs in to " + page.address + ": " + what);
    note(
        fmt::format("who has this link logs in to {} as {}, {}; take it back: gpusched token "
                    "revoke {}",
                    page.address, made->token.user, what, made->token.id));
  }
  if (!is_loopback(page.address)) return;
  const std::string place = place_in(page.address);
  note("from another desk, before it is opened there: " +
       tunnel_to(place, place.substr(place.rfind(':') + 1), page.machine));
}

int run_page(const Arguments& arguments) {
  const Result<Server> server = server_of(arguments);
  if (!server) return fail(server.error());
  const Client client(server, note);
  const auto page = find_page(client, *server);
  if (!page) return fail(page.error());
  std::optional<wire::MadeToken> made;
  // Who has stolen a token must not make others of it.
  if (!arguments.has("--no-login") && !server->on_network()) {
    auto token = make_token(arguments, client);
    if (!token) return fail(token.error());
    made = std::move(*token);
  } else if (!arguments.has("--no-login")) {
    note(
        "a token makes no other: log in there with the one that you use here, or make a link on "
        "that machine");
  }
  const bool links = made && !made->secret.empty();
  const std::string link = page->address + (links ? "#login=" + made->secret : "");
  const bool json = arguments.has("--json");
  if (!json && !server->on_network()) say_more(*page, made, arguments.has("--dry-run"));
  if (auto printed = print(json ? as_json(*page, link, made) : link + "\n"); !printed) {
    return fail(printed.error());
  }
  if (!arguments.has("--open") || arguments.has("--dry-run")) return kExitOk;
  if (auto opened = open_in_browser(link, process_environment()); !opened) {
    return fail({opened.error().code, "open the link yourself: " + opened.error().message});
  }
  return kExitOk;
}

}  // namespace

constinit const Verb kPageVerb = {
    .name = "page",
    .summary = "where the web page is, and a link that logs in",
    .usage = "page [FLAGS]",
    .about =
        "Prints a link with a new token of yours, which the page exchanges for a cookie that no "
        "script\n"
        "can read. The token stands behind the #, which browsers send to nobody. It has your role "
        "and\n"
        "ends after 12 hours, and every login with it.",
    .examples =
        "gpusched page --open\n"
        "gpusched page --read-only --expires 30d   # for a screen on the wall\n"
        "gpusched --server ssh://box page",
    .sections = kPageSections,
    .run = run_page,
};

}  // namespace gpusched::cli
