#include "cli/commands/verbs.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace gpusched::cli {

int run_overview(const Arguments& arguments) {
  const Client client = client_of(arguments);
  // For programs every job is a row, as ever.
  if (arguments.has("--json")) return pass_through(client, {.target = "/v1/overview?waiting=20"});
  const Request request{.target = "/v1/overview?waiting=20&sweeps=1"};
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    auto view = parse_overview(body);
    if (!view) return failure(view.error());
    if (view->running.empty() && view->waiting.empty() && view->sweeps.empty()) {
      note(
          "nothing runs and nothing waits; submit something: gpusched submit --gpus 0 -- hostname");
    }
    return render_overview(*view, stdout_page());
  });
}

}  // namespace gpusched::cli
