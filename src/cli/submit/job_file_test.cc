#include "cli/submit/job_file.h"

#include <gtest/gtest.h>

#include "cli/submit/submit_flags.h"

namespace gpusched::cli {
namespace {

Result<Arguments> parse(const std::string& text) {
  return parse_job_file(text, "job.yaml", kSubmitSections);
}

TEST(JobFile, MeansWhatTheFlagsMean) {
  const auto job = parse(
      "command: [python, train.py, --lr, \"{lr}\"]\n"
      "gpus: 1-4\n"
      "vram: 8G\n"
      "exclusive: true\n"
      "restartable: false\n"
      "cpu-ok: fallback\n"
      "tag: [paper, night]\n"
      "after: [7, 8]\n"
      "env:\n"
      "  OMP_NUM_THREADS: 4\n"
      "param:\n"
      "  lr: [0.1, 0.01]\n"
      "  seed: \"1:5\"\n"
      "  when: ['10:30', 'a,b']\n");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->command, (std::vector<std::string>{"python", "train.py", "--lr", "{lr}"}));
  EXPECT_EQ(job->text("--gpus"), "1-4");
  EXPECT_EQ(job->find("--vram")->where, "job.yaml:3:7");
  EXPECT_TRUE(job->has("--exclusive"));
  EXPECT_FALSE(job->has("--restartable"));
  EXPECT_EQ(job->text("--cpu-ok"), "fallback");
  EXPECT_EQ(job->text("--tag"), "paper,night");
  EXPECT_EQ(job->text("--after"), "7,8");
  EXPECT_EQ(job->text("--env"), "OMP_NUM_THREADS=4");
  ASSERT_EQ(job->all("--param").size(), 3U);
  EXPECT_EQ(job->all("--param")[0]->text, "lr=0.1,0.01");
  EXPECT_EQ(job->all("--param")[1]->text, "seed=1:5");
  EXPECT_EQ(job->all("--param")[2]->text, "when=10\\:30,a\\,b");
}

TEST(JobFile, TakesALineForTheShell) {
  const auto job = parse("command: make -j4 && ./run\n");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->text("--cmd"), "make -j4 && ./run");
}

TEST(JobFile, SaysWhereItIsWrong) {
  const struct {
    std::string text;
    std::string message;
  } cases[] = {
      {"", "job.yaml: the job file is empty"},
      {"# nothing\n", "job.yaml: the job file is empty"},
      {"- a\n", "job.yaml:1:1: a job file is a list of keys such as 'gpus: 2'"},
      {"gpus: 2\nvrma: 8G\n", "job.yaml:2:1: there is no key 'vrma'; did you mean vram?"},
      {"file: x\n", "job.yaml:1:1: there is no key 'file'; did you mean time?"},
      {"gpus: 1\ngpus: 2\n", "job.yaml:2:1: the key 'gpus' is given twice"},
      {"exclusive: 3\n", "job.yaml:1:12: exclusive is true or false"},
      {"gpus:\n", "job.yaml:1:1: gpus has no value"},
      {"gpus: {a: 1}\n", "job.yaml:1:7: gpus is one value or a list of values"},
      {"command: []\n", "job.yaml:1:10: command is a list of words, or a line for the shell"},
      {"command: [[a]]\n", "job.yaml:1:11: a word of command is a text"},
      {"param: [1]\n", "job.yaml:1:8: param is a list of names with their values"},
      {"param: {a: {b: 1}}\n", "job.yaml:1:12: a parameter has one value or a list of values"},
      {"env: {a: [1]}\n", "job.yaml:1:6: env is a list of NAME: value"},
      {"gpus: 1\n---\ngpus: 2\n", "job.yaml:2:1: a job file has one document"},
      {"gpus: [1\n", "job.yaml:2:1: end of sequence flow not found"},
      {"a: b: c\n", "job.yaml:1:5: illegal map value"},
      {"? [a]\n: b\n", "job.yaml:1:3: a key must be a word"},
  };
  for (const auto& [text, message] : cases) {
    const auto job = parse(text);
    ASSERT_FALSE(job) << text;
    EXPECT_EQ(job.error().message, message) << text;
    EXPECT_EQ(exit_code_of(job.error().code), 64);
  }
}

}  // namespace
}  // namespace gpusched::cli
