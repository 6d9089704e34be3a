#include "cli/commands/verbs.h"
#include "cli/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

int run_gpus(const Arguments& arguments) {
  const Client client = client_of(arguments);
  const Request request{.target = "/v1/gpus"};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    auto view = parse_gpus(body);
    if (!view) return failure(view.error());
    return render_gpus(*view, stdout_page());
  });
}

}  // namespace

constinit const Verb kGpusVerb = {
    .name = "gpus",
    .summary = "cards, how busy they are, and whose processes are on them",
    .usage = "gpus [FLAGS]",
    .about =
        "A \"-\" is what the driver does not say. Processes without a job were started by "
        "somebody\n"
        "else; one that holds memory without using the card is named.",
    .examples =
        "gpusched gpus\n"
        "gpusched gpus --json",
    .sections = kPlainSections,
    .run = run_gpus,
};

}  // namespace gpusched::cli
