#include "cli/submit/directives.h"

#include <gtest/gtest.h>

namespace gpusched::cli {
namespace {

using Texts = std::vector<std::string>;

TEST(Directives, SplitsWordsAsAShellDoes) {
  const struct {
    std::string text;
    Texts words;
  } cases[] = {
      {"--gpus 2 --vram 8G", {"--gpus", "2", "--vram", "8G"}},
      {"  a\tb  ", {"a", "b"}},
      {"'a b' \"c d\"", {"a b", "c d"}},
      {"a'b'c", {"abc"}},
      {"\"a\\\"b\" 'c\\d'", {"a\"b", "c\\d"}},
      {"\"a\\b\"", {"a\\b"}},
      {"a\\ b", {"a b"}},
      {"''", {""}},
      {"a # comment", {"a"}},
      {"a#b", {"a#b"}},
      {"$HOME `x`", {"$HOME", "`x`"}},
      {"", {}},
  };
  for (const auto& [text, words] : cases) {
    const auto split = split_words(text);
    ASSERT_TRUE(split) << text;
    EXPECT_EQ(*split, words) << text;
  }
  EXPECT_EQ(split_words("'a").error().message, "has no closing '");
  EXPECT_EQ(split_words("\"a").error().message, "has no closing \"");
  EXPECT_EQ(split_words("a\\").error().message, "ends in a backslash");
}

TEST(Directives, ReadsOnlyTheHeadOfAScript) {
  const auto lines = parse_directives(
      "#!/bin/bash\n"
      "# what it does\n"
      "#GPUSCHED --gpus 2\n"
      "\n"
      "  #GPUSCHED --name 'my job'  # as shown\n"
      "#GPUSCHEDX --not-ours\n"
      "echo go\n"
      "#GPUSCHED --gpus 7\n");
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 2U);
  EXPECT_EQ((*lines)[0].line, 3);
  EXPECT_EQ((*lines)[0].words, (Texts{"--gpus", "2"}));
  EXPECT_EQ((*lines)[1].line, 5);
  EXPECT_EQ((*lines)[1].words, (Texts{"--name", "my job"}));
}

TEST(Directives, TellsOfOneThatComesTooLate) {
  EXPECT_EQ(directive_too_late("#!/bin/sh\n#GPUSCHED --gpus 2\n\necho go\n#GPUSCHEDX\n"), 0);
  EXPECT_EQ(directive_too_late("#!/bin/sh\necho go\n  #GPUSCHED --gpus 7\n"), 3);
  EXPECT_EQ(directive_too_late(""), 0);
}

TEST(Directives, FindsNothingInProgramsAndEmptyFiles) {
  EXPECT_TRUE(parse_directives("")->empty());
  EXPECT_TRUE(parse_directives("\x7f"
                               "ELF\n#GPUSCHED --gpus 2\n")
                  ->empty());
  EXPECT_TRUE(parse_directives(std::string("#\0\n#GPUSCHED --gpus 2\n", 23))->empty());
}

TEST(Directives, SaysWhichLineIsBroken) {
  EXPECT_EQ(parse_directives("#!/bin/sh\n#GPUSCHED --name 'x\n").error().message,
            "2: the #GPUSCHED line has no closing '");
}

TEST(Directives, NoticesLinesForSlurm) {
  EXPECT_EQ(slurm_line("#!/bin/sh\n\n#SBATCH --gres=gpu:1\necho\n"), 3);
  EXPECT_EQ(slurm_line("#!/bin/sh\necho\n#SBATCH --gres=gpu:1\n"), 0);
  EXPECT_EQ(slurm_line(""), 0);
}

TEST(Directives, KnowsTheInterpreter) {
  EXPECT_EQ(interpreter_of("#!/bin/bash -eu x\necho"), (Texts{"/bin/bash", "-eu x"}));
  EXPECT_EQ(interpreter_of("#! /usr/bin/env python3"), (Texts{"/usr/bin/env", "python3"}));
  EXPECT_TRUE(interpreter_of("echo").empty());
  EXPECT_TRUE(interpreter_of("#!\n").empty());
}

}  // namespace
}  // namespace gpusched::cli
