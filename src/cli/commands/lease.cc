// `lease`: cards for a process of one's own. Without a command the grant is printed for a shell,
// which holds it; with one the client becomes that command, so that the command's process is the
// holder and its end is the lease's.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <variant>

#include "base/text.h"
#include "base/words.h"
#include "cli/commands/verbs.h"
#include "cli/flag_body.h"
#include "cli/flag_values.h"
#include "cli/lease_watch.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/submit/submit_flags.h"
#include "cli/views/lease_view.h"
#include "cli/views/view_reader.h"
#include "json/json_writer.h"

namespace gpusched::cli {
namespace {

constexpr std::array kHoldFlags = {
    Flag{"--pid", 0, FlagKind::kValue, "PID", "the process that holds it (the shell that calls)"},
    as_field(Flag{"--ttl", 0, FlagKind::kValue, "DURATION",
                  "how long it lives at most; renew makes it longer"},
             "ttl_s", write_flag<parse_duration>),
    as_field(
        Flag{"--wait", 0, FlagKind::kValue, "DURATION", "give up if it is not granted within this"},
        "wait_at_most_ms", write_milliseconds),
    as_field(
        Flag{"--priority", 0, FlagKind::kValue, "0-100|WORD",
             "idle, low, normal (50), high, urgent", Offer::kWords, "idle low normal high urgent"},
        "priority", write_flag<parse_priority>),
    as_field(
        Flag{"--preempt", 0, FlagKind::kValue, "RULE",
             "auto (may be moved aside while it sits idle), never", Offer::kWords, "auto never"},
        "preempt", write_word),
    as_field(Flag{"--name", 0, FlagKind::kValue, "NAME", "for people"}, "name", write_text),
    as_field(Flag{"--project", 0, FlagKind::kValue, "NAME", "for reports"}, "project", write_text),
    as_field(Flag{"--group", 0, FlagKind::kValue, "NAME",
                  "a named group with a limit on how many run at once", Offer::kGroups},
             "group", write_text),
};
constexpr std::array<FlagSection, 4> kLeaseSections = {
    FlagSection{"What it needs", kNeedsFlags}, FlagSection{"How it is held", kHoldFlags},
    FlagSection{"Trying out", kDryRunFlags}, FlagSection{"General", kCommonFlags}};

constexpr int kAskEveryMs = 1000;
constexpr int kExitGivenUp = 130;

Result<std::string> lease_body(const Arguments& arguments, std::optional<int> pid) {
  FlagBody body({arguments});
  body.add(kLeaseSections);
  if (pid) body.json().field("pid", *pid);
  return body.object();
}

volatile std::sig_atomic_t given_up = 0;
void give_up(int) { given_up = 1; }

// Until it is granted or has ended. The lease belongs to another process than this one, so that
// leaving here must give it up.
Result<LeaseView> wait_for_grant(const Client& client, LeaseView lease, std::string& body) {
  std::string told;
  while (lease.state == "queued" || lease.state == "held") {
    if (given_up != 0) {
      (void)client.call({.method = "DELETE", .target = fmt::format("/v1/leases/{}", lease.id)});
      return failure(ErrorCode::kConflict, "given up");
    }
    if (lease.reason != told) {
      told = lease.reason;
      note(fmt::format("lease {} waits: {}", lease.id, told));
    }
    auto answer = client.call_patiently(
        {.target = fmt::format("/v1/leases/{}?wait_ms={}", lease.id, kAskEveryMs)});
    if (!answer) return failure(answer.error());
    body = std::move(*answer);
    auto next = parse_lease_view(body);
    if (!next) return next;
    lease = std::move(*next);
  }
  return lease;
}

int become(const Client& client, const LeaseView& lease, const std::vector<std::string>& command) {
  for (const auto& [name, value] : lease.environment) {
    std::string text = value;
    // The simulated driver stands before the real one; what else is there stays.
    if (const char* before = std::getenv(name.c_str()); name == "LD_LIBRARY_PATH" && before) {
      text += std::string(":") + before;
    }
    ::setenv(name.c_str(), text.c_str(), 1);
  }
  LeaseWatch watch = watch_lease(client, lease.id, command[0]);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  const int why = errno;
  watch.call_off();
  (void)client.call({.method = "DELETE", .target = fmt::format("/v1/leases/{}", lease.id)});
  return fail({ErrorCode::kNotFound, fmt::format("run {}: {}", command[0], std::strerror(why))});
}

int print_grant(const LeaseView& lease) {
  std::string lines;
  for (const auto& [name, value] : lease.environment) {
    lines += fmt::format("export {}={}\n", name, shell_quoted(value));
  }
  if (auto printed = print(lines); !printed) return fail(printed.error());
  std::string cards;
  for (const wire::CardRef& card : lease.gpus) {
    cards += (cards.empty() ? "" : ", ") + std::to_string(card.number);
  }
  note(fmt::format("lease {}: {}", lease.id, cards.empty() ? "on CPUs" : "card " + cards));
  return kExitOk;
}

int ask_for_lease(const Arguments& arguments, const std::vector<std::string>& command) {
  std::optional<int> pid;
  if (const FlagValue* given = arguments.find("--pid")) {
    auto number = parse_whole(given->text, 1, 1 << 22);
    if (!number) return fail(bad_value(*given, number.error().message).value());
    if (!command.empty()) {
      return fail({ErrorCode::kInvalid, "with a command the command holds it; leave --pid out"});
    }
    pid = *number;
  } else if (command.empty()) {
    pid = ::getppid();
  }
  auto body = lease_body(arguments, pid);
  if (!body) return fail(body.error());
  const Client client = client_of(arguments);
  const bool dry_run = arguments.has("--dry-run");
  const bool json = arguments.has("--json");
  auto answer = client.call({.method = "POST",
                             .target = dry_run ? "/v1/leases?dry_run=1" : "/v1/leases?wait_ms=300",
                             .body = *body,
                             .makes = true});
  if (!answer) return fail(answer.error());
  if (dry_run) {
    if (json) return print(*answer + "\n") ? kExitOk : 74;
    note("would ask for this lease; nothing was changed");
    return kExitOk;
  }
  auto lease = parse_lease_view(*answer);
  if (!lease) return fail(lease.error());
  if (command.empty()) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, give_up);
  }
  lease = wait_for_grant(client, std::move(*lease), *answer);
  if (!lease && given_up != 0) return kExitGivenUp;
  if (!lease) return fail(lease.error());
  if (lease->state != "running") {
    note(fmt::format("lease {} was not granted: {}", lease->id,
                     lease->message.empty() ? lease->state : lease->message));
    return kExitTryLater;
  }
  if (!command.empty()) return become(client, *lease, command);
  if (json) return print(*answer + "\n") ? kExitOk : 74;
  return print_grant(*lease);
}

int release_leases(const Arguments& arguments, const std::vector<std::string>& ids) {
  if (ids.empty()) return fail({ErrorCode::kInvalid, "say which: gpusched lease release 7"});
  const Client client = client_of(arguments);
  const bool dry_run = arguments.has("--dry-run");
  for (const std::string& id : ids) {
    const Request request{
        .method = "DELETE",
        .target = fmt::format("/v1/leases/{}{}", percent_encoded(id), dry_run_query(arguments))};
    if (arguments.has("--json")) {
      if (const int code = pass_through(client, request); code != kExitOk) return code;
      continue;
    }
    auto answer = client.call(request);
    if (!answer) return fail(answer.error());
    note(fmt::format("{}lease {} released", dry_run ? "would do this: " : "", id));
  }
  return kExitOk;
}

int renew_leases(const Arguments& arguments, const std::vector<std::string>& ids) {
  const FlagValue* ttl = arguments.find("--ttl");
  if (ids.empty() || ttl == nullptr) {
    return fail({ErrorCode::kInvalid, "say which and how long: gpusched lease renew 7 --ttl 2h"});
  }
  auto seconds = parse_duration(ttl->text);
  if (!seconds) return fail(bad_value(*ttl, seconds.error().message).value());
  const Client client = client_of(arguments);
  const bool dry_run = arguments.has("--dry-run");
  for (const std::string& id : ids) {
    const Request request{.method = "POST",
                          .target = fmt::format("/v1/leases/{}/renew{}", percent_encoded(id),
                                                dry_run_query(arguments)),
                          .body = fmt::format("{{\"ttl_s\":{}}}", seconds->count())};
    if (arguments.has("--json")) {
      if (const int code = pass_through(client, request); code != kExitOk) return code;
      continue;
    }
    auto answer = client.call(request);
    if (!answer) return fail(answer.error());
    note(fmt::format("{}lease {} lives {} from now", dry_run ? "would do this: " : "", id,
                     format_duration(*seconds)));
  }
  return kExitOk;
}

// Until each is on its cards again.
int resume_leases(const Arguments& arguments, const std::vector<std::string>& ids) {
  if (ids.empty()) return fail({ErrorCode::kInvalid, "say which: gpusched lease resume 7"});
  const Client client = client_of(arguments);
  const bool dry_run = arguments.has("--dry-run");
  for (const std::string& id : ids) {
    const std::string how = dry_run ? "?dry_run=1" : fmt::format("?wait_ms={}", kAskEveryMs);
    const Request request{
        .method = "POST",
        .target = fmt::format("/v1/leases/{}/resume{}", percent_encoded(id), how)};
    std::string state;
    while (true) {
      auto answer = client.call_patiently(request);
      if (!answer) return fail(answer.error());
      auto lease = parse_lease_view(*answer);
      if (!lease) return fail(lease.error());
      state = lease->state;
      const bool away = state == "pausing" || state == "paused" || state == "resuming";
      if (away) continue;
      if (arguments.has("--json") && !print(*answer + "\n")) return 74;
      break;
    }
    if (dry_run) {
      note(fmt::format("would do this: ask for the return of lease {}", id));
    } else {
      note(fmt::format("lease {} is {}", id, state == "running" ? "on its cards" : state));
    }
  }
  return kExitOk;
}

int list_leases(const Arguments& arguments) {
  const Client client = client_of(arguments);
  const Request request{.target = "/v1/leases"};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    auto leases = parse_lease_views(body);
    if (!leases) return failure(leases.error());
    std::string lines;
    for (const LeaseView& lease : *leases) {
      std::string cards;
      for (const wire::CardRef& card : lease.gpus) {
        cards += (cards.empty() ? "" : ",") + std::to_string(card.number);
      }
      lines += fmt::format("{} {} {} {} {}\n", lease.id, lease.state, cards.empty() ? "-" : cards,
                           lease.user,
                           lease.holder == "process" ? fmt::format("process {}", lease.pid)
                                                     : std::string("connection"));
    }
    return lines;
  });
}

int run_lease(const Arguments& arguments) {
  if (arguments.after_dashes) {
    if (arguments.operands.empty()) {
      return fail({ErrorCode::kInvalid, "there is no command after --"});
    }
    return ask_for_lease(arguments, arguments.operands);
  }
  if (arguments.operands.empty()) return ask_for_lease(arguments, {});
  const std::string& word = arguments.operands.front();
  const std::vector<std::string> ids(arguments.operands.begin() + 1, arguments.operands.end());
  if (word == "release") return release_leases(arguments, ids);
  if (word == "renew") return renew_leases(arguments, ids);
  if (word == "resume") return resume_leases(arguments, ids);
  if (word == "list") return list_leases(arguments);
  return fail(
      {ErrorCode::kInvalid,
       fmt::format(
           "'{}' is neither release, renew, resume nor list; a command follows --: gpusched "
           "lease -- {}",
           word, word)});
}

// A shell of this machine cannot hold cards of another.
std::string_view not_there(const Arguments& arguments) {
  const bool prints = arguments.operands.empty() && !arguments.after_dashes;
  if (!prints || arguments.has("--pid") || arguments.has("--dry-run")) return {};
  return "this shell cannot hold cards of another machine; give a command to run there: gpusched "
         "lease --server NAME -- COMMAND";
}

// To hold one; what has been granted can be looked at, renewed and given back from anywhere.
bool needs_machine(const Arguments& arguments) {
  return arguments.operands.empty() || arguments.after_dashes;
}

}  // namespace

constinit const Verb kLeaseVerb = {
    .name = "lease",
    .summary = "hold cards for a process of one's own",
    .usage = "lease [FLAGS] [-- COMMAND] | lease release|renew|resume ID… | lease list",
    .about =
        "Waits until the cards are granted. Without a command it prints what a shell needs to use\n"
        "them, and the shell that called holds them until it ends, releases them or their time to\n"
        "live is over. With a command it becomes that command, and its end is the lease's; if the\n"
        "lease ends first (cancel, --ttl), the command is ended (143). One that sits "
        "idle\n"
        "may be moved aside for others; resume waits until it is on its cards again.",
    .examples =
        "eval \"$(gpusched lease --gpus 1 --ttl 2h)\"   this shell has a card now\n"
        "gpusched lease release $GPUSCHED_LEASE_ID      and gives it back\n"
        "gpusched lease --vram 8G -- jupyter lab        a card for as long as it runs\n"
        "gpusched lease renew 7 --ttl 2h                two hours from now",
    .sections = kLeaseSections,
    .operands = Operands::kWords,
    .words = "release renew resume list",
    .run = run_lease,
    .not_there = not_there,
    .needs_machine = needs_machine,
    .whole_there = true,
};

}  // namespace gpusched::cli
