#include "cli/submit/program_note.h"

#include <gtest/gtest.h>

namespace gpusched::cli {
namespace {

std::string about_program(const Submission& submission) {
  const auto is_there = [](const std::string& path) {
    return path == "/usr/bin/python" || path == "/data/run.sh";
  };
  return note_on_program(submission, is_there).value_or("");
}

Submission of(const std::string& program) {
  Submission submission;
  submission.command = {program, "train.py"};
  submission.working_directory = "/data";
  submission.environment = {"HOME=/", "PATH=/bin:/usr/bin"};
  return submission;
}

TEST(ProgramNote, TellsOfAProgramThatIsNotThere) {
  constexpr const char* kThen = "; the job fails at its start unless it is there by then";
  EXPECT_EQ(about_program(of("python")), "");
  EXPECT_EQ(about_program(of("pyhton")), std::string("there is no program pyhton in PATH") + kThen);
  EXPECT_EQ(about_program(of("./run.sh")).find("the program /data/./run.sh"), 0U);
  EXPECT_EQ(about_program(of("/data/run.sh")), "");
  EXPECT_EQ(about_program(of("/data/walk.sh")),
            std::string("the program /data/walk.sh does not exist") + kThen);
}

TEST(ProgramNote, SaysNothingWhereNobodyCanTell) {
  EXPECT_EQ(about_program(of("{program}")), "");
  Submission other = of("pyhton");
  other.shell = true;
  EXPECT_EQ(about_program(other), "");
  other = of("pyhton");
  other.elsewhere = true;
  EXPECT_EQ(about_program(other), "");
  other = of("pyhton");
  other.environment.clear();
  EXPECT_EQ(about_program(other), "");
  other = of("./pyhton");
  other.working_directory = "/data/{index}";
  EXPECT_EQ(about_program(other), "");
  // The job's own variables count.
  other = of("pyhton");
  other.variables = {"PATH=relative:/bin"};
  EXPECT_EQ(about_program(other), "");
}

}  // namespace
}  // namespace gpusched::cli
