#include "client/through_tls.h"

#include <fmt/format.h>

#include "client/carried_by.h"
#include "client/known_servers.h"
#include "json/error_json.h"
#include "json/json_fields.h"

namespace gpusched {
namespace {

constexpr Carrier::Milliseconds kShown{60'000};  // Several addresses may have to be tried.
constexpr std::size_t kShownMost = 64U << 10U;

struct Shown {
  std::string fingerprint;
  bool by_authority = false;
};

Result<Shown> parse_shown(const std::string& line) {
  auto value = parse_json(line);
  if (!value) return failure(value.error());
  if (value->find("error") != nullptr) return failure(read_error(line, 503));
  Fields fields(*value);
  Shown shown;
  std::uint64_t version = 0;
  std::string why_not;
  fields.number("gpusched_tls", version, 1, 1);
  fields.flag("by_authority", shown.by_authority);
  fields.text("fingerprint", shown.fingerprint);
  fields.text("why_not", why_not);
  if (auto read = fields.finish(); !read) return failure(read.error());
  return shown;
}

// Nothing follows its first line before we have asked for something.
Result<std::string> first_line(Carrier& carrier) {
  std::string said;
  while (said.find('\n') == std::string::npos) {
    auto came = carrier.receive(said, kShown);
    if (!came) return failure(came.error());
    if (*came != Carrier::Came::kBytes || said.size() > kShownMost) {
      return failure(ErrorCode::kUnavailable, "gpusched-tls did not say who has answered");
    }
  }
  return said.substr(0, said.find('\n'));
}

// Nothing is sent before this.
Result<void> check_shown(const Server& server, const Shown& shown, Remark notice) {
  const auto refuse = [](std::string why) {
    return failure(ErrorCode::kForbidden, std::move(why));
  };
  if (shown.fingerprint.empty()) return refuse(server.name() + " shows no certificate");
  if (!server.fingerprint.empty()) {
    if (server.fingerprint == shown.fingerprint) return {};
    return refuse(
        fmt::format("the certificate of {} is {}, not the one that servers.yaml names; "
                    "if it was renewed, correct its fingerprint there",
                    server.name(), shown.fingerprint));
  }
  // One that was kept counts also where an authority vouches for another.
  const Meeting how = shown.by_authority  ? Meeting::kVouched
                      : server.only_known ? Meeting::kUnheard
                                          : Meeting::kFirst;
  auto met = meet_server(server.known_servers, server.name(), shown.fingerprint, how);
  if (!met) return failure(met.error());
  if (*met == Acquaintance::kKnown || how == Meeting::kVouched) return {};
  if (how == Meeting::kUnheard) return refuse(server.name() + " is not known here yet");
  if (notice != nullptr) {
    notice(fmt::format("{} is new here; its certificate is kept in {}: {}", server.name(),
                       server.known_servers, shown.fingerprint));
  }
  return {};
}

}  // namespace

Result<Carrier> connect_through_tls(const Server& server, Remark notice) {
  auto carrier = carried_by({server.tls_program, "connect", server.host, server.port});
  if (!carrier) return carrier;
  auto line = first_line(*carrier);
  if (!line) return failure(line.error());
  auto shown = parse_shown(*line);
  if (!shown) return failure(shown.error());
  if (auto known = check_shown(server, *shown, notice); !known) return failure(known.error());
  return carrier;
}

}  // namespace gpusched
