// What the configuration says about single cards (`gpus.cards`): rules from top to bottom, each
// for the cards that it matches. A later rule overrides an earlier one field by field; without
// rules every card is managed as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/card.h"
#include "core/model/needs.h"

namespace gpusched {

// All that is given must hold; with nothing given it matches no card.
struct CardMatch {
  std::optional<int> number = {};
  std::string uuid = {};   // How it begins, in any case.
  std::string model = {};  // Part of the name, in any case.
  std::string alias = {};  // As a rule further up gave it.
  bool empty() const { return !number && uuid.empty() && model.empty() && alias.empty(); }
  friend bool operator==(const CardMatch&, const CardMatch&) = default;
};

struct CardRule {
  CardMatch match = {};
  std::optional<std::string> alias = {};
  std::optional<std::vector<std::string>> tags = {};
  std::optional<bool> manage = {};
  std::optional<std::uint64_t> vram_cap_bytes = {};
  std::optional<int> jobs_most = {};
  std::optional<bool> sharing = {};
  std::optional<MpsUse> mps = {};
  std::optional<int> share_cap_percent = {};
  std::optional<std::uint64_t> headroom_bytes = {};
  HealthRule health = {};
  friend bool operator==(const CardRule&, const CardRule&) = default;
};
using CardRules = std::vector<CardRule>;

struct RuledCards {
  std::vector<Card> cards;              // In the order given.
  std::vector<std::string> complaints;  // Rules that cannot mean what they say; one sentence each.
};
// REQUIRES: the cards have their numbers.
RuledCards apply_rules(const CardRules& rules, std::vector<Card> cards);

// `name` is the card's alias or one of its tags.
bool has_name(const Card& card, const std::string& name);
bool is_in(const Card& card, const CardList& list);
// The cards that have `name` as alias or tag, in the order of `cards`.
std::vector<CardNumber> cards_named(const std::vector<Card>& cards, const std::string& name);

// The card satisfies the constraints (`--gpu`, `--not-gpu`, `--gpu-type`).
bool matches(const Card& card, const Rare<CardFilter>& filter);

}  // namespace gpusched
