#include "cli/flags.h"

#include <gtest/gtest.h>

#include "cli/submit/submit_flags.h"

namespace gpusched::cli {
namespace {

using Words = std::vector<std::string>;

Result<Arguments> parse(const Words& words, Operands operands = Operands::kCommand) {
  return parse_arguments("submit", kSubmitSections, operands, words);
}

TEST(Flags, TakesValuesApartAndWithAnEqualsSign) {
  const auto arguments =
      parse({"--gpus", "2", "--vram=8G", "--exclusive", "--", "python", "--gpus"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->text("--gpus"), "2");
  EXPECT_EQ(arguments->text("--vram"), "8G");
  EXPECT_TRUE(arguments->has("--exclusive"));
  EXPECT_EQ(arguments->command, (Words{"python", "--gpus"}));
  EXPECT_TRUE(arguments->after_dashes);
}

TEST(Flags, LetsTheFirstOperandBeginTheCommand) {
  const auto arguments = parse({"--gpus", "1", "train.sh", "--gpus", "7"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->text("--gpus"), "1");
  EXPECT_EQ(arguments->command, (Words{"train.sh", "--gpus", "7"}));
  EXPECT_FALSE(arguments->after_dashes);
}

TEST(Flags, TakesAnOptionalValueOnlyWithAnEqualsSign) {
  const auto plain = parse({"--cpu-ok", "script.sh"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->text("--cpu-ok"), "");
  EXPECT_EQ(plain->command, (Words{"script.sh"}));
  EXPECT_EQ(parse({"--cpu-ok=fallback"})->text("--cpu-ok"), "fallback");
}

TEST(Flags, KeepsEveryValueOfARepeatedFlagAndTheLastOneWins) {
  const auto arguments = parse({"--env", "A=1", "--env=B=2", "--gpus", "1", "--gpus", "3"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->all("--env").size(), 2U);
  EXPECT_EQ(arguments->all("--env")[1]->text, "B=2");
  EXPECT_EQ(arguments->text("--gpus"), "3");
}

TEST(Flags, AnEmptyArgumentIsSaidToBeEmpty) {
  EXPECT_EQ(parse({"--name", "", "--", "x"}).error().message, "--name: is empty");
  EXPECT_EQ(parse({"--name=", "--", "x"}).error().message, "--name: is empty");
  for (const std::string word : {"", " ", "\t"}) {
    EXPECT_EQ(parse({word}, Operands::kWords).error().message, "submit: an argument is empty");
    EXPECT_EQ(parse({"--", word}, Operands::kJobs).error().message, "submit: an argument is empty");
  }
  // Of a command every word is the program's.
  EXPECT_TRUE(parse({"--", "echo", ""}));
  static constexpr std::array kClearable = {
      Flag{.name = "--group", .kind = FlagKind::kValue, .may_be_empty = true}};
  static constexpr std::array<FlagSection, 1> kSections = {FlagSection{"What", kClearable}};
  const auto cleared = parse_arguments("set", kSections, Operands::kJobs, Words{"--group", ""});
  ASSERT_TRUE(cleared);
  EXPECT_TRUE(cleared->has("--group"));
}

TEST(Flags, UnderstandsLettersAlsoTogetherAndWithAValue) {
  static constexpr std::array kFlags = {
      Flag{"--follow", 'f', FlagKind::kSwitch, "", ""},
      Flag{"--lines", 'n', FlagKind::kValue, "N", ""},
  };
  static constexpr std::array<FlagSection, 1> kSections = {FlagSection{"", kFlags}};
  const auto parsed = parse_arguments("logs", kSections, Operands::kJobs, Words{"-fn20", "7"});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->has("--follow"));
  EXPECT_EQ(parsed->text("--lines"), "20");
  EXPECT_EQ(parsed->operands, (Words{"7"}));
  EXPECT_EQ(parse_arguments("logs", kSections, Operands::kJobs, Words{"-n", "5"})->text("--lines"),
            "5");
}

TEST(Flags, RefusesWhatItDoesNotKnowInOneSentence) {
  const struct {
    Words words;
    Operands operands;
    std::string message;
  } cases[] = {
      {{"--gpuz", "2"}, Operands::kCommand, "submit has no flag --gpuz; did you mean --gpus?"},
      {{"--quite-unknown"}, Operands::kCommand, "submit has no flag --quite-unknown"},
      {{"--gpus"}, Operands::kCommand, "--gpus needs a value: --gpus N|A-B|all"},
      {{"--gpus", "--", "x"}, Operands::kCommand, "--gpus needs a value: --gpus N|A-B|all"},
      {{"--exclusive=yes"}, Operands::kCommand, "--exclusive takes no value"},
      {{"-z"}, Operands::kCommand, "submit has no flag -z"},
      {{"word"}, Operands::kNone, "submit takes no argument 'word'"},
      {{"--", "word"}, Operands::kNone, "submit takes no argument 'word'"},
  };
  for (const auto& [words, operands, message] : cases) {
    const auto parsed = parse(words, operands);
    ASSERT_FALSE(parsed) << words[0];
    EXPECT_EQ(parsed.error().message, message);
    EXPECT_EQ(exit_code_of(parsed.error().code), 64);
  }
}

TEST(Flags, FillsInFromAWeakerSourceWithoutOverridingTheStronger) {
  auto strong = *parse({"--gpus", "2", "--env", "A=strong"});
  const auto weak =
      *parse_arguments("#GPUSCHED", kSubmitSections, Operands::kNone,
                       Words{"--gpus", "8", "--vram", "4G", "--env", "B=weak"}, "s:3");
  static constexpr std::array<std::string_view, 1> kJoined = {"--env"};
  strong.fill_from(weak, kJoined);
  EXPECT_EQ(strong.text("--gpus"), "2");
  EXPECT_EQ(strong.text("--vram"), "4G");
  EXPECT_EQ(strong.find("--vram")->where, "s:3");
  ASSERT_EQ(strong.all("--env").size(), 2U);
  EXPECT_EQ(strong.all("--env")[0]->text, "B=weak");
}

TEST(Flags, NamesThePlaceOfAValueThatIsWrong) {
  const auto here = *parse({"--vram", "x"});
  EXPECT_EQ(bad_value(*here.find("--vram"), "is bad").value().message, "--vram: is bad");
  const auto there =
      *parse_arguments("x", kSubmitSections, Operands::kNone, Words{"--vram", "x"}, "job.sh:4");
  EXPECT_EQ(bad_value(*there.find("--vram"), "is bad").value().message, "job.sh:4: vram: is bad");
}

}  // namespace
}  // namespace gpusched::cli
