#include "cli/submit/directives.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace gpusched::cli {
namespace {

constexpr std::string_view kMark = "#GPUSCHED";
constexpr std::string_view kBlank = " \t\r";

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (kBlank.find(c) != std::string_view::npos || c == '\n') {
        finish();
      } else if (c == '#' && !word_) {
        break;
      } else if (c == '\'') {
        if (auto quoted = single(); !quoted) return failure(quoted.error());
      } else if (c == '"') {
        if (auto quoted = doubled(); !quoted) return failure(quoted.error());
      } else if (c == '\\') {
        if (at_ == text_.size()) return failure(ErrorCode::kInvalid, "ends in a backslash");
        begin() += text_[at_++];
      } else {
        begin() += c;
      }
    }
    finish();
    return std::move(words_);
  }

 private:
  std::string& begin() {
    if (!word_) word_.emplace();
    return *word_;
  }
  void finish() {
    if (word_) words_.push_back(std::move(*word_));
    word_.reset();
  }
  Result<void> single() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return failure(ErrorCode::kInvalid, "has no closing '");
    begin() += text_.substr(at_, end - at_);
    at_ = end + 1;
    return {};
  }
  Result<void> doubled() {
    begin();
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return {};
      const bool escape = c == '\\' && at_ < text_.size() &&
                          std::string_view("\"\\$`").find(text_[at_]) != std::string_view::npos;
      *word_ += escape ? text_[at_++] : c;
    }
    return failure(ErrorCode::kInvalid, "has no closing \"");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) { return Splitter(text).run(); }

namespace {

// What follows the mark; nullopt: it is another line.
std::optional<std::string_view> directive_in(std::string_view line) {
  const std::size_t text = line.find_first_not_of(kBlank);
  if (text == std::string_view::npos || !line.substr(text).starts_with(kMark)) return std::nullopt;
  const std::string_view rest = line.substr(text + kMark.size());
  if (!rest.empty() && kBlank.find(rest[0]) == std::string_view::npos) return std::nullopt;
  return rest;
}

}  // namespace

int directive_too_late(std::string_view script) {
  bool head = true;
  for (int number = 1; !script.empty(); ++number) {
    const std::string_view line = script.substr(0, script.find('\n'));
    script.remove_prefix(std::min(script.size(), line.size() + 1));
    if (line.find('\0') != std::string_view::npos) break;  // A program, not a script.
    const std::size_t text = line.find_first_not_of(kBlank);
    if (text != std::string_view::npos && line[text] != '#') head = false;
    if (!head && directive_in(line)) return number;
  }
  return 0;
}

Result<std::vector<DirectiveLine>> parse_directives(std::string_view script) {
  std::vector<DirectiveLine> found;
  int number = 0;
  while (!script.empty()) {
    const std::size_t end = script.find('\n');
    const std::string_view line = script.substr(0, end);
    script.remove_prefix(end == std::string_view::npos ? script.size() : end + 1);
    ++number;
    if (line.find('\0') != std::string_view::npos) break;  // A program, not a script.
    const std::size_t text = line.find_first_not_of(kBlank);
    if (text == std::string_view::npos) continue;
    if (line[text] != '#') break;
    const auto rest = directive_in(line);
    if (!rest) continue;
    auto words = split_words(*rest);
    if (!words) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("{}: the #GPUSCHED line {}", number, words.error().message));
    }
    found.push_back({number, std::move(*words)});
  }
  return found;
}

int slurm_line(std::string_view script) {
  for (int number = 1; !script.empty(); ++number) {
    const std::string_view line = script.substr(0, script.find('\n'));
    script.remove_prefix(std::min(script.size(), line.size() + 1));
    const std::size_t text = line.find_first_not_of(kBlank);
    if (text == std::string_view::npos) continue;
    if (line[text] != '#' || line.find('\0') != std::string_view::npos) break;
    if (line.substr(text).starts_with("#SBATCH ")) return number;
  }
  return 0;
}

std::vector<std::string> interpreter_of(std::string_view script) {
  if (!script.starts_with("#!")) return {};
  std::string_view line = script.substr(2, script.find('\n') - 2);
  while (!line.empty() && kBlank.find(line.front()) != std::string_view::npos)
    line.remove_prefix(1);
  while (!line.empty() && kBlank.find(line.back()) != std::string_view::npos) line.remove_suffix(1);
  if (line.empty() || line.find('\0') != std::string_view::npos) return {};
  // As the kernel does: the program, and all the rest as one argument.
  const std::size_t space = line.find_first_of(kBlank);
  std::vector<std::string> words{std::string(line.substr(0, space))};
  if (space != std::string_view::npos) {
    words.emplace_back(line.substr(line.find_first_not_of(kBlank, space)));
  }
  return words;
}

}  // namespace gpusched::cli
