#include "engine/card_description.h"

#include <fmt/format.h>

#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {
namespace {

constexpr std::size_t kCardsMost = 64;

// FNV-1a: the same text gives the same UUID on every machine and in every version.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

Result<void> add_cards(std::string_view part, std::vector<Card>& cards) {
  const auto bad = [part](const std::string& why) {
    return failure(
        ErrorCode::kInvalid,
        fmt::format("simulated cards '{}': {}; write COUNTxSIZE, as in 2x24G", part, why));
  };
  const std::size_t times = part.find('x');
  if (times == std::string_view::npos) return bad("there is no 'x'");
  const std::string_view digits = part.substr(0, times);
  std::size_t count = 0;
  if (!whole_number(digits, count) || count == 0) {
    return bad("the count is not a number above zero");
  }
  if (cards.size() + count > kCardsMost) {
    return bad(fmt::format("more than {} cards in all", kCardsMost));
  }
  std::string_view rest = part.substr(times + 1);
  std::string model;
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    model = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  const auto size = parse_size(rest);
  if (!size || *size == 0) return bad("the size is not a size above zero");
  if (model.empty()) model = fmt::format("Simulated {}", format_size(*size));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = cards.size();
    Card card;
    card.number = CardNumber{static_cast<std::uint16_t>(number)};
    card.uuid = simulated_uuid(rest, number);
    card.model = model;
    card.vram_bytes = *size;
    cards.push_back(std::move(card));
  }
  return {};
}

}  // namespace

std::string simulated_uuid(std::string_view kind, std::size_t number) {
  const std::uint64_t high = digest_of(fmt::format("{}#{}", kind, number));
  const std::uint64_t low = digest_of(fmt::format("{}#{}", number, kind));
  return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffffffffffffULL);
}

Result<std::vector<Card>> parse_simulated_cards(std::string_view text) {
  std::vector<Card> cards;
  for (const std::string_view part : split(text, ',')) {
    if (auto added = add_cards(part, cards); !added) return failure(added.error());
  }
  return cards;
}

}  // namespace gpusched
