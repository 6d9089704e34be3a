#include "core/model/card_rules.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace gpusched {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), same_letter);
}

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end();
}

bool matches_card(const CardMatch& match, const Card& card) {
  if (match.empty()) return false;
  if (match.number && *match.number != number_of(card.number)) return false;
  if (!match.uuid.empty() && !begins_with(card.uuid, match.uuid)) return false;
  if (!match.model.empty() && !contains(card.model, match.model)) return false;
  return match.alias.empty() || match.alias == card.alias;
}

void change(Card& card, const CardRule& rule) {
  if (rule.alias) card.alias = *rule.alias;
  if (rule.tags) card.tags = *rule.tags;
  if (rule.manage) card.managed = *rule.manage;
  if (rule.vram_cap_bytes) card.vram_cap_bytes = rule.vram_cap_bytes;
  if (rule.jobs_most) card.jobs_most = rule.jobs_most;
  if (rule.sharing) card.sharing = rule.sharing;
  if (rule.mps) card.mps = rule.mps;
  if (rule.share_cap_percent) card.share_cap_percent = rule.share_cap_percent;
  if (rule.headroom_bytes) card.headroom_bytes = rule.headroom_bytes;
  if (rule.health.hottest_celsius) card.health.hottest_celsius = rule.health.hottest_celsius;
  if (rule.health.uncorrected_errors) {
    card.health.uncorrected_errors = rule.health.uncorrected_errors;
  }
  if (rule.health.corrected_errors) card.health.corrected_errors = rule.health.corrected_errors;
  if (rule.health.failures) card.health.failures = rule.health.failures;
}

// An alias names one card: who has it first keeps it.
void keep_aliases_apart(RuledCards& ruled) {
  for (std::size_t i = 0; i < ruled.cards.size(); ++i) {
    Card& card = ruled.cards[i];
    if (card.alias.empty()) continue;
    const auto first = std::ranges::find(ruled.cards, card.alias, &Card::alias);
    if (&*first == &card) continue;
    ruled.complaints.push_back("alias '" + card.alias +
                               "' is for one card, but the rules give it to "
                               "card " +
                               std::to_string(number_of(first->number)) + " and to card " +
                               std::to_string(number_of(card.number)) + "; the first keeps it");
    card.alias.clear();
  }
}

}  // namespace

RuledCards apply_rules(const CardRules& rules, std::vector<Card> cards) {
  RuledCards ruled{std::move(cards), {}};
  for (const CardRule& rule : rules) {
    for (Card& card : ruled.cards) {
      if (matches_card(rule.match, card)) change(card, rule);
    }
  }
  keep_aliases_apart(ruled);
  return ruled;
}

bool has_name(const Card& card, const std::string& name) {
  return card.alias == name || std::ranges::find(card.tags, name) != card.tags.end();
}

bool is_in(const Card& card, const CardList& list) {
  return std::ranges::find(list.numbers, card.number) != list.numbers.end() ||
         std::ranges::any_of(list.names,
                             [&card](const std::string& name) { return has_name(card, name); });
}

std::vector<CardNumber> cards_named(const std::vector<Card>& cards, const std::string& name) {
  std::vector<CardNumber> named;
  for (const Card& card : cards) {
    if (has_name(card, name)) named.push_back(card.number);
  }
  return named;
}

namespace {

bool contains_ignoring_case(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

bool matches(const Card& card, const Rare<CardFilter>& filter) {
  if (filter.unset()) return true;
  if (!filter->only.empty() && !is_in(card, filter->only)) return false;
  if (!filter->avoid.empty() && is_in(card, filter->avoid)) return false;
  return filter->type.empty() || contains_ignoring_case(card.model, filter->type);
}

}  // namespace gpusched
