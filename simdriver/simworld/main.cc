// gpusched-simworld: makes a simulated world, shows it, and changes it while it is used.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/result.h"
#include "simdriver/places.h"
#include "simdriver/simworld/settings.h"
#include "simdriver/simworld/show.h"
#include "simdriver/world_changes.h"
#include "simdriver/world_create.h"

namespace gpusched::simdriver {
namespace {

using Words = std::vector<std::string>;

std::string help() {
  return "Usage:\n"
         "  gpusched-simworld create FILE SCENARIO       name, file or words such as 2x24G\n"
         "  gpusched-simworld show FILE [--json]\n"
         "  gpusched-simworld set FILE [card=N|all] KEY=VALUE…\n"
         "  gpusched-simworld add-process FILE card=N vram=SIZE [util=PERCENT] [name=TEXT]\n"
         "                    [user=TEXT] [kind=compute|graphics|mps] [pid=N]\n"
         "  gpusched-simworld remove-process FILE PID\n"
         "Keys of set:\n" +
         settings_help();
}

Result<std::string> create(const Words& words) {
  const auto scenario = find_scenario(words[1], scenario_directory());
  if (!scenario) return failure(scenario.error());
  const auto world = create_world(words[0], *scenario);
  if (!world) return failure(world.error());
  return std::string();
}

Result<std::string> show(const World& world, const Words& words) {
  if (words.empty()) return show_world(world);
  if (words.size() == 1 && words[0] == "--json") return world_json(world);
  return failure(ErrorCode::kInvalid, "show: expected nothing or --json behind the file");
}

Result<std::string> add_process(const World& world, const Words& words) {
  const auto process = parse_process(words);
  if (!process) return failure(process.error());
  const ChangeLock lock(world);
  const auto pid = add_foreign(world, *process);
  if (!pid) return failure(pid.error());
  return fmt::format("{}\n", *pid);
}

Result<std::string> remove_process(const World& world, const Words& words) {
  int pid = 0;
  if (words.size() != 1 || std::sscanf(words[0].c_str(), "%d", &pid) != 1) {
    return failure(ErrorCode::kInvalid, "remove-process: expected a pid");
  }
  const ChangeLock lock(world);
  if (auto removed = remove_foreign(world, pid); !removed) return failure(removed.error());
  return std::string();
}

Result<std::string> run(const std::string& verb, const Words& words) {
  if (verb == "create" && words.size() == 2) return create(words);
  if (verb == "create" || words.empty()) {
    return failure(ErrorCode::kInvalid, "see gpusched-simworld --help");
  }
  const auto world = World::open(words[0]);
  if (!world) return failure(world.error());
  const Words rest(words.begin() + 1, words.end());
  if (verb == "show") return show(*world, rest);
  if (verb == "add-process") return add_process(*world, rest);
  if (verb == "remove-process") return remove_process(*world, rest);
  if (verb == "set") {
    if (auto applied = apply_settings(*world, rest); !applied) return failure(applied.error());
    return std::string();
  }
  return failure(ErrorCode::kInvalid, fmt::format("there is no verb '{}'; see --help", verb));
}

}  // namespace
}  // namespace gpusched::simdriver

int main(int count, char** arguments) {
  using namespace gpusched;
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    std::fputs(simdriver::help().c_str(), stdout);
    return words.empty() ? exit_code_of(ErrorCode::kInvalid) : 0;
  }
  const auto said = simdriver::run(words[0], {words.begin() + 1, words.end()});
  if (!said) {
    std::fprintf(stderr, "gpusched-simworld: %s\n", said.error().message.c_str());
    return exit_code_of(said.error().code);
  }
  std::fputs(said->c_str(), stdout);
  return 0;
}
