#include <fmt/format.h>

#include "cli/commands/verbs.h"
#include "cli/flag_values.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

constexpr std::array kGroupFlags = {
    Flag{"--limit", 0, FlagKind::kValue, "N", "how many of the group may run at once; 0: no limit"},
    Flag{"--resume", 0, FlagKind::kSwitch, "",
         "with remove: also a paused group; its waiting jobs may start then"},
};
constexpr std::array<FlagSection, 3> kGroupSections = {FlagSection{"What", kGroupFlags},
                                                       FlagSection{"Trying out", kDryRunFlags},
                                                       FlagSection{"General", kCommonFlags}};

int usage(const std::string& why) { return fail({ErrorCode::kInvalid, why}); }

int list_groups(const Client& client, bool json) {
  const Request request{.target = "/v1/groups"};
  if (json) return pass_through(client, request);
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    auto groups = parse_groups(body);
    if (!groups) return failure(groups.error());
    if (groups->empty()) {
      note("there are no groups; make one: gpusched group set night 4");
      return std::string();
    }
    return render_groups(*groups, stdout_page());
  });
}

// In words; the daemon says which group it is: users have their own.
int change_group(const Arguments& arguments, std::string body) {
  const Request request{
      .method = "PUT",
      .target = "/v1/groups/" + percent_encoded(arguments.operands[1]) + dry_run_query(arguments),
      .body = std::move(body)};
  const Client client = client_of(arguments);
  if (arguments.has("--json")) return pass_through(client, request);
  auto answer = client.call(request);
  if (!answer) return fail(answer.error());
  auto groups = parse_groups(*answer);
  if (!groups) return fail(groups.error());
  for (const GroupView& group : *groups) {
    const std::string limit =
        group.limit == 0
            ? fmt::format("group {} has no limit now", group.name)
            : fmt::format("at most {} of group {} run at once now", group.limit, group.name);
    note((arguments.has("--dry-run") ? "would do this: " : "") +
         (group.paused ? fmt::format("group {} is paused: nothing of it starts", group.name)
                       : limit));
  }
  return kExitOk;
}

int set_group(const Arguments& arguments) {
  const auto& words = arguments.operands;
  const bool flag = arguments.has("--limit");
  if (words.size() != (flag ? 2U : 3U)) {
    return usage("write the group and its limit: gpusched group set night 4");
  }
  const std::string text = flag ? arguments.text("--limit") : words[2];
  auto limit = parse_whole(text, 0, 1'000'000);
  if (!limit) return usage("the limit: " + limit.error().message);
  return change_group(arguments, fmt::format("{{\"limit\":{}}}", *limit));
}

int pause_group(const Arguments& arguments, bool paused) {
  const auto& words = arguments.operands;
  if (words.size() != 2) {
    return usage(fmt::format("write the group: gpusched group {} night", words[0]));
  }
  return change_group(arguments, paused ? R"({"paused":true})" : R"({"paused":false})");
}

int remove_group(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() != 2) return usage("write the group to remove: gpusched group remove night");
  std::string target = "/v1/groups/" + percent_encoded(words[1]) + dry_run_query(arguments);
  if (arguments.has("--resume")) target = with_parameter(target, "resume=1");
  const Request request{.method = "DELETE", .target = std::move(target)};
  const Client client = client_of(arguments);
  if (arguments.has("--json")) return pass_through(client, request);
  auto answer = client.call(request);
  if (!answer) return fail(answer.error());
  const std::uint64_t waiting = parse_group_removed(*answer);
  note(fmt::format("{}group {} is removed{}", arguments.has("--dry-run") ? "would do this: " : "",
                   words[1],
                   waiting == 0 ? ""
                                : fmt::format("; nothing limits its {} now",
                                              counted(waiting, "waiting job", "waiting jobs"))));
  return kExitOk;
}

int run_group(const Arguments& arguments) {
  const auto& words = arguments.operands;
  const bool removes = !words.empty() && (words[0] == "remove" || words[0] == "rm");
  if (arguments.has("--resume") && !removes) return usage("--resume belongs to group remove");
  if (removes) return remove_group(arguments);
  if (words.empty() || words[0] == "list" || words[0] == "ls") {
    if (words.size() > 1) return usage("group list takes no further words");
    return list_groups(client_of(arguments), arguments.has("--json"));
  }
  if (words[0] == "set") return set_group(arguments);
  if (words[0] == "pause") return pause_group(arguments, true);
  if (words[0] == "resume" || words[0] == "start") return pause_group(arguments, false);
  return usage(
      fmt::format("group has no '{}'; it has list, set, pause, resume and remove", words[0]));
}

}  // namespace

constinit const Verb kGroupVerb = {
    .name = "group",
    .summary = "named groups with a limit on how many run at once",
    .usage = "group [list | set NAME LIMIT | pause NAME | resume NAME | remove NAME] [FLAGS]",
    .about =
        "Groups of operators and administrators are for everybody. A user's are for the user's "
        "own\n"
        "jobs and are called USER/NAME; their owner writes NAME. Of a paused group nothing starts; "
        "what\n"
        "runs goes on. A paused group for which jobs wait is removed only with --resume: they may "
        "start\n"
        "then.",
    .examples =
        "gpusched group\n"
        "gpusched group set night 4\n"
        "gpusched submit --group night -- ./train.sh\n"
        "gpusched group pause night",
    .sections = kGroupSections,
    .operands = Operands::kWords,
    .words = "list set pause resume remove",
    .run = run_group,
};

}  // namespace gpusched::cli
