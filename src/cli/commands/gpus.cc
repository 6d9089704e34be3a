#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands/gpus_local.h"
#include "cli/commands/verbs.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "cli/views/history_view.h"

namespace gpusched::cli {
namespace {

constexpr std::array kGpusFlags = {
    Flag{"--history", 0, FlagKind::kValue, "TIME", "what the cards did in the last 1h, 7d …"},
    Flag{"--local", 0, FlagKind::kSwitch, "",
         "what the drivers of this machine say; needs no daemon"},
};
constexpr std::array<FlagSection, 2> kGpusSections = {FlagSection{"What", kGpusFlags},
                                                      FlagSection{"General", kCommonFlags}};

// Where nothing runs there is a reading every ten seconds: finer columns would have holes.
constexpr Seconds kColumnLeast{10};

int run_history(const Arguments& arguments, const FlagValue& flag) {
  const auto range = parse_duration(flag.text);
  if (!range) return fail(bad_value(flag, range.error().message).value());
  if (*range < kColumnLeast) return fail(bad_value(flag, "at least 10s").value());
  const Client client = client_of(arguments);
  const std::string target = fmt::format("/v1/gpus/history?range={}", range->count());
  if (arguments.has("--json")) return pass_through(client, {.target = target});
  const Page page = stdout_page();
  const auto columns = std::min<std::int64_t>(static_cast<std::int64_t>(history_columns(page)),
                                              *range / kColumnLeast);
  const Request request{.target = fmt::format("{}&points={}", target, columns)};
  return call_and_print(client, request, [&](const std::string& body) -> Result<std::string> {
    auto view = parse_history(body);
    if (!view) return failure(view.error());
    return render_history(*view, page);
  });
}

int run_gpus(const Arguments& arguments) {
  if (arguments.has("--local")) return run_gpus_local(arguments);
  if (const FlagValue* history = arguments.find("--history"); history != nullptr) {
    return run_history(arguments, *history);
  }
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
        "gpusched gpus --history 1h\n"
        "gpusched gpus --local\n"
        "gpusched gpus --json",
    .sections = kGpusSections,
    .run = run_gpus,
};

}  // namespace gpusched::cli
