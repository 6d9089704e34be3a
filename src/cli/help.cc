#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/display.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kFlagColumn = 30;

std::string flag_head(const Flag& flag) {
  std::string head = flag.letter != 0 ? fmt::format("  -{}, ", flag.letter) : "      ";
  head += flag.name;
  if (flag.kind == FlagKind::kValue) head += fmt::format(" {}", flag.value);
  if (flag.kind == FlagKind::kOptionalValue) head += fmt::format("[={}]", flag.value);
  return head;
}

}  // namespace

std::string general_help() {
  std::string out =
      "gpusched decides when and where GPU work runs on this machine.\n\n"
      "usage: gpusched [VERB] [FLAGS]\n\n"
      "Without a verb: what runs, what waits and why.\n\n";
  for (const Verb* verb : all_verbs()) {
    if (verb->hidden) continue;
    out += fmt::format("  {:<12}{}\n", verb->name, verb->summary);
  }
  out +=
      "\nJobs are named by id: 7, 7-12, 7,9, last (the newest), @~2 (the third newest), --all,\n"
      "and filters such as --state failed. Every verb takes --json; every verb that changes\n"
      "something takes --dry-run. 'gpusched VERB --help' says more.\n"
      "\nThe daemon of another machine: --server ssh://HOST, --server https://HOST, or a name "
      "from\n"
      "~/.config/gpusched/servers.yaml; without the flag GPUSCHED_SERVER says it. Over https\n"
      "GPUSCHED_TOKEN says who you are; 'gpusched token create' makes one.\n";
  return out;
}

std::string verb_help(const Verb& verb, std::size_t width) {
  const std::size_t columns = width == 0 ? 100 : std::max<std::size_t>(width, 50);
  std::string out =
      fmt::format("gpusched {}: {}\n\nusage: gpusched {}\n", verb.name, verb.summary, verb.usage);
  if (!verb.alias.empty()) out += fmt::format("also:  gpusched {}\n", verb.alias);
  if (!verb.about.empty()) out += fmt::format("\n{}\n", verb.about);
  for (const FlagSection& section : verb.sections) {
    out += fmt::format("\n{}:\n", section.title);
    for (const Flag& flag : section.flags) {
      std::string head = flag_head(flag);
      const std::size_t used = display_width(head);
      if (used + 2 > kFlagColumn) {
        head += "\n" + std::string(kFlagColumn, ' ');
      } else {
        head.append(kFlagColumn - used, ' ');
      }
      out += head + wrapped(flag.help, columns, kFlagColumn) + "\n";
    }
  }
  if (!verb.examples.empty()) {
    out += "\nExamples:\n";
    std::string_view rest = verb.examples;
    while (true) {
      const std::size_t end = rest.find('\n');
      out += fmt::format("  {}\n", rest.substr(0, end));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
  }
  return out;
}

}  // namespace gpusched::cli
