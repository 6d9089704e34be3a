// Any bytes are a header with a token, or are not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/token_secret.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  const auto token = bearer_of(header);
  if (!token) return 0;
  CHECK(!token->empty() && token->size() < header.size());
  if (const auto id = id_of_token(*token)) CHECK(token->find(*id) == 5);
  const std::string hash = hash_of_token(*token);
  CHECK(same_hash(hash, hash_of_token(*token)));
  return 0;
}
