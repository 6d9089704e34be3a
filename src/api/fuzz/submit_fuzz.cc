// Any bytes are a submission or an error; what was accepted is written and read back as itself.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "wire/spec.h"
#include "wire/submit.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const SubmitLimits limits{.tasks_most = 1000};
  for (const bool lines : {false, true}) {
    const Result<SubmitBody> body =
        lines ? parse_submit_lines(text, limits) : parse_submit(text, limits);
    if (!body) {
      CHECK(!body.error().message.empty());
      continue;
    }
    CHECK(!body->tasks.empty() && body->tasks.size() <= limits.tasks_most);
    const std::string written = spec_to_json(body->spec);
    const Result<JobSpec> again = spec_from_json(written);
    CHECK(again.has_value());
    CHECK(again->argv == body->spec.argv);
    CHECK(spec_to_json(*again) == written);
  }
  (void)parse_patch(text);
  return 0;
}
