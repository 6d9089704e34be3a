// Job files from anywhere: no text may crash the YAML reader or keep it busy for ever.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/submit/job_file.h"
#include "cli/submit/submission.h"
#include "cli/submit/submit_flags.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched::cli;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto arguments = parse_job_file(text, "job.yaml", kSubmitSections);
  if (!arguments) return 0;
  if (const auto read = read_submission(*arguments, Surroundings{}, {"a"})) {
    (void)check_submission(*read);
  }
  return 0;
}
