// Any bytes are a Cookie header; what is found in it is a part of it that a header can carry.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/cookie.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  for (const std::string_view name : {kSecureCookie, kPlainCookie}) {
    const auto value = cookie_in(header, name);
    if (!value) continue;
    CHECK(!value->empty() && value->size() + name.size() < header.size());
    CHECK(value->data() > header.data() && value->data() + value->size() <= header.data() + size);
    CHECK(value->find_first_of("; \r\n\t\",\\") == std::string_view::npos);
    CHECK(set_cookie(true, *value, 1).find('\n') == std::string::npos);
  }
  return 0;
}
