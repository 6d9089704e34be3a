#include "api/token_secret.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/sha256.h"

namespace gpusched {
namespace {

constexpr std::string_view kMark = "gpst_";
constexpr std::string_view kBearer = "bearer";
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kIdLetters = 8;
constexpr std::size_t kSecretLetters = 43;
constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// Without signs: an id is typed, and stands between two of them.
constexpr std::string_view kIdAlphabet = "abcdefghijkmnpqrstuvwxyz23456789";

template <std::size_t N>
Result<std::array<unsigned char, N>> random_bytes() {
  std::array<unsigned char, N> bytes{};
  std::size_t done = 0;
  while (done < N) {
    const ssize_t got = ::getrandom(bytes.data() + done, N - done, 0);
    if (got < 0 && errno != EINTR) {
      return failure(ErrorCode::kIo, std::string("draw a token: ") + std::strerror(errno));
    }
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return bytes;
}

// base64url without padding.
std::string base64_of(const unsigned char* bytes, std::size_t count) {
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits = (bits << 8U) | bytes[i];
    for (held += 8; held >= 6; held -= 6) out += kLetters[(bits >> (held - 6)) & 63U];
  }
  if (held > 0) out += kLetters[(bits << (6 - held)) & 63U];
  return out;
}

bool all_in(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace

Result<FreshToken> draw_token() {
  const auto bytes = random_bytes<kIdLetters + kSecretBytes>();
  if (!bytes) return failure(bytes.error());
  FreshToken fresh;
  for (std::size_t i = 0; i < kIdLetters; ++i) {
    fresh.id += kIdAlphabet[(*bytes)[i] % kIdAlphabet.size()];
  }
  fresh.text =
      std::string(kMark) + fresh.id + "_" + base64_of(bytes->data() + kIdLetters, kSecretBytes);
  fresh.hash = hash_of_token(fresh.text);
  return fresh;
}

Result<std::string> draw_secret() {
  const auto bytes = random_bytes<kSecretBytes>();
  if (!bytes) return failure(bytes.error());
  return base64_of(bytes->data(), bytes->size());
}

std::string hash_of_token(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

std::optional<std::string> id_of_token(std::string_view text) {
  if (text.size() != kMark.size() + kIdLetters + 1 + kSecretLetters) return std::nullopt;
  if (!text.starts_with(kMark)) return std::nullopt;
  const std::string_view id = text.substr(kMark.size(), kIdLetters);
  const std::string_view secret = text.substr(kMark.size() + kIdLetters + 1);
  const bool whole =
      text[kMark.size() + kIdLetters] == '_' && all_in(id, kIdAlphabet) && all_in(secret, kLetters);
  return whole ? std::optional(std::string(id)) : std::nullopt;
}

std::optional<std::string_view> bearer_of(std::string_view header) {
  if (header.size() <= kBearer.size() || header[kBearer.size()] != ' ') return std::nullopt;
  const bool bearer = std::ranges::equal(header.substr(0, kBearer.size()), kBearer, {},
                                         [](char c) { return static_cast<char>(c | 0x20); });
  if (!bearer) return std::nullopt;
  header.remove_prefix(kBearer.size());
  while (header.starts_with(' ')) header.remove_prefix(1);
  while (header.ends_with(' ')) header.remove_suffix(1);
  return header.empty() ? std::nullopt : std::optional(header);
}

bool same_hash(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  // Volatile: the compiler may not stop at the first difference.
  volatile unsigned char differs = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    differs = static_cast<unsigned char>(
        differs | (static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i])));
  }
  return differs == 0;
}

}  // namespace gpusched
