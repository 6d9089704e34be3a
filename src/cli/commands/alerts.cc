// `alerts`: what somebody has to see to, who is told of it, and who is not for a while.
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "cli/commands/outbox_look.h"
#include "cli/commands/verbs.h"
#include "cli/display.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "cli/views/view_reader.h"
#include "json/json_writer.h"
#include "wire/messages/alarm.h"

namespace gpusched::cli {
namespace {

constexpr std::array kSilenceFlags = {
    Flag{"--for", 0, FlagKind::kValue, "DURATION", "how long: 2h, 3d; at most 90d"},
    Flag{"--reason", 0, FlagKind::kValue, "TEXT", "why, for those who look"},
};
constexpr std::array kTestFlags = {
    Flag{"--rule", 0, FlagKind::kValue, "RULE", "test: the receivers of this rule", Offer::kRules},
    Flag{"--wait", 0, FlagKind::kValue, "DURATION",
         "test: so long for what becomes of it (12s); 0: not at all"},
};
constexpr std::array<FlagSection, 4> kAlertSections = {
    FlagSection{"Silences", kSilenceFlags}, FlagSection{"Test messages", kTestFlags},
    FlagSection{"Trying out", kDryRunFlags}, FlagSection{"General", kCommonFlags}};

int usage_of_alerts(const std::string& why) { return fail({ErrorCode::kInvalid, why}); }

int list_alerts(const Arguments& arguments, bool rules) {
  if (arguments.operands.size() > 1) {
    return usage_of_alerts(
        fmt::format("alerts {} takes no further words", arguments.operands.front()));
  }
  const Client client = client_of(arguments);
  const Request request{.target = "/v1/alarms"};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [rules](const std::string& body) -> Result<std::string> {
    auto list = parse_message<wire::AlarmList>(body);
    if (!list) return failure(list.error());
    const Page page = stdout_page();
    if (rules) return render_alarm_rules(list->rules, page);
    if (list->alarms.empty()) note("no alarm is on");
    std::string out = render_alarms(list->alarms, page);
    if (!list->silences.empty()) {
      out += (out.empty() ? "" : "\n") + render_silences(list->silences, page);
    }
    return out;
  });
}

// What a silence hits now, a line each.
void note_hit(const std::vector<wire::Alarm>& alarms) {
  constexpr std::size_t kNamed = 5;
  if (alarms.empty()) return note("no alarm that is on is hit by it");
  for (std::size_t i = 0; i < alarms.size() && i < kNamed; ++i) {
    note(fmt::format("it hits: {}, {}: {}", alarms[i].rule, escaped(alarms[i].subject),
                     escaped(alarms[i].what)));
  }
  if (alarms.size() > kNamed) note(fmt::format("and {} more", alarms.size() - kNamed));
}

// What becomes of those that a silence hit which is over.
void note_freed(const std::vector<wire::Alarm>& alarms) {
  constexpr std::size_t kNamed = 5;
  if (alarms.empty()) return note("no alarm that is on was hit by it");
  std::size_t left = kNamed;
  for (const wire::Alarm& alarm : alarms) {
    if (left-- == 0) return note(fmt::format("and {} more", alarms.size() - kNamed));
    const std::string then = alarm.quiet_because.empty()
                                 ? "is told within a second"
                                 : "stays untold: " + escaped(alarm.quiet_because);
    note(fmt::format("{}, {} {}", alarm.rule, escaped(alarm.subject), then));
  }
}

Result<std::string> silence_body(const Arguments& arguments) {
  const auto& words = arguments.operands;
  const FlagValue* length = arguments.find("--for");
  if (words.size() < 2 || length == nullptr) {
    return failure(ErrorCode::kInvalid,
                   "write which rule, and for how long: gpusched alerts silence temperature card 0 "
                   "--for 2h; all stands for every rule");
  }
  const auto lasts = parse_duration(length->text);
  if (!lasts) return bad_value(*length, lasts.error().message);
  if (*lasts < Seconds{1}) return bad_value(*length, "a silence must last for some time");
  std::string subject;
  for (std::size_t i = 2; i < words.size(); ++i) subject += (i == 2 ? "" : " ") + words[i];
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (words[1] != "all") json.field("rule", words[1]);
  if (!subject.empty() && subject != "all") json.field("subject", subject);
  json.field("for_s", static_cast<std::uint64_t>(lasts->count()));
  if (arguments.has("--reason")) json.field("reason", arguments.text("--reason"));
  json.end_object();
  return body;
}

int silence_alerts(const Arguments& arguments) {
  auto body = silence_body(arguments);
  if (!body) return fail(body.error());
  const Client client = client_of(arguments);
  const Request request{.method = "POST",
                        .target = "/v1/silences" + dry_run_query(arguments),
                        .body = std::move(*body),
                        .makes = true};
  if (arguments.has("--json")) return pass_through(client, request);
  auto answer = client.call(request);
  if (!answer) return fail(answer.error());
  auto made = parse_message<wire::Silences>(*answer);
  if (!made) return fail(made.error());
  if (made->silences.empty()) return fail({ErrorCode::kInternal, "the answer has no silence"});
  const wire::Silence& silence = made->silences.front();
  const std::string instead =
      made->replaces ? fmt::format(", in place of silence {}", *made->replaces) : "";
  const std::string what =
      fmt::format("alarms of {}{} are not told until {}{}",
                  silence.rule.empty() ? "every rule" : "rule " + silence.rule,
                  silence.subject.empty() ? "" : " on " + escaped(silence.subject),
                  silence.until ? local_time(*silence.until, stdout_page()) : "", instead);
  if (arguments.has("--dry-run")) {
    note("would say: " + what);
  } else {
    note(fmt::format("{}; end it: gpusched alerts unsilence {}", what, silence.id));
  }
  note_hit(made->alarms);
  return kExitOk;
}

int end_silence(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() != 2) {
    return usage_of_alerts(
        "write the silence's number, as alerts list shows it: gpusched alerts unsilence 3");
  }
  const Client client = client_of(arguments);
  const Request request{
      .method = "DELETE",
      .target = "/v1/silences/" + percent_encoded(words[1]) + dry_run_query(arguments)};
  if (arguments.has("--json")) return pass_through(client, request);
  auto answer = client.call(request);
  if (!answer) return fail(answer.error());
  auto ended = parse_message<wire::Silences>(*answer);
  if (!ended) return fail(ended.error());
  note(fmt::format("{}silence {} is over", arguments.has("--dry-run") ? "would say: " : "",
                   words[1]));
  note_freed(ended->alarms);
  return kExitOk;
}

int test_receivers(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() > 2) return usage_of_alerts("alerts test takes one receiver, or none for all");
  Seconds patience = kTestPatience;
  if (const FlagValue* wait = arguments.find("--wait"); wait != nullptr) {
    const auto lasts = parse_duration(wait->text);
    if (!lasts) return fail(bad_value(*wait, lasts.error().message).value());
    patience = *lasts;
  }
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (words.size() == 2) json.field("receiver", words[1]);
  if (arguments.has("--rule")) json.field("rule", arguments.text("--rule"));
  json.end_object();
  const Client client = client_of(arguments);
  const Request request{.method = "POST",
                        .target = "/v1/alarms/test" + dry_run_query(arguments),
                        .body = std::move(body),
                        .makes = true};
  if (arguments.has("--json")) return pass_through(client, request);
  auto answer = client.call(request);
  if (!answer) return fail(answer.error());
  auto tested = parse_message<wire::AlarmTested>(*answer);
  if (!tested) return fail(tested.error());
  std::string names;
  for (const std::string& name : tested->receivers) names += (names.empty() ? "" : ", ") + name;
  if (arguments.has("--dry-run")) {
    note(fmt::format("would send a test message to {}", escaped(names)));
    return kExitOk;
  }
  note(fmt::format("a test message is on its way to {}", escaped(names)));
  if (patience == Seconds{0}) return kExitOk;
  return watch_tests(client, tested->messages, patience);
}

int run_alerts(const Arguments& arguments) {
  const auto& words = arguments.operands;
  const std::string verb = words.empty() ? "list" : words[0];
  if (verb == "silence") return silence_alerts(arguments);
  for (const Flag& flag : kSilenceFlags) {
    if (arguments.has(flag.name)) {
      return usage_of_alerts(fmt::format("{} belongs to alerts silence", flag.name));
    }
  }
  if (verb == "test") return test_receivers(arguments);
  for (const Flag& flag : kTestFlags) {
    if (arguments.has(flag.name)) {
      return usage_of_alerts(fmt::format("{} belongs to alerts test", flag.name));
    }
  }
  if (verb == "list" || verb == "ls") return list_alerts(arguments, false);
  if (verb == "rules") return list_alerts(arguments, true);
  if (verb == "unsilence") return end_silence(arguments);
  if (verb == "outbox") return list_outbox(arguments);
  return usage_of_alerts(fmt::format(
      "alerts has no '{}'; it has list, rules, silence, unsilence, test and outbox", verb));
}

}  // namespace

constinit const Verb kAlertsVerb = {
    .name = "alerts",
    .summary = "what needs attention, and who is told of it",
    .usage =
        "alerts [list | rules | silence RULE [SUBJECT] | unsilence ID | test [RECEIVER] | outbox] "
        "[FLAGS]",
    .about =
        "Lists the alarms that are on: what happened, to whom, since when, and what to do. A "
        "silence\n"
        "keeps alarms from being told for a while; they are still listed, and told when it ends. "
        "RULE\n"
        "is a rule or all, SUBJECT what the list shows: card 0, user ml1. Rules are set in the\n"
        "configuration (docs/alarms.md). test says within seconds what became of its message: "
        "exit\n"
        "code 0 if it arrived everywhere, 75 where it is still tried, 69 where it was given up. "
        "outbox\n"
        "lists what waits for each receiver, and what became of its last message. Operators and\n"
        "administrators silence, test and see the outbox.",
    .examples =
        "gpusched alerts\n"
        "gpusched alerts silence temperature card 0 --for 2h --reason \"fan is on its way\"\n"
        "gpusched alerts unsilence 3\n"
        "gpusched alerts test ops\n"
        "gpusched alerts outbox",
    .sections = kAlertSections,
    .operands = Operands::kWords,
    .words = "list rules silence unsilence test outbox",
    .offer = Offer::kAlerts,
    .run = run_alerts,
};

}  // namespace gpusched::cli
