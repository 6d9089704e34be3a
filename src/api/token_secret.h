// The secret side of tokens: drawn, taken apart, compared. What is kept is a hash. It needs no salt
// and no slow function: there are 256 random bits in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gpusched {

struct FreshToken {
  std::string id;
  std::string text;  // "gpst_ID_SECRET": shown once.
  std::string hash;
};
// From the kernel's random numbers.
Result<FreshToken> draw_token();

// 256 random bits as 43 letters that a cookie can have.
Result<std::string> draw_secret();

std::string hash_of_token(std::string_view text);
// The id of what looks like a token.
std::optional<std::string> id_of_token(std::string_view text);
// The token of a header "Bearer TOKEN".
std::optional<std::string_view> bearer_of(std::string_view header);
// Takes as long whatever the two have in common.
bool same_hash(std::string_view one, std::string_view other);

}  // namespace gpusched
