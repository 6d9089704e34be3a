#include "core/model/patch_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "base/words.h"

namespace gpusched {
namespace {

constexpr std::size_t kValueMost = 200;
constexpr std::string_view kNone = "none";

struct FieldWord {
  std::string_view field;
  std::string_view word;
};
// Where the name of the field is not what people call it.
constexpr std::array kWords = {FieldWord{"working_directory", "directory"},
                               FieldWord{"gpus", "cards"},
                               FieldWord{"vram_bytes", "VRAM"},
                               FieldWord{"share_percent", "share"},
                               FieldWord{"cpus", "CPUs"},
                               FieldWord{"ram_bytes", "RAM"},
                               FieldWord{"cpu_use", "use of CPUs alone"},
                               FieldWord{"only_cards", "only cards"},
                               FieldWord{"avoid_cards", "not cards"},
                               FieldWord{"card_type", "card type"},
                               FieldWord{"time_limit_s", "time limit"},
                               FieldWord{"vram_limit_bytes", "VRAM limit"},
                               FieldWord{"shell_program", "shell"},
                               FieldWord{"shell", "a line for the shell"}};

std::string_view word_of(std::string_view field) {
  const auto found = std::ranges::find(kWords, field, &FieldWord::field);
  return found == kWords.end() ? field : found->word;
}

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (const std::string& text : texts) {
    if (!out.empty()) out += between;
    out += text;
  }
  return out;
}

// One overload for each type of a field that can change.
std::string words(const std::string& text, std::string_view) { return text; }
std::string words(const std::vector<std::string>& texts, std::string_view field) {
  return joined(texts, field == "command" ? " " : ", ");
}
std::string words(bool fact, std::string_view) { return fact ? "yes" : "no"; }
std::string words(int number, std::string_view field) {
  return std::to_string(number) + (field == "share_percent" ? "%" : "");
}
std::string words(std::uint64_t bytes, std::string_view) {
  return bytes == 0 ? std::string() : rounded_size(bytes);
}
std::string words(Seconds time, std::string_view) {
  return time == Seconds{0} ? std::string() : format_duration(time);
}
std::string words(const std::optional<Wall>& time, std::string_view) {
  return time ? format_time(*time) : std::string();
}
std::string words(const CardCount& count, std::string_view) {
  if (count.most == CardCount::kAllCards) return "all";
  const std::string least = std::to_string(count.least);
  return count.least == count.most ? least : least + "-" + std::to_string(count.most);
}
std::string words(const CardList& cards, std::string_view) {
  std::vector<std::string> names;
  for (const CardNumber card : cards.numbers) names.push_back(std::to_string(number_of(card)));
  names.insert(names.end(), cards.names.begin(), cards.names.end());
  return joined(names, ", ");
}
std::string words(CpuUse use, std::string_view) {
  switch (use) {
    case CpuUse::kNever:
      return "never";
    case CpuUse::kPrefer:
      return "prefer";
    case CpuUse::kFallback:
      return "fallback";
  }
  return {};
}
std::string words(const std::vector<Dependency>& after, std::string_view) {
  std::vector<std::string> names;
  for (const Dependency& one : after) {
    const std::string_view kind = one.kind == DependencyKind::kOk    ? ""
                                  : one.kind == DependencyKind::kAny ? "any:"
                                                                     : "fail:";
    names.push_back(std::string(kind) + to_string(one.job));
  }
  return joined(names, ", ");
}

std::string shown(std::string text) {
  if (text.empty()) return std::string(kNone);
  return clipped(text, kValueMost);
}

std::string names_of(const std::vector<std::string>& variables) {
  std::vector<std::string> names;
  for (const std::string& one : variables) names.push_back(one.substr(0, one.find('=')));
  return joined(names, ", ");
}

}  // namespace

std::string_view word_in_conflict(std::string_view field) {
  if (field == "gpus") return "the number of cards";
  if (field == "share_percent") return "a share";
  if (field == "exclusive") return "exclusive use";
  if (field == "only_cards") return "a choice of cards";
  if (field == "vram_limit_bytes") return "a VRAM limit";
  return word_of(field);
}

std::string words_of_change(const JobPatch& patch, const JobSpec& before, const JobSpec& after) {
  std::vector<std::string> changes;
  patch.for_each_given([&](const auto& row) {
    if (row.in(before) == row.in(after)) return;
    if (row.name == "variables") {
      changes.push_back("environment: " + shown(names_of(patch.values().extras->variables)));
      return;
    }
    // Types that `set` cannot change have no words.
    if constexpr (requires { words(row.in(before), row.name); }) {
      changes.push_back(std::string(word_of(row.name)) + " " +
                        shown(words(row.in(before), row.name)) + " → " +
                        shown(words(row.in(after), row.name)));
    }
  });
  return joined(changes, "; ");
}

}  // namespace gpusched
