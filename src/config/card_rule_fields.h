// What a rule of `gpus.cards` may say, one row each with its name, words and limits: the reader,
// `config show` and the check for contradictions all come from these rows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/card_rules.h"

namespace gpusched {

struct CardRuleField {
  std::string_view key;
  bool list = false;  // [a, b]; else a single value, which comes as one word.
  std::function<Result<void>(CardRule&, const std::vector<std::string>& words)> read;
  // As it stands in the file; nullopt: the rule does not say it.
  std::function<std::optional<std::string>(const CardRule&)> write;
};

// Below `match:`, and beside it.
const std::vector<CardRuleField>& card_match_fields();
const std::vector<CardRuleField>& card_rule_fields();

// All that a rule matches, in one line: {number: 0}.
std::string match_text(const CardRule& rule);
// The list as it stands behind `cards:`, each line behind `indent`; "[]" without rules.
std::string card_rules_text(const CardRules& rules, std::string_view indent);

}  // namespace gpusched
