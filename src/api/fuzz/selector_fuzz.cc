// Any bytes are a selector, a list of states and a request target, or errors.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/selector.h"
#include "base/check.h"
#include "core/state/state.h"
#include "http/target.h"
#include "json/json_value.h"
#include "json/json_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Selector> selector = parse_selector(text);
  if (selector) {
    CHECK(!selector->empty());
    const State state;
    const auto found = resolve_selector(state, *selector, JobFilter{}, Principal{.uid = 1000});
    CHECK(!found || found->empty());
  }
  (void)parse_states(text);
  if (const Result<HttpTarget> target = parse_target(text)) {
    (void)parse_filter(target->query, Principal{.uid = 1000}, Wall{});
  }
  // Every string survives its way through JSON.
  std::string json;
  append_json_string(json, text);
  const Result<JsonValue> value = parse_json(json);
  CHECK(value.has_value() && *value->as<std::string>() == text);
  return 0;
}
