#include "cli/jobs/change_jobs.h"

#include <fmt/format.h>

#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kLinesMost = 20;

int tell(const Change& change, const ChangedView& view, bool dry_run) {
  if (!view.changed.empty()) {
    note(fmt::format("{}{} {}: {}", dry_run ? "would be " : "", change.past,
                     counted(view.changed.size(), "job", "jobs"), selector_of(view.changed)));
  }
  std::size_t lines = 0;
  for (const auto& [id, why] : view.unchanged) {
    if (++lines > kLinesMost) {
      note(fmt::format("and {} more that stay as they are", view.unchanged.size() - kLinesMost));
      break;
    }
    note(fmt::format("job {} stays as it is: {}", id, why));
  }
  if (view.changed.empty() && view.unchanged.empty()) note("no job matches; nothing was changed");
  const bool refused = view.changed.empty() && !view.unchanged.empty() && !change.unchanged_is_fine;
  return refused ? exit_code_of(ErrorCode::kConflict) : kExitOk;
}

}  // namespace

int change_jobs(const Arguments& arguments, const Change& change) {
  auto selection = selection_of(arguments);
  if (!selection) return fail(selection.error());
  if (selection->jobs.empty()) {
    return fail({ErrorCode::kInvalid,
                 fmt::format("say which jobs: gpusched {} 7, 7-12, last, or --all", change.verb)});
  }
  const bool dry_run = arguments.has("--dry-run");
  const Client client = client_of(arguments);
  const Request request{.method = change.method,
                        .target = jobs_target(*selection, change.action, dry_run),
                        .body = change.body.empty() ? "{}" : change.body,
                        .makes = change.makes && !dry_run};
  if (arguments.has("--json")) return pass_through(client, request);
  auto body = client.call(request);
  if (!body) return fail(body.error());
  auto changed = parse_changed(*body);
  return changed ? tell(change, *changed, dry_run) : fail(changed.error());
}

}  // namespace gpusched::cli
