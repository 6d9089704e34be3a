// Scripts from anywhere: no text may crash the reader of #GPUSCHED lines or of the flags in them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/submit/directives.h"
#include "cli/submit/submission.h"
#include "cli/submit/submit_flags.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched::cli;
  const std::string_view script(reinterpret_cast<const char*>(data), size);
  (void)interpreter_of(script);
  const auto lines = parse_directives(script);
  if (!lines) return 0;
  for (const DirectiveLine& line : *lines) {
    auto arguments =
        parse_arguments("#GPUSCHED", kSubmitSections, Operands::kNone, line.words, "script:1");
    if (!arguments) continue;
    arguments->command = {"true", "{line}"};
    const auto submission = read_submission(*arguments, Surroundings{}, {"a"});
    if (submission) (void)check_submission(*submission);
    if (submission && tasks_of(*submission)) (void)write_body(*submission, {});
  }
  return 0;
}
