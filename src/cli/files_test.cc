#include "cli/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cli/submit/prepare.h"
#include "cli/submit/submit_flags.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::cli {
namespace {

using testing::TemporaryDirectory;

void write_file(const std::string& path, const std::string& text, mode_t mode = 0644) {
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
}

TEST(NewFile, IsThereWholeOrNotAtAll) {
  const TemporaryDirectory directory;
  {
    auto file = NewFile::create(directory / "backup");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("half"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  auto file = NewFile::create(directory / "backup");
  ASSERT_TRUE(file->write("whole"));
  ASSERT_TRUE(file->keep());
  EXPECT_EQ(*read_input(directory / "backup"), "whole");
  struct stat status {};
  ASSERT_EQ(::stat((directory / "backup").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(NewFile, NeverOverwrites) {
  const TemporaryDirectory directory;
  write_file(directory / "old", "precious");
  const auto refused = NewFile::create(directory / "old");
  ASSERT_FALSE(refused);
  EXPECT_EQ(exit_code_of(refused.error().code), 65);
  auto late = NewFile::create(directory / "new");
  ASSERT_TRUE(late->write("ours"));
  write_file(directory / "new", "theirs");
  ASSERT_FALSE(late->keep());
  EXPECT_EQ(*read_input(directory / "new"), "theirs");
}

TEST(ReadInput, SaysWhatIsWrong) {
  const TemporaryDirectory directory;
  EXPECT_EQ(exit_code_of(read_input(directory / "none").error().code), 66);
  write_file(directory / "large", std::string(1000, 'x'));
  EXPECT_EQ(read_input(directory / "large", 999).error().code, ErrorCode::kTooLarge);
  EXPECT_FALSE(read_head(directory.path(), 10));
}

Result<Submission> prepare(const std::vector<std::string>& words) {
  auto arguments = parse_arguments("submit", kSubmitSections, Operands::kCommand, words);
  if (!arguments) return failure(arguments.error());
  return prepare_submission(*arguments, kSubmitSections);
}

TEST(Prepare, TakesDirectivesFromAScriptAndTheCommandLineWins) {
  const TemporaryDirectory directory;
  const std::string script = directory / "train.sh";
  write_file(script,
             "#!/bin/bash\n#GPUSCHED --gpus 2 --vram 8G\n#GPUSCHED --vram 9G --env A=1\necho\n");
  const auto submission = prepare({"--gpus", "4", "--env", "B=2", script, "x", "--gpus"});
  ASSERT_TRUE(submission) << submission.error().message;
  EXPECT_EQ(submission->fields, R"("gpus":{"least":4,"most":4},"vram_bytes":9663676416)");
  // Not executable: run by its interpreter.
  EXPECT_EQ(submission->command, (std::vector<std::string>{"/bin/bash", script, "x", "--gpus"}));
  EXPECT_EQ(submission->environment[submission->environment.size() - 2], "A=1");
  EXPECT_EQ(submission->environment.back(), "B=2");
  ::chmod(script.c_str(), 0755);
  EXPECT_EQ(prepare({script})->command, (std::vector<std::string>{script}));
}

TEST(Prepare, NamesTheLineOfABadDirective) {
  const TemporaryDirectory directory;
  const std::string script = directory / "s.sh";
  write_file(script, "#!/bin/sh\n#GPUSCHED --gpuz 2\n");
  EXPECT_EQ(prepare({script}).error().message,
            script + ":2: #GPUSCHED has no flag --gpuz; did you mean --gpus?");
  write_file(script, "#!/bin/sh\n\n#GPUSCHED --vram lots\n");
  EXPECT_TRUE(prepare({script}).error().message.starts_with(script + ":3: vram: "));
  write_file(script, "#GPUSCHED --name 'x\n");
  EXPECT_EQ(prepare({script}).error().message, script + ":1: the #GPUSCHED line has no closing '");
}

TEST(Prepare, ReadsAJobFileAndLetsTheCommandLineReplaceItsCommand) {
  const TemporaryDirectory directory;
  const std::string file = directory / "job.yaml";
  write_file(file, "command: echo from the file\ngpus: 2\n");
  const auto submission = prepare({"--file", file, "--gpus", "1", "--", "echo", "here"});
  ASSERT_TRUE(submission) << submission.error().message;
  EXPECT_EQ(submission->command, (std::vector<std::string>{"echo", "here"}));
  EXPECT_FALSE(submission->shell);
  EXPECT_EQ(submission->fields, R"("gpus":{"least":1,"most":1})");
  EXPECT_TRUE(prepare({"--file", file})->shell);
  write_file(file, "command: [a]\nvram: 8Q\n");
  EXPECT_TRUE(prepare({"--file", file}).error().message.starts_with(file + ":2:7: vram: "));
}

TEST(Prepare, ReadsTheLinesOfAFile) {
  const TemporaryDirectory directory;
  write_file(directory / "list", "a\n\nb c\n");
  const auto submission = prepare({"--each-line", directory / "list", "--", "echo", "{line}"});
  ASSERT_TRUE(submission);
  EXPECT_EQ(submission->parameters[0].values, (std::vector<std::string>{"a", "b c"}));
}

}  // namespace
}  // namespace gpusched::cli
