// Any bytes are the body of each route that takes one, or an error with a sentence. Submissions and
// patches have a fuzzer of their own (submit_fuzz.cc).
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "wire/adopt.h"
#include "wire/lease.h"
#include "wire/message_json.h"
#include "wire/messages/card.h"
#include "wire/messages/jobs.h"
#include "wire/messages/machine.h"
#include "wire/messages/token.h"
#include "wire/tenant.h"

namespace gpusched {
namespace {

template <class T>
void is_body_or_error(const Result<T>& read) {
  CHECK(read.has_value() || !read.error().message.empty());
}

// Each message that a route takes as its body.
template <class... Requests>
void read_as_each(std::string_view text) {
  (is_body_or_error(wire::read_request<Requests>(text)), ...);
}

}  // namespace
}  // namespace gpusched

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_as_each<wire::CancelRequest, wire::DrainRequest, wire::EmptyRequest, wire::GroupRequest,
               wire::LogLevelRequest, wire::ReserveRequest, wire::TokenRequest>(text);
  is_body_or_error(parse_adopt(text, Seconds{10}));
  is_body_or_error(parse_leases(text));
  is_body_or_error(parse_renewal(text));
  // What was accepted is written and read back as itself.
  const Result<TenantRule> rule = tenant_rule_from_json(text);
  is_body_or_error(rule);
  if (!rule) return 0;
  const std::string written = tenant_rule_to_json(*rule);
  const Result<TenantRule> again = tenant_rule_from_json(written);
  CHECK(again.has_value() && tenant_rule_to_json(*again) == written);
  return 0;
}
