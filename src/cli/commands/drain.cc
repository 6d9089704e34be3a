// `drain` and `undrain`: a card out of service and back.
#include <fmt/format.h>

#include "cli/commands/verbs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/submission.h"
#include "cli/terminal.h"
#include "json/json_writer.h"

namespace gpusched::cli {
namespace {

constexpr std::array kDrainFlags = {
    Flag{"--reason", 0, FlagKind::kValue, "TEXT", "why, for those who look at the card"},
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
        .target = fmt::format("/v1/gpus/{}/{}{}", *number, verb, dry_run ? "?dry_run=1" : ""),
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

int run_drain(const Arguments& arguments) {
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
        "gpusched undrain 1",
    .sections = kDrainSections,
    .operands = Operands::kWords,
    .run = run_drain,
};

constinit const Verb kUndrainVerb = {
    .name = "undrain",
    .summary = "take a card back into service",
    .usage = "undrain CARDS… [FLAGS]",
    .examples = "gpusched undrain 1",
    .sections = kUndrainSections,
    .operands = Operands::kWords,
    .run = run_undrain,
};

}  // namespace gpusched::cli
