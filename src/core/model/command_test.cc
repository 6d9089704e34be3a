#include <gtest/gtest.h>

#include "core/model/job.h"

namespace gpusched {
namespace {

Job job_with(std::vector<std::string> argv,
             std::vector<std::pair<std::string, std::string>> values) {
  JobSpec spec;
  spec.argv = std::move(argv);
  Job job;
  job.spec = std::make_shared<JobSpec>(spec);
  job.task = std::make_shared<ArrayTask>(ArrayTask{JobId{1}, 7, std::move(values)});
  return job;
}

using Words = std::vector<std::string>;

TEST(Command, FillsInKnownPlaceholdersAndLeavesOtherBracesAlone) {
  const Job job = job_with({"train", "--lr={lr}", "{index}", "{\"a\": {x}}", "{"}, {{"lr", "0.1"}});
  EXPECT_EQ(command_of(job), (Words{"train", "--lr=0.1", "7", "{\"a\": {x}}", "{"}));
}

TEST(Command, AValueIsNotFilledInTwice) {
  const Job job = job_with({"{a}"}, {{"a", "{b}"}, {"b", "no"}});
  EXPECT_EQ(command_of(job), Words{"{b}"});
}

TEST(Command, AShellLineIsGivenToTheShell) {
  Job job = job_with({"echo {index} | cat"}, {});
  auto spec = std::make_shared<JobSpec>(*job.spec);
  spec->shell = true;
  job.spec = spec;
  EXPECT_EQ(command_of(job), (Words{"/bin/sh", "-c", "echo 7 | cat"}));
  EXPECT_EQ(command_line_of(job), "echo 7 | cat");
}

TEST(Command, TheLineForPeopleIsQuotedSoThatItCanBePasted) {
  EXPECT_EQ(command_line_of(job_with({"echo", "a b", "it's", ""}, {})), "echo 'a b' 'it'\\''s' ''");
}

TEST(Command, ManyBracesAreLeftAsTheyAre) {
  const std::string braces(100'000, '{');
  EXPECT_EQ(command_of(job_with({braces + "}"}, {{"lr", "0.1"}})), Words{braces + "}"});
}

TEST(Command, TheLineForPeopleIsCutWhereACharacterEnds) {
  std::string word;
  while (word.size() < 3 * kCommandLineMost) word += "ä";
  const std::string line = command_line_of(job_with({"x", word, word}, {}));
  EXPECT_LE(line.size(), kCommandLineMost + 3);
  EXPECT_TRUE(line.ends_with("ä…")) << line;
}

TEST(Command, OthersSeeTheProgramAlone) {
  EXPECT_EQ(program_of(job_with({"/home/me/secret/bin/python", "train.py"}, {})), "python");
  Job job = job_with({" torchrun --key=x train.py; ls"}, {});
  auto spec = std::make_shared<JobSpec>(*job.spec);
  spec->shell = true;
  job.spec = spec;
  EXPECT_EQ(program_of(job), "torchrun");
}

}  // namespace
}  // namespace gpusched
