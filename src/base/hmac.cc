#include "base/hmac.h"

#include <cstddef>

#include "base/sha256.h"

namespace gpusched {
namespace {

constexpr std::size_t kBlock = 64;

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char letter) {
    return static_cast<unsigned>(letter <= '9' ? letter - '0' : letter - 'a' + 10);
  };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) << 4U | digit(hex[i + 1]));
  }
  return bytes;
}

std::string sha256_hex(std::string_view first, std::string_view second) {
  Sha256 hash;
  hash.add(first);
  hash.add(second);
  return hash.hex();
}

std::string mixed(std::string_view key, unsigned char with) {
  std::string block(key);
  block.resize(kBlock, '\0');
  for (char& byte : block) byte = static_cast<char>(static_cast<unsigned char>(byte) ^ with);
  return block;
}

}  // namespace

std::string hmac_sha256_hex(std::string_view key, std::string_view message) {
  constexpr unsigned char kInner = 0x36;
  constexpr unsigned char kOuter = 0x5c;
  const std::string short_key =
      key.size() > kBlock ? bytes_of_hex(sha256_hex(key, "")) : std::string(key);
  const std::string inner = bytes_of_hex(sha256_hex(mixed(short_key, kInner), message));
  return sha256_hex(mixed(short_key, kOuter), inner);
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  return bytes_of_hex(hmac_sha256_hex(key, message));
}

}  // namespace gpusched
