// `drain` and `undrain`: a card out of service and back.
#include <fmt/format.h>

#include "cli/commands/verbs.h"
#include "cli/flag_values.h"
#include "cli/reserve_body.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "json/json_writer.h"

namespace gpusched::cli {
namespace {

constexpr std::array kDrainFlags = {
    Flag{"--reason", 0, FlagKind::kValue, "TEXT", "why, for those who look at the card"},
    Flag{"--from", 0, FlagKind::kValue, "TIME", "only from then on: \"sat 8:00\", +2h"},
    Flag{"--for", 0, FlagKind::kValue, "DURATION", "only for so long; then it is back by itself"},
    Flag{"--until", 0, FlagKind::kValue, "TIME", "or until then"},
};
constexpr std::array<FlagSection, 3> kDrainSections = {FlagSection{"What", kDrainFlags},
                                                       FlagSection{"Trying out", kDryRunFlags},
                                                       FlagSection{"General", kCommonFlags}};
constexpr std::array<FlagSection, 2> kUndrainSections = {FlagSection{"Trying out", kDryRunFlags},
                                                         FlagSection{"General", kCommonFlags}};

int change_cards(const Arguments& arguments, const std::string& verb, const std::string& body,
                 const std::string& done) {
  if (arguments.operands.empty()) {
    return fail({ErrorCode::kInvalid, fmt::format("write the card's number: gpusched {} 0", verb)});
  }
  const Client client = client_of(arguments);
  const bool dry_run = arguments.has("--dry-run");
  for (const std::string& word : arguments.operands) {
    auto number = parse_whole(word, 0, 65'535);
    if (!number) return fail({ErrorCode::kInvalid, "the card: " + number.error().message});
    const Request request{
        .method = "POST",
        .target = fmt::format("/v1/gpus/{}/{}{}", *number, verb, dry_run_query(arguments)),
        .body = body};
    if (arguments.has("--json")) {
      if (const int code = pass_through(client, request); code != kExitOk) return code;
      continue;
    }
    auto answer = client.call(request);
    if (!answer) return fail(answer.error());
    note(fmt::format("{}card {} {}", dry_run ? "would do this: " : "", *number, done));
  }
  return kExitOk;
}

// A card that will be out of service for a while: kept for nobody from then on.
int plan_maintenance(const Arguments& arguments) {
  auto body = reserve_body(arguments, ReserveFor::kMaintenance);
  if (!body) return fail(body.error());
  const Request request{.method = "POST",
                        .target = "/v1/reservations" + dry_run_query(arguments),
                        .body = std::move(*body)};
  const Client client = client_of(arguments);
  if (arguments.has("--json")) return pass_through(client, request);
  auto answer = client.call(request);
  if (!answer) return fail(answer.error());
  auto made = parse_reservations(*answer);
  if (!made) return fail(made.error());
  const std::string what = "nothing starts there that would not be over by then";
  if (arguments.has("--dry-run") || made->empty()) {
    note("would do this: " + what);
  } else {
    note(fmt::format("{}; undo it: gpusched reserve remove {}", what, made->front().id));
  }
  return kExitOk;
}

int run_drain(const Arguments& arguments) {
  if (arguments.has("--from") || arguments.has("--for") || arguments.has("--until")) {
    return plan_maintenance(arguments);
  }
  std::string body;
  JsonWriter json(body);
  json.begin_object().field("reason", arguments.text("--reason")).end_object();
  return change_cards(arguments, "drain", body, "gets nothing new; what runs there goes on");
}

int run_undrain(const Arguments& arguments) {
  return change_cards(arguments, "undrain", "", "is in service again");
}

}  // namespace

constinit const Verb kDrainVerb = {
    .name = "drain",
    .summary = "take a card out of service",
    .usage = "drain CARDS… [FLAGS]",
    .examples =
        "gpusched drain 1 --reason \"fan is loud\"\n"
        "gpusched drain 1 --from \"sat 8:00\" --for 2h --reason \"new fan\"\n"
        "gpusched undrain 1",
    .sections = kDrainSections,
    .operands = Operands::kWords,
    .offer = Offer::kCards,
    .run = run_drain,
};

constinit const Verb kUndrainVerb = {
    .name = "undrain",
    .summary = "take a card back into service",
    .usage = "undrain CARDS… [FLAGS]",
    .examples = "gpusched undrain 1",
    .sections = kUndrainSections,
    .operands = Operands::kWords,
    .offer = Offer::kCards,
    .run = run_undrain,
};

}  // namespace gpusched::cli
