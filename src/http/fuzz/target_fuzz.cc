// Any bytes are the target of a request, or an error; what was taken apart can be put together.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "http/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<HttpTarget> target = parse_target(text);
  if (!target) {
    CHECK(!target.error().message.empty());
    return 0;
  }
  // A slash at the end means nothing, so that an empty last part cannot be written.
  if (target->segments.empty() || target->segments.back().empty()) return 0;
  const Result<HttpTarget> again = parse_target(target_text(*target));
  CHECK(again.has_value());
  CHECK(again->segments == target->segments && again->query == target->query);
  return 0;
}
