#include "cli/commands/gpus_local.h"
#include "cli/commands/verbs.h"
#include "cli/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

constexpr std::array kFlags = {
    Flag{"--local", 0, FlagKind::kSwitch, "",
         "what the drivers of this machine say; needs no daemon"},
};
constexpr std::array<FlagSection, 2> kSections = {FlagSection{"What", kFlags},
                                                  FlagSection{"General", kCommonFlags}};

int run_gpus(const Arguments& arguments) {
  if (arguments.has("--local")) return run_gpus_local(arguments);
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
    .summary = "cards and what is held on them",
    .usage = "gpus [FLAGS]",
    .examples =
        "gpusched gpus\n"
        "gpusched gpus --local\n"
        "gpusched gpus --json",
    .sections = kSections,
    .run = run_gpus,
};

}  // namespace gpusched::cli
