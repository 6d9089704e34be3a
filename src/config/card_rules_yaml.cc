#include "config/card_rules_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "config/card_rule_fields.h"

namespace gpusched {
namespace {

constexpr std::size_t kRulesMost = 1000;
constexpr std::string_view kMatch = "match";

class RulesReading {
 public:
  explicit RulesReading(const WrongAt& wrong_at) : wrong_at_(wrong_at) {}

  Result<CardRules> list(const YAML::Node& list) {
    for (const YAML::Node& node : list) {
      if (rules_.size() == kRulesMost) {
        return wrong_at_(node.Mark(), fmt::format("gpus.cards: more than {} rules", kRulesMost));
      }
      if (auto read = rule(node); !read) return failure(read.error());
    }
    return std::move(rules_);
  }

 private:
  Result<void> rule(const YAML::Node& node) {
    if (!node.IsMap()) {
      return wrong_at_(node.Mark(), "gpus.cards: a rule begins with `- match: {number: 0}`");
    }
    CardRule rule;
    if (auto read = entries(node, "gpus.cards", card_rule_fields(), rule); !read) return read;
    if (rule.match.empty()) {
      return wrong_at_(node.Mark(),
                       "gpus.cards: the rule does not say for which cards; add "
                       "`match: {number: 0}` (or uuid, model, alias)");
    }
    if (auto checked = check(node, rule); !checked) return checked;
    rules_.push_back(std::move(rule));
    lines_.push_back(node.Mark().line + 1);
    return {};
  }

  // The entries of a rule, or those below its `match`.
  Result<void> entries(const YAML::Node& node, const std::string& path,
                       const std::vector<CardRuleField>& fields, CardRule& rule) {
    const bool top = &fields == &card_rule_fields();
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Mark mark = entry.first.Mark();
      if (!entry.first.IsScalar()) return wrong_at_(mark, "a setting's name must be a word");
      const std::string& key = entry.first.Scalar();
      const std::string name = path + "." + key;
      if (!seen.insert(key).second) {
        return wrong_at_(mark, fmt::format("\"{}\" is set twice", name));
      }
      if (top && key == kMatch) {
        if (!entry.second.IsMap()) {
          return wrong_at_(entry.second.Mark(), name + " must be like {number: 0}");
        }
        if (auto read = entries(entry.second, name, card_match_fields(), rule); !read) return read;
        continue;
      }
      const auto field = std::ranges::find(fields, std::string_view(key), &CardRuleField::key);
      if (field == fields.end()) return unknown(mark, path, key, fields, top);
      if (auto read = value(mark, entry.second, name, *field, rule); !read) return read;
    }
    return {};
  }

  Result<void> value(const YAML::Mark& mark, const YAML::Node& node, const std::string& name,
                     const CardRuleField& field, CardRule& rule) {
    if (node.IsNull()) {
      return wrong_at_(mark, fmt::format("\"{}\" has no value; leave it out", name));
    }
    std::vector<std::string> words;
    if (field.list) {
      if (!node.IsSequence())
        return wrong_at_(node.Mark(), name + " must be a list such as [a, b]");
      for (const YAML::Node& word : node) {
        if (!word.IsScalar()) return wrong_at_(word.Mark(), name + " must be a list of words");
        words.push_back(word.Scalar());
      }
    } else {
      if (!node.IsScalar()) return wrong_at_(node.Mark(), name + " must be a single value");
      words.push_back(node.Scalar());
    }
    const auto read = field.read(rule, words);
    if (read) return {};
    return wrong_at_(node.Mark(), fmt::format("{}: {}", name, read.error().message));
  }

  Result<void> unknown(const YAML::Mark& mark, const std::string& path, const std::string& key,
                       const std::vector<CardRuleField>& fields, bool top) {
    std::vector<std::string_view> candidates;
    if (top) candidates.push_back(kMatch);
    for (const CardRuleField& field : fields) candidates.push_back(field.key);
    std::string message = fmt::format("unknown setting \"{}.{}\"", path, key);
    const std::string nearest = nearest_word(key, candidates.data(), candidates.size());
    const auto& matches = card_match_fields();
    if (!nearest.empty()) {
      message += fmt::format("; did you mean \"{}.{}\"?", path, nearest);
    } else if (std::ranges::find(matches, std::string_view(key), &CardRuleField::key) !=
               matches.end()) {
      message += fmt::format("; did you mean \"{}.match.{}\"?", path, key);
    }
    return wrong_at_(mark, message);
  }

  // What cannot be meant, against the rules further up.
  Result<void> check(const YAML::Node& node, const CardRule& rule) {
    bool alias_given = false;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const CardRule& other = rules_[i];
      alias_given = alias_given || other.alias == rule.match.alias;
      if (rule.alias && other.alias == rule.alias && !(other.match == rule.match)) {
        return wrong_at_(node["alias"].Mark(),
                         fmt::format("gpus.cards.alias: the rule in line {} gives \"{}\" to {} "
                                     "already; an alias is for one card",
                                     lines_[i], *rule.alias, match_text(other)));
      }
      if (!(other.match == rule.match)) continue;
      for (const CardRuleField& field : card_rule_fields()) {
        const auto before = field.write(other);
        const auto now = field.write(rule);
        if (!before || !now || before == now) continue;
        return wrong_at_(node[std::string(field.key)].Mark(),
                         fmt::format("gpus.cards.{}: the rule in line {} says {} for the same "
                                     "match {}",
                                     field.key, lines_[i], *before, match_text(other)));
      }
    }
    if (!rule.match.alias.empty() && !alias_given) return no_such_alias(node, rule.match.alias);
    return {};
  }

  Result<void> no_such_alias(const YAML::Node& node, const std::string& alias) {
    std::vector<std::string_view> candidates;
    for (const CardRule& other : rules_) {
      if (other.alias) candidates.push_back(*other.alias);
    }
    const std::string nearest = nearest_word(alias, candidates.data(), candidates.size());
    return wrong_at_(
        node["match"]["alias"].Mark(),
        fmt::format("gpus.cards.match.alias: no rule further up gives the alias "
                    "\"{}\"{}",
                    alias, nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
  }

  const WrongAt& wrong_at_;
  CardRules rules_;
  std::vector<int> lines_;  // Where each of them begins.
};

}  // namespace

Result<CardRules> read_card_rules(const YAML::Node& list, const WrongAt& wrong_at) {
  return RulesReading(wrong_at).list(list);
}

}  // namespace gpusched
