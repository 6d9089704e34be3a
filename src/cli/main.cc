// gpusched: the command line. Finds the verb, reads its flags by its table, calls it.
// --version and help are answered before anything is built or opened.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/elsewhere.h"
#include "cli/help.h"
#include "cli/other_tools.h"
#include "cli/servers.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

int say(std::string_view text) {
  auto done = print(text);
  return done ? kExitOk : fail(done.error());
}

int unknown_verb(std::string_view word) {
  if (const std::string_view here = verb_here(word); !here.empty()) {
    return fail({ErrorCode::kInvalid,
                 fmt::format("there is no verb '{}'; here it is: gpusched {}", word, here)});
  }
  std::vector<std::string_view> names;
  for (const Verb* verb : all_verbs()) {
    if (!verb->hidden) names.push_back(verb->name);
  }
  const std::string near = nearest_word(word, names.data(), names.size());
  return fail(
      {ErrorCode::kInvalid, fmt::format("there is no verb '{}'{}", word,
                                        near.empty() ? "; 'gpusched --help' lists them"
                                                     : fmt::format("; did you mean {}?", near))});
}

bool asks_for_help(std::span<const std::string> words, Operands operands) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
    // What follows belongs to the command.
    if (operands == Operands::kCommand && !word.starts_with("-")) return false;
  }
  return false;
}

int help_on(std::span<const std::string> words) {
  if (words.empty()) return say(general_help());
  const Verb* verb = find_verb(words[0]);
  return verb == nullptr ? unknown_verb(words[0]) : say(verb_help(*verb, stdout_page().width));
}

int run_verb(const Verb& verb, std::span<const std::string> words) {
  if (&verb == &kServeVerb) {  // Its flags are gpuschedd's.
    if (asks_for_help(words, verb.operands)) return say(verb_help(verb, stdout_page().width));
    Arguments all;
    all.command.assign(words.begin(), words.end());
    return verb.run(all);
  }
  auto arguments = parse_arguments(verb.name, verb.sections, verb.operands, words);
  if (!arguments) {
    // --help counts even beside a mistake: that is when it is needed.
    if (asks_for_help(words, verb.operands)) return say(verb_help(verb, stdout_page().width));
    return fail(arguments.error());
  }
  if (arguments->has("--help")) return say(verb_help(verb, stdout_page().width));
  if (verb.whole_there) {
    const auto server = server_of(*arguments);
    if (!server) return fail(server.error());
    const bool needs =
        !verb.over_network && (verb.needs_machine == nullptr || verb.needs_machine(*arguments));
    if (server->on_network() && needs) return fail(not_over_the_network(*server, verb.name));
    if (server->elsewhere()) {
      const std::string_view why =
          verb.not_there == nullptr ? std::string_view() : verb.not_there(*arguments);
      if (!why.empty()) return fail({ErrorCode::kInvalid, std::string(why)});
      const auto code = run_there(*server, verb.name, words, arguments->command.size());
      return code ? *code : fail(code.error());
    }
  }
  return verb.run(*arguments);
}

// `gpusched --server box status` is `gpusched status --server box`: people write it both ways.
void put_verb_first(std::vector<std::string>& words) {
  const std::size_t flags = leading_flags(words);
  if (flags == 0 || flags >= words.size()) return;
  std::rotate(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(flags),
              words.begin() + static_cast<std::ptrdiff_t>(flags) + 1);
}

int run(std::vector<std::string> words) {
  if (words.empty()) return run_overview({});
  put_verb_first(words);
  const std::string& first = words[0];
  if (first == "--version" || first == "-V") return say("gpusched " GPUSCHED_VERSION "\n");
  if (first == "--help" || first == "-h") return say(general_help());
  const std::span<const std::string> rest = std::span<const std::string>(words).subspan(1);
  if (first == "help") return help_on(rest);
  if (first.starts_with("-")) {
    auto arguments = parse_arguments("gpusched", kPlainSections, Operands::kNone, words);
    return arguments ? run_overview(*arguments) : fail(arguments.error());
  }
  const Verb* verb = find_verb(first);
  return verb == nullptr ? unknown_verb(first) : run_verb(*verb, rest);
}

}  // namespace
}  // namespace gpusched::cli

int main(int argc, char** argv) {
  return gpusched::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
