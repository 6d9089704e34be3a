// What a command is taken to run.
#include "core/model/program.h"

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
  EXPECT_EQ(of({"bash", "run.sh", "7"}), "/home/a/run.sh") << "as ./run.sh";
  EXPECT_EQ(of({"python", "-m", "fairseq.train", "x.py"}), "python -m fairseq.train");
}

TEST(Program, IsFoundBehindWrappersAndLaunchers) {
  EXPECT_EQ(of({"env", "A=1", "nice", "-n", "5", "python", "train.py"}), "python /home/a/train.py");
  EXPECT_EQ(of({"torchrun", "--nproc_per_node", "2", "train.py", "--x"}),
            "torchrun /home/a/train.py");
  EXPECT_EQ(of({"python", "-m", "torch.distributed.run", "--nproc_per_node=2", "train.py"}),
            "python -m torch.distributed.run /home/a/train.py");
  EXPECT_EQ(of({"torchrun", "--nproc_per_node", "2", "-m", "pkg.train"}), "torchrun -m pkg.train");
  EXPECT_EQ(of({"gpusched", "lease", "--vram", "4G", "--", "./serve", "--port", "1"}),
            "lease /home/a/serve");
  EXPECT_EQ(of({"nice", "-n", "5", "./train", "--x"}), "/home/a/train");
  EXPECT_EQ(of({"timeout", "-k", "5s", "10m", "./train", "--x"}), "/home/a/train");
  EXPECT_EQ(of({"conda", "run", "-n", "e", "python", "train.py"}),
            "conda run e python /home/a/train.py");
}

// Two programs that are taken for one cost a job the memory that it was not given.
TEST(Program, TwoAreNeverTakenForOne) {
  const std::vector<std::vector<std::string>> ways = {
      {"taskset", "-c", "0-3", "python", "X.py"},
      {"ionice", "-c", "3", "python", "X.py"},
      {"numactl", "-m", "0", "-N", "0", "python", "X.py"},
      {"timeout", "10m", "./X"},
      {"sudo", "-u", "ml1", "./X"},
      {"sudo", "-E", "./X"},
      {"conda", "run", "-n", "e", "./X"},
      {"uv", "run", "X"},
      {"uv", "run", "--frozen", "X", "data"},
      {"poetry", "run", "X"},
      {"mpirun", "--hostfile", "hosts", "./X"},
      {"accelerate", "launch", "-m", "pkg.X"},
      {"docker", "run", "--gpus", "all", "image", "X"},
      {"apptainer", "exec", "--nv", "image.sif", "python", "X.py"},
      {"make", "X"},
      {"make", "-j8", "X"},
      {"python", "X"},
      {"perl", "-e", "X()"},
      {"bash", "X"},
      {"bash", "-lc", "python X.py --seed 1"},
      {"bash", "-o", "pipefail", "-euc", "./X | tee log"},
      {"bash", "-c", "conda activate e && python X.py"},
      {"sh", "-c", "hostname; nvidia-smi; ./X > log 2>&1"},
      {"sh", "-c", "unknown-tool --x; python X.py"},
      {"sh", "-c", "for i in 1 2; do ./X $i; done"},
      {"sh", "-c", "if [ -f a ]; then A=1 python X.py; fi"},
      {"sh", "-c", "python prepare.py && python X.py"},
      {"sh", "-c", "# first\npython \\\n  X.py \\\n  --lr 1"},
  };
  for (const auto& way : ways) {
    const auto with = [&](const std::string& name) {
      std::vector<std::string> words = way;
      for (std::string& word : words) {
        if (const auto at = word.find('X'); at != std::string::npos) word.replace(at, 1, name);
      }
      return of(words);
    };
    EXPECT_NE(with("small"), with("big")) << way[0] << " " << way[1] << ": " << with("big");
    EXPECT_NE(with("small"), "");
  }
}

TEST(Program, IsTheSameInEveryDress) {
  const std::string plain = of({"python", "train.py"});
  EXPECT_EQ(of({"bash", "-lc", "cd /home/a && A=1 python train.py --x 1 2>&1 | tee log"}), plain);
  EXPECT_EQ(of({"sh", "-c", "conda activate e; nvidia-smi; exec python train.py >log 2>err"}),
            plain);
  EXPECT_EQ(of({"sh", "-c", "python \\\n train.py \\\n --lr 1"}), plain);
  EXPECT_EQ(of({"sh", "-c", "for i in 1 2; do python train.py $i & python train.py 7; done; wait"}),
            plain);
  EXPECT_EQ(of({"taskset", "-c", "0-3", "nohup", "python3.11", "-u", "train.py", "--x"}), plain);
}

TEST(Program, OfVeryManyWordsIsFoundInNoTime) {
  of(std::vector<std::string>(1'000'000, "env"));
  std::string line;
  for (int i = 0; i < 300'000; ++i) line += "sh -c ";
  of({"sh", "-c", line});
  std::string quoted = "true";
  for (int i = 0; i < 100; ++i) quoted = "sh -c \"" + quoted + "\"";
  of({"sh", "-c", quoted});
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

TEST(Program, OfALineIsThatOfItsCommandsThatWork) {
  EXPECT_EQ(program_of_line("cd /data/p && A=1 python train.py --x | tee log", "/home/a"),
            "python /data/p/train.py");
  EXPECT_EQ(of({"/bin/sh", "-c", "export A='x y'; python train.py"}), "python /home/a/train.py");
  EXPECT_EQ(program_of_line("cd sub; ./go \"a;b\"", "/home/a"), "/home/a/sub/go");
  EXPECT_EQ(program_of_line("python a.py && ./b --x", "/home/a"), "python /home/a/a.py; /home/a/b");
  EXPECT_EQ(program_of_line("", "/home/a"), "");
}

RC_GTEST_PROP(Program, AnyWordsGiveSomethingThatDoesNotVary,
              (const std::vector<std::string>& words, const std::string& line)) {
  RC_ASSERT(program_of_command(words, "/d") == program_of_command(words, "/d"));
  program_of_line(line, "/d");
}

}  // namespace
}  // namespace gpusched
