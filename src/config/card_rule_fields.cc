#include "config/card_rule_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "config/values.h"

namespace gpusched {
namespace {

constexpr std::size_t kNameMost = 64;
constexpr std::size_t kTagsMost = 32;
constexpr int kNumberMost = 65535;

// Names stand in commands and in lists with commas, beside numbers.
Result<void> check_name(const std::string& name) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  };
  if (name.empty() || name.size() > kNameMost || !std::ranges::all_of(name, allowed)) {
    return wrong(
        fmt::format("\"{}\" is no name: 1 to {} letters, digits, - _ or .", name, kNameMost));
  }
  if (std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return wrong(fmt::format("\"{}\" looks like a card's number", name));
  }
  return {};
}

Result<void> check_words(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  if (text.empty() || text.size() > kNameMost || !plain) {
    return wrong(fmt::format("must have 1 to {} letters, digits or signs", kNameMost));
  }
  return {};
}

template <class Place, class Check>
CardRuleField text_field(std::string_view key, Place place, Check check) {
  return {key, false,
          [place, check](CardRule& rule, const std::vector<std::string>& words) -> Result<void> {
            if (auto checked = check(words.front()); !checked) return checked;
            place(rule) = words.front();
            return {};
          },
          [place](const CardRule& rule) -> std::optional<std::string> {
            const std::optional<std::string>& text = place(rule);
            if (!text || text->empty()) return std::nullopt;
            return quoted(*text);
          }};
}

template <class Place>
CardRuleField number_field(std::string_view key, Place place, int least, int most) {
  return {key, false,
          [=](CardRule& rule, const std::vector<std::string>& words) -> Result<void> {
            const auto number = read_number(words.front(), least, most);
            if (!number) return failure(number.error());
            place(rule) = static_cast<int>(*number);
            return {};
          },
          [place](const CardRule& rule) -> std::optional<std::string> {
            if (!place(rule)) return std::nullopt;
            return std::to_string(*place(rule));
          }};
}

template <class Place>
CardRuleField size_field(std::string_view key, Place place, std::uint64_t least) {
  return {key, false,
          [=](CardRule& rule, const std::vector<std::string>& words) -> Result<void> {
            const auto bytes = read_size(words.front(), least, 1ULL << 50);
            if (!bytes) return failure(bytes.error());
            place(rule) = *bytes;
            return {};
          },
          [place](const CardRule& rule) -> std::optional<std::string> {
            if (!place(rule)) return std::nullopt;
            return exact_size(*place(rule));
          }};
}

template <class Place>
CardRuleField switch_field(std::string_view key, Place place) {
  return {key, false,
          [place](CardRule& rule, const std::vector<std::string>& words) -> Result<void> {
            const auto on = read_switch(words.front());
            if (!on) return failure(on.error());
            place(rule) = *on;
            return {};
          },
          [place](const CardRule& rule) -> std::optional<std::string> {
            if (!place(rule)) return std::nullopt;
            return switch_word(*place(rule));
          }};
}

CardRuleField mps_field() {
  return {"mps", false,
          [](CardRule& rule, const std::vector<std::string>& words) -> Result<void> {
            const auto use = read_mps_use(words.front());
            if (!use) return failure(use.error());
            rule.mps = *use;
            return {};
          },
          [](const CardRule& rule) -> std::optional<std::string> {
            if (!rule.mps) return std::nullopt;
            return mps_use_name(*rule.mps);
          }};
}

CardRuleField tags_field() {
  return {"tags", true,
          [](CardRule& rule, const std::vector<std::string>& words) -> Result<void> {
            if (words.size() > kTagsMost) return wrong(fmt::format("at most {} tags", kTagsMost));
            for (const std::string& word : words) {
              if (auto checked = check_name(word); !checked) return checked;
            }
            rule.tags = words;
            return {};
          },
          [](const CardRule& rule) -> std::optional<std::string> {
            if (!rule.tags) return std::nullopt;
            std::vector<std::string> words;
            for (const std::string& tag : *rule.tags) words.push_back(quoted(tag));
            return fmt::format("[{}]", fmt::join(words, ", "));
          }};
}

// A place in a rule, for reading and for writing.
#define RULE_PLACE(member) \
  [](auto& rule) -> auto& { return rule.member; }

}  // namespace

const std::vector<CardRuleField>& card_match_fields() {
  static const std::vector<CardRuleField> fields = {
      number_field("number", RULE_PLACE(match.number), 0, kNumberMost),
      text_field("uuid", RULE_PLACE(match.uuid), check_words),
      text_field("model", RULE_PLACE(match.model), check_words),
      text_field("alias", RULE_PLACE(match.alias), check_name),
  };
  return fields;
}

const std::vector<CardRuleField>& card_rule_fields() {
  static const std::vector<CardRuleField> fields = {
      text_field("alias", RULE_PLACE(alias), check_name),
      tags_field(),
      switch_field("manage", RULE_PLACE(manage)),
      size_field("vram_cap", RULE_PLACE(vram_cap_bytes), 1ULL << 20),
      number_field("jobs_most", RULE_PLACE(jobs_most), 1, 1000),
      switch_field("sharing", RULE_PLACE(sharing)),
      mps_field(),
      number_field("share_cap_percent", RULE_PLACE(share_cap_percent), 1, 100),
      size_field("headroom", RULE_PLACE(headroom_bytes), 0),
      number_field("hottest_celsius", RULE_PLACE(health.hottest_celsius), 0, 200),
      number_field("uncorrected_errors", RULE_PLACE(health.uncorrected_errors), 0, 1'000'000'000),
      number_field("corrected_errors", RULE_PLACE(health.corrected_errors), 0, 1'000'000'000),
      number_field("failures", RULE_PLACE(health.failures), 0, 1000),
  };
  return fields;
}

#undef RULE_PLACE

std::string match_text(const CardRule& rule) {
  std::vector<std::string> parts;
  for (const CardRuleField& field : card_match_fields()) {
    if (const auto value = field.write(rule))
      parts.push_back(fmt::format("{}: {}", field.key, *value));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string card_rules_text(const CardRules& rules, std::string_view indent) {
  if (rules.empty()) return "[]";
  std::string out;
  for (const CardRule& rule : rules) {
    out += fmt::format("\n{}- match: {}", indent, match_text(rule));
    for (const CardRuleField& field : card_rule_fields()) {
      if (const auto value = field.write(rule)) {
        out += fmt::format("\n{}  {}: {}", indent, field.key, *value);
      }
    }
  }
  return out;
}

}  // namespace gpusched
