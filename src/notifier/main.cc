// gpusched-notifier: the only program that talks to receivers outside. The daemon starts it with
// pipes as stdin (deliveries) and stdout (outcomes), one JSON object per line, and a journal as
// descriptor 3: docs/notifier-protocol.md.
//   gpusched-notifier [--user NAME]    works until stdin ends; root becomes NAME (nobody) first
// Exit codes: 0 done, 64 wrong arguments, 74 the input is broken, 77 rights could not be given up.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "notifier/deliver.h"
#include "notifier/notifier.h"
#include "notifier/rights.h"

namespace gpusched::notifier {
namespace {

constexpr int kExitUsage = 64;
constexpr int kExitRights = 77;

int run(int argc, char** argv) {
  std::string user = "nobody";
  if (argc == 3 && std::string_view(argv[1]) == "--user") {
    user = argv[2];
  } else if (argc != 1) {
    std::fputs("usage: gpusched-notifier [--user NAME]\n", stderr);
    return kExitUsage;
  }
  // What was left open by mistake is none of our business.
  (void)::close_range(kJournalDescriptor + 1, ~0U, 0);
  std::signal(SIGPIPE, SIG_IGN);
  if (const auto done = give_up_rights(user); !done) {
    std::fprintf(stderr, "gpusched-notifier: %s\n", done.error().message.c_str());
    return kExitRights;
  }
  return run_notifier({.journal = Journal::take(kJournalDescriptor), .work = deliver});
}

}  // namespace
}  // namespace gpusched::notifier

// Without exit handlers: nothing is left to say, and a leak checker may not look into a process
// that keeps its memory private.
int main(int argc, char** argv) { ::_exit(gpusched::notifier::run(argc, argv)); }
