// What a command is taken to run.
#include "core/program.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gpusched {
namespace {

std::string of(const std::vector<std::string>& words) {
  return program_of_command(words, "/home/a");
}

TEST(Program, IsTheScriptOfAnInterpreterWhateverItIsTold) {
  EXPECT_EQ(of({"python", "train.py", "--out_dir=/x/n0"}), "python /home/a/train.py");
  EXPECT_EQ(of({"/usr/bin/python3.11", "-u", "./train.py", "big.py"}), "python /home/a/train.py");
  EXPECT_EQ(of({"python", "/opt/t/train.py"}), "python /opt/t/train.py");
  EXPECT_EQ(of({"bash", "run.sh", "7"}), "bash /home/a/run.sh");
  EXPECT_EQ(of({"python", "-m", "fairseq.train", "x.py"}), "python -m fairseq.train");
}

TEST(Program, IsFoundBehindWrappersAndLaunchers) {
  EXPECT_EQ(of({"env", "A=1", "nice", "-n", "5", "python", "train.py"}), "env /home/a/train.py");
  EXPECT_EQ(of({"torchrun", "--nproc_per_node", "2", "train.py", "--x"}),
            "torchrun /home/a/train.py");
  EXPECT_EQ(of({"python", "-m", "torch.distributed.run", "--nproc_per_node=2", "train.py"}),
            "python -m torch.distributed.run /home/a/train.py");
  EXPECT_EQ(of({"gpusched", "lease", "--vram", "4G", "--", "./serve", "--port", "1"}),
            "gpusched /home/a/serve");
  EXPECT_EQ(of({"nice", "-n", "5", "./train", "--x"}), "nice /home/a/train");
}

TEST(Program, WithoutAnInterpreterIsTheProgramItself) {
  EXPECT_EQ(of({"train", "--x"}), "train") << "found in PATH from everywhere";
  EXPECT_EQ(of({"./train", "--x"}), "/home/a/train");
  EXPECT_EQ(of({"/x/run_12/train"}), "/x/run_#/train");
  EXPECT_EQ(of({}), "");
}

TEST(Program, CodeOnTheCommandLineIsToldApartWithoutBeingKept) {
  const std::string one = of({"python", "-c", "secret = 'abc'; run(1)", "8"});
  EXPECT_EQ(one.find("secret"), std::string::npos);
  EXPECT_EQ(one, of({"python", "-c", "secret = 'abc'; run(2)", "9"}));
  EXPECT_NE(one, of({"python", "-c", "other()"}));
}

TEST(Program, OfALineIsThatOfItsFirstCommandThatWorks) {
  EXPECT_EQ(program_of_line("cd /data/p && A=1 python train.py --x | tee log", "/home/a"),
            "python /data/p/train.py");
  EXPECT_EQ(of({"/bin/sh", "-c", "export A='x y'; python train.py"}), "sh python /home/a/train.py");
  EXPECT_EQ(program_of_line("cd sub; ./go \"a;b\"", "/home/a"), "/home/a/sub/go");
  EXPECT_EQ(program_of_line("", "/home/a"), "");
}

RC_GTEST_PROP(Program, AnyWordsGiveSomethingThatDoesNotVary,
              (const std::vector<std::string>& words, const std::string& line)) {
  RC_ASSERT(program_of_command(words, "/d") == program_of_command(words, "/d"));
  program_of_line(line, "/d");
}

}  // namespace
}  // namespace gpusched
