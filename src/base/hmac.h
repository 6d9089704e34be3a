// HMAC-SHA256 (RFC 2104): proves to a receiver who shares a secret that a message is ours.
#pragma once

#include <string>
#include <string_view>

namespace gpusched {

// 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view message);
// The same in lower-case hex.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);

}  // namespace gpusched
