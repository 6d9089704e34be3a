// `reserve`: cards kept for somebody from a time to a time.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/render/render.h"
#include "cli/reserve_body.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

constexpr std::array kReserveFlags = {
    Flag{"--gpus", 0, FlagKind::kValue, "N|0,1", "so many cards, or these"},
    Flag{"--gpu", 0, FlagKind::kValue, "0|NAME", "these cards, by number, alias or tag"},
    Flag{"--user", 0, FlagKind::kValue, "NAME", "whose jobs may run there (oneself)"},
    Flag{"--tenant", 0, FlagKind::kValue, "NAME", "the same for a tenant"},
    Flag{"--from", 0, FlagKind::kValue, "TIME", "from when on (now): \"mon 9:00\", +2h"},
    Flag{"--for", 0, FlagKind::kValue, "DURATION", "how long"},
    Flag{"--until", 0, FlagKind::kValue, "TIME", "or until when"},
    Flag{"--name", 0, FlagKind::kValue, "TEXT", "what for, for those who look"},
};
constexpr std::array<FlagSection, 3> kReserveSections = {FlagSection{"What", kReserveFlags},
                                                         FlagSection{"Trying out", kDryRunFlags},
                                                         FlagSection{"General", kCommonFlags}};

int usage_of_reserve(const std::string& why) { return fail({ErrorCode::kInvalid, why}); }

int list_reservations(const Arguments& arguments) {
  const Client client = client_of(arguments);
  const Request request{.target = "/v1/reservations"};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    auto reservations = parse_reservations(body);
    if (!reservations) return failure(reservations.error());
    if (reservations->empty()) {
      note("nothing is reserved; do it: gpusched reserve --gpus 2 --from \"mon 9:00\" --for 3h");
      return std::string();
    }
    return render_reservations(*reservations, stdout_page());
  });
}

int change_reservation(const Arguments& arguments, const Request& request, const char* done) {
  const Client client = client_of(arguments);
  if (arguments.has("--json")) return pass_through(client, request);
  auto body = client.call(request);
  if (!body) return fail(body.error());
  auto reservations = parse_reservations(*body);
  if (!reservations || reservations->empty()) return kExitOk;
  const ReservationView& made = reservations->front();
  note(fmt::format("{}reservation {} {}", arguments.has("--dry-run") ? "would do this: " : "",
                   made.id, done));
  for (const std::uint64_t job : made.jobs_of_others) {
    note(fmt::format("job {} is on its cards and is not put out", job));
  }
  if (!arguments.has("--dry-run") && request.method == "POST") fmt::print("{}\n", made.id);
  return kExitOk;
}

int run_reserve(const Arguments& arguments) {
  const auto& words = arguments.operands;
  const std::string query = dry_run_query(arguments);
  if (!words.empty() && (words[0] == "remove" || words[0] == "rm")) {
    if (words.size() != 2) return usage_of_reserve("write its number: gpusched reserve remove 3");
    return change_reservation(
        arguments,
        {.method = "DELETE", .target = "/v1/reservations/" + percent_encoded(words[1]) + query},
        "is removed");
  }
  if (!words.empty() && words[0] != "list" && words[0] != "ls") {
    return usage_of_reserve(fmt::format("reserve has no '{}'; it has list and remove", words[0]));
  }
  const bool asks = arguments.has("--gpus") || arguments.has("--gpu") || arguments.has("--from") ||
                    arguments.has("--for") || arguments.has("--until");
  if (!words.empty() || !asks) return list_reservations(arguments);
  auto body = reserve_body(arguments, ReserveFor::kSomebody);
  if (!body) return fail(body.error());
  return change_reservation(arguments,
                            {.method = "POST",
                             .target = "/v1/reservations" + query,
                             .body = std::move(*body),
                             .makes = true},
                            "is made");
}

}  // namespace

constinit const Verb kReserveVerb = {
    .name = "reserve",
    .summary = "keep cards for somebody from a time to a time",
    .usage = "reserve [list | remove NUMBER] [FLAGS]",
    .about =
        "Jobs of others start there before only if their time limit is over by then; nobody is "
        "put\n"
        "out. Administrators reserve for anybody; users for themselves if the configuration lets "
        "them.",
    .examples =
        "gpusched reserve\n"
        "gpusched reserve --gpus 2 --user user1 --from \"mon 9:00\" --for 3h --name demo\n"
        "gpusched reserve remove 3",
    .sections = kReserveSections,
    .operands = Operands::kWords,
    .words = "list remove",
    .run = run_reserve,
};

}  // namespace gpusched::cli
