#include <fmt/format.h>

#include "cli/commands/verbs.h"
#include "cli/completion/candidates.h"
#include "cli/completion/scripts.h"
#include "cli/display.h"
#include "cli/servers.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/views/view_reader.h"
#include "cli/views/views.h"
#include "wire/messages/alarm.h"
#include "wire/messages/outbox.h"
#include "wire/messages/token.h"

namespace gpusched::cli {
namespace {

constexpr std::chrono::milliseconds kCompletionPatience{5'000};
constexpr std::string_view kJobsOffered = "/v1/jobs?newest=50";
constexpr std::string_view kOpenOffered = "/v1/jobs?state=active,waiting&newest=50";

int run_completion(const Arguments& arguments) {
  std::string_view script;
  const std::string shell = arguments.operands.size() == 1 ? arguments.operands[0] : "";
  if (shell == "bash") script = kBashScript;
  if (shell == "zsh") script = kZshScript;
  if (shell == "fish") script = kFishScript;
  if (script.empty()) {
    return fail({ErrorCode::kInvalid, "name the shell: gpusched completion bash, zsh or fish"});
  }
  auto done = print(script);
  return done ? kExitOk : fail(done.error());
}

// Completion never complains: without a daemon there are just no live words.
std::vector<Candidate> live_jobs(const Client& client, std::string_view target) {
  std::vector<Candidate> found;
  auto body = client.call({.target = std::string(target)}, kCompletionPatience);
  if (!body) return found;
  auto jobs = parse_jobs(*body);
  if (!jobs) return found;
  for (auto job = jobs->rbegin(); job != jobs->rend(); ++job) {
    found.push_back(
        {std::to_string(job->id),
         fmt::format("{} {}", job->state, job->name.empty() ? job->command : job->name)});
  }
  return found;
}

std::vector<Candidate> live_cards(const Client& client) {
  std::vector<Candidate> found;
  auto body = client.call({.target = "/v1/gpus"}, kCompletionPatience);
  if (!body) return found;
  auto seen = parse_gpus(*body);
  if (!seen) return found;
  for (const auto& card : seen->cards) found.push_back({std::to_string(card.number), card.model});
  return found;
}

std::vector<Candidate> live_groups(const Client& client) {
  std::vector<Candidate> found;
  auto body = client.call({.target = "/v1/groups"}, kCompletionPatience);
  if (!body) return found;
  auto groups = parse_groups(*body);
  if (!groups) return found;
  for (const GroupView& group : *groups) {
    found.push_back({group.name, fmt::format("{} running", group.running)});
  }
  return found;
}

std::vector<Candidate> live_tokens(const Client& client) {
  std::vector<Candidate> found;
  auto body = client.call({.target = "/v1/tokens"});
  if (!body) return found;
  auto tokens = parse_message<wire::Tokens>(*body);
  if (!tokens) return found;
  for (const wire::Token& token : tokens->tokens) {
    found.push_back({token.id, fmt::format("{} {} {}", token.user, token.role, token.name)});
  }
  return found;
}

wire::AlarmList live_alarms(const Client& client) {
  auto body = client.call({.target = "/v1/alarms"}, kCompletionPatience);
  if (!body) return {};
  return parse_message<wire::AlarmList>(*body).value_or(wire::AlarmList{});
}

std::vector<Candidate> live_rules(const Client& client) {
  std::vector<Candidate> found;
  for (const wire::AlarmRule& rule : live_alarms(client).rules) {
    if (rule.enabled) found.push_back({rule.name, rule.watches});
  }
  return found;
}

std::vector<Candidate> live_silences(const Client& client) {
  std::vector<Candidate> found;
  for (const wire::Silence& one : live_alarms(client).silences) {
    found.push_back(
        {std::to_string(one.id),
         fmt::format("{} {} {}", one.rule.empty() ? "all" : one.rule, one.subject, one.reason)});
  }
  return found;
}

// Who may not see the outbox gets none.
std::vector<Candidate> live_receivers(const Client& client) {
  std::vector<Candidate> found;
  auto body = client.call({.target = "/v1/outbox"}, kCompletionPatience);
  if (!body) return found;
  const auto outbox = parse_message<wire::Outbox>(*body);
  if (!outbox) return found;
  for (const wire::OutboxLine& line : outbox->receivers) {
    found.push_back({line.receiver, line.channel});
  }
  return found;
}

// Nobody who presses a key wants to meet a server, be asked for a password, or wait.
Client quiet_client(std::span<const std::string> words) {
  auto server = server_of(daemon_named_in(words));
  if (server) {
    server->only_known = true;
    server->patience = Seconds{0};
  }
  return Client(std::move(server));
}

int run_complete(const Arguments& arguments) {
  std::span<const std::string> words = arguments.command;
  const Client client = quiet_client(words.first(words.empty() ? 0 : words.size() - 1));
  // Those that say which daemon stand before the verb, too.
  if (const std::size_t flags = leading_flags(words); flags < words.size()) {
    words = words.subspan(flags);
  }
  const Completion completion =
      complete(words, {.jobs = [&] { return live_jobs(client, kJobsOffered); },
                       .open_jobs = [&] { return live_jobs(client, kOpenOffered); },
                       .cards = [&] { return live_cards(client); },
                       .groups = [&] { return live_groups(client); },
                       .tokens = [&] { return live_tokens(client); },
                       .rules = [&] { return live_rules(client); },
                       .silences = [&] { return live_silences(client); },
                       .receivers = [&] { return live_receivers(client); }});
  std::string out;
  for (const Candidate& candidate : completion.words) {
    out += fmt::format("{}\t{}\n", escaped(candidate.word), cut(escaped(candidate.about), 60));
  }
  if (completion.files) out += ":files\n";
  auto done = print(out);
  return done ? kExitOk : fail(done.error());
}

}  // namespace

constinit const Verb kCompletionVerb = {
    .name = "completion",
    .summary = "print a completion script for bash, zsh or fish",
    .usage = "completion bash|zsh|fish",
    .examples =
        "source <(gpusched completion bash)\n"
        "gpusched completion fish > ~/.config/fish/completions/gpusched.fish",
    .sections = kPlainSections,
    .operands = Operands::kWords,
    .words = "bash zsh fish",
    .run = run_completion,
};

constinit const Verb kCompleteVerb = {
    .name = "__complete",
    .summary = "what could stand here; for completion scripts",
    .usage = "__complete -- WORDS…",
    .sections = {},
    .operands = Operands::kCommand,
    .run = run_complete,
    .hidden = true,
};

}  // namespace gpusched::cli
