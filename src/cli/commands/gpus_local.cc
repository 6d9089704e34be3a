#include "cli/commands/gpus_local.h"

#include "cli/local_look.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace gpusched::cli {

int run_gpus_local(const Arguments& arguments) {
  auto look = look_here(kPatientLook);
  if (!look) return fail(look.error());
  for (const std::string& sentence : look->complaints) note(sentence);
  auto done =
      print(arguments.has("--json") ? look_json(*look) : look_text(*look, stdout_page().width));
  if (!done) return fail(done.error());
  // A machine without cards is no error; one whose driver is broken is.
  return look->cards.empty() && driver_in_trouble(*look) ? exit_code_of(ErrorCode::kUnavailable)
                                                         : kExitOk;
}

}  // namespace gpusched::cli
