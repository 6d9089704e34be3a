#include "cli/flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/other_tools.h"

namespace gpusched::cli {
namespace {

std::string suggestion_for(std::span<const FlagSection> sections, std::string_view name) {
  std::vector<std::string_view> names;
  for (const FlagSection& section : sections) {
    for (const Flag& flag : section.flags) names.push_back(flag.name);
  }
  if (const std::string_view here = flag_here(name); !here.empty())
    return fmt::format("; {}", here);
  const std::string nearest = nearest_word(name, names.data(), names.size());
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

const Flag* find_letter(std::span<const FlagSection> sections, char letter) {
  for (const FlagSection& section : sections) {
    for (const Flag& flag : section.flags) {
      if (flag.letter == letter) return &flag;
    }
  }
  return nullptr;
}

std::string at(const std::string& where) { return where.empty() ? "" : where + ": "; }

class Parser {
 public:
  Parser(std::string_view verb, std::span<const FlagSection> sections, Operands operands,
         std::span<const std::string> words, const std::string& where)
      : verb_(verb), sections_(sections), operands_(operands), words_(words), where_(where) {}

  Result<Arguments> run() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_];
      if (word == "--") {
        ++next_;
        if (auto rest = take_rest(); !rest) return failure(rest.error());
        break;
      }
      Result<void> step = {};
      if (word.size() > 2 && word.starts_with("--")) {
        step = long_flag(word);
      } else if (word.size() > 1 && word[0] == '-') {
        step = letters(word);
      } else if (operands_ == Operands::kCommand) {
        arguments_.command.assign(words_.begin() + static_cast<std::ptrdiff_t>(next_),
                                  words_.end());
        break;
      } else {
        step = operand(word);
      }
      if (!step) return failure(step.error());
    }
    return std::move(arguments_);
  }

 private:
  Result<void> take_rest() {
    arguments_.after_dashes = true;
    for (; next_ < words_.size(); ++next_) {
      if (operands_ == Operands::kCommand || operands_ == Operands::kJobsThenCommand) {
        arguments_.command.push_back(words_[next_]);
      } else if (operands_ == Operands::kNone) {
        return unexpected_operand(words_[next_]);
      } else {
        if (auto taken = take_operand(words_[next_]); !taken) return taken;
      }
    }
    return {};
  }

  Result<void> take_operand(const std::string& word) {
    if (word.find_first_not_of(" \t\r\n") == std::string::npos) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("{}{}: an argument is empty", at(where_), verb_));
    }
    arguments_.operands.push_back(word);
    return {};
  }

  Result<void> operand(const std::string& word) {
    if (operands_ == Operands::kNone) return unexpected_operand(word);
    ++next_;
    return take_operand(word);
  }

  tl::unexpected<Error> unexpected_operand(const std::string& word) const {
    return failure(ErrorCode::kInvalid,
                   fmt::format("{}{} takes no argument '{}'", at(where_), verb_, word));
  }

  Result<void> long_flag(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Flag* flag = find_flag(sections_, name);
    if (flag == nullptr) {
      return failure(ErrorCode::kInvalid, fmt::format("{}{} has no flag {}{}", at(where_), verb_,
                                                      name, suggestion_for(sections_, name)));
    }
    ++next_;
    if (equals != std::string::npos) {
      if (flag->kind == FlagKind::kSwitch) {
        return failure(ErrorCode::kInvalid, fmt::format("{}{} takes no value", at(where_), name));
      }
      return add(*flag, word.substr(equals + 1));
    }
    if (flag->kind == FlagKind::kValue) return value_of(*flag);
    arguments_.add(*flag, "", where_);
    return {};
  }

  Result<void> letters(const std::string& word) {
    ++next_;
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Flag* flag = find_letter(sections_, word[i]);
      if (flag == nullptr) {
        return failure(ErrorCode::kInvalid,
                       fmt::format("{}{} has no flag -{}", at(where_), verb_, word[i]));
      }
      if (flag->kind != FlagKind::kValue) {
        arguments_.add(*flag, "", where_);
        continue;
      }
      if (i + 1 == word.size()) return value_of(*flag);
      return add(*flag, word.substr(i + 1));
    }
    return {};
  }

  Result<void> value_of(const Flag& flag) {
    if (next_ >= words_.size() || words_[next_] == "--") {
      return failure(ErrorCode::kInvalid, fmt::format("{}{} needs a value: {} {}", at(where_),
                                                      flag.name, flag.name, flag.value));
    }
    return add(flag, words_[next_++]);
  }

  // What a script had nothing for must not reach anybody as if it meant something.
  Result<void> add(const Flag& flag, std::string text) {
    if (flag.kind == FlagKind::kValue && text.empty() && !flag.may_be_empty) {
      return bad_value({&flag, text, where_}, "is empty");
    }
    arguments_.add(flag, std::move(text), where_);
    return {};
  }

  std::string_view verb_;
  std::span<const FlagSection> sections_;
  Operands operands_;
  std::span<const std::string> words_;
  const std::string& where_;
  std::size_t next_ = 0;
  Arguments arguments_;
};

}  // namespace

const FlagValue* Arguments::find(std::string_view flag) const {
  for (auto value = values_.rbegin(); value != values_.rend(); ++value) {
    if (value->flag->name == flag) return &*value;
  }
  return nullptr;
}

std::vector<const FlagValue*> Arguments::all(std::string_view flag) const {
  std::vector<const FlagValue*> found;
  for (const FlagValue& value : values_) {
    if (value.flag->name == flag) found.push_back(&value);
  }
  return found;
}

std::string Arguments::text(std::string_view flag, std::string otherwise) const {
  const FlagValue* value = find(flag);
  return value == nullptr ? std::move(otherwise) : value->text;
}

void Arguments::add(const Flag& flag, std::string text, std::string where) {
  values_.push_back({&flag, std::move(text), std::move(where)});
}

void Arguments::remove(std::string_view flag) {
  std::erase_if(values_, [flag](const FlagValue& value) { return value.flag->name == flag; });
}

void Arguments::fill_from(const Arguments& weaker, std::span<const std::string_view> accumulating) {
  std::vector<FlagValue> merged;
  for (const FlagValue& value : weaker.values_) {
    const bool joined = std::ranges::find(accumulating, value.flag->name) != accumulating.end();
    if (joined || !has(value.flag->name)) merged.push_back(value);
  }
  merged.insert(merged.end(), values_.begin(), values_.end());
  values_ = std::move(merged);
}

const Flag* find_flag(std::span<const FlagSection> sections, std::string_view name) {
  for (const FlagSection& section : sections) {
    for (const Flag& flag : section.flags) {
      if (flag.name == name) return &flag;
    }
  }
  return nullptr;
}

Result<Arguments> parse_arguments(std::string_view verb, std::span<const FlagSection> sections,
                                  Operands operands, std::span<const std::string> words,
                                  const std::string& where) {
  return Parser(verb, sections, operands, words, where).run();
}

tl::unexpected<Error> bad_value(const FlagValue& value, const std::string& why) {
  const std::string_view name = value.flag->name;
  if (value.where.empty()) return failure(ErrorCode::kInvalid, fmt::format("{}: {}", name, why));
  return failure(ErrorCode::kInvalid, fmt::format("{}: {}: {}", value.where, name.substr(2), why));
}

}  // namespace gpusched::cli
