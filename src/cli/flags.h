// The command line of one verb as a table: what the parser accepts, what `--help` prints and what
// completion offers come from the same rows and can never disagree. Only the table of the verb
// called is looked at, and nothing is built before it is needed (docs/adr/0016).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gpusched {
class JsonWriter;
}

namespace gpusched::cli {

enum class FlagKind : unsigned char {
  kSwitch,         // --exclusive
  kValue,          // --gpus 2, --gpus=2
  kOptionalValue,  // --cpu-ok, --cpu-ok=fallback: the value only with '='.
};

// What completion offers for a value.
enum class Offer : unsigned char {
  kNothing,
  kFiles,
  kJobs,
  kOpenJobs,  // Those that have not ended.
  kCards,
  kGroups,
  kStates,
  kTokens,  // Their ids, behind a word that says what happens to them.
  kAlerts,  // Of `alerts`: rules, silences, receivers, by the word before.
  kRules,
  kReceivers,
  kWords
};

class Arguments;
struct FlagValue;

// What a value may depend on besides its text.
struct FlagAround {
  const Arguments& arguments;
  Wall now{};
  Seconds (*offset_at)(Wall) = nullptr;  // Local time minus UTC; null: UTC.
  bool setting = false;                  // `set`: an empty text takes away what is there.
};
// Writes the value as that of a request's field, or says what is wrong with it.
using WriteFlag = Result<void> (*)(const FlagValue& value, const FlagAround& around,
                                   JsonWriter& json);

struct Flag {
  std::string_view name;  // With its dashes: "--gpus".
  char letter = 0;        // 'f' for -f; 0: none.
  FlagKind kind = FlagKind::kSwitch;
  std::string_view value;  // For help: "N|A-B|all".
  std::string_view help;
  Offer offer = Offer::kNothing;
  std::string_view words = {};  // For kWords, separated by spaces.
  std::string_view field = {};  // Of a request's body, if it is one (as_field).
  WriteFlag write = nullptr;
  std::string_view set_help = {};
  bool may_be_empty = false;  // An empty value says something: take away what is there.
};

// `flag` as a field of a request. `set_help`: `set` may change it later, and says this of it.
constexpr Flag as_field(Flag flag, std::string_view field, WriteFlag write = nullptr,
                        std::string_view set_help = {}) {
  flag.field = field;
  flag.write = write;
  flag.set_help = set_help;
  return flag;
}

struct FlagSection {
  std::string_view title;
  std::span<const Flag> flags;
};

// What may stand beside the flags.
enum class Operands : unsigned char {
  kNone,
  kWords,            // Any words, flags may stand between them.
  kJobs,             // Job selectors.
  kJobsThenCommand,  // Job selectors, and after "--" a command.
  kCommand,          // The first operand begins a command; nothing after it is a flag of ours.
};

// One value of one flag, and where it was written if not on the command line: "job.yaml:3:7".
struct FlagValue {
  const Flag* flag = nullptr;
  std::string text;
  std::string where;
};

class Arguments {
 public:
  bool has(std::string_view flag) const { return find(flag) != nullptr; }
  // The last one given counts; null if there is none.
  const FlagValue* find(std::string_view flag) const;
  std::vector<const FlagValue*> all(std::string_view flag) const;
  // The text of the last one, or `otherwise`.
  std::string text(std::string_view flag, std::string otherwise = {}) const;
  bool empty() const { return values_.empty(); }
  std::span<const FlagValue> values() const { return values_; }

  void add(const Flag& flag, std::string text, std::string where = {});
  void remove(std::string_view flag);
  // What `weaker` says of flags that are not given here; `accumulating` flags are joined, the
  // weaker ones first.
  void fill_from(const Arguments& weaker, std::span<const std::string_view> accumulating);

  std::vector<std::string> operands;
  std::vector<std::string> command;
  bool after_dashes = false;  // The command was given after "--".

 private:
  std::vector<FlagValue> values_;
};

// `verb` is for messages: "submit has no flag --gpuz; did you mean --gpus?".
Result<Arguments> parse_arguments(std::string_view verb, std::span<const FlagSection> sections,
                                  Operands operands, std::span<const std::string> words,
                                  const std::string& where = {});

const Flag* find_flag(std::span<const FlagSection> sections, std::string_view name);

// An error about a flag's value: "--vram: …", "job.yaml:3:7: vram: …".
tl::unexpected<Error> bad_value(const FlagValue& value, const std::string& why);

}  // namespace gpusched::cli
