// gpusched-sampler itself, as the daemon starts it, on the simulated driver.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <memory>

#include "sampler/sampler_harness.h"
#include "tests/support/simulated_driver.h"

extern char** environ;

namespace gpusched::testing {
namespace {

using std::chrono::milliseconds;
using watch::Cause;

int spawn(std::vector<std::string> words, const std::vector<std::string>& variables, int in,
          int out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  std::vector<char*> argv, environment;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> all = variables;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  for (std::string& variable : all) environment.push_back(variable.data());
  environment.push_back(nullptr);
  pid_t pid = -1;
  EXPECT_EQ(::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environment.data()), 0);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

// A process with children of its own, none of which does anything. Ends when it is told to.
class Tree {
 public:
  Tree() {
    Pipe in, out;
    pid_ = spawn({"/bin/sh", "-c", "sleep 60 & echo $!; read word; kill $!; wait"}, {},
                 in.read.get(), out.write.get());
    out.write.reset();
    char line[32] = {};
    EXPECT_GT(::read(out.read.get(), line, sizeof line - 1), 0);
    child_ = std::atoi(line);
    in_ = std::move(in.write);
  }
  ~Tree() { end(); }
  int pid() const { return pid_; }
  int child() const { return child_; }
  void end() {
    in_.reset();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  int pid_ = -1, child_ = -1;
  Fd in_;
};

class SamplerProgramTest : public ::testing::Test {
 protected:
  void start(const std::string& scenario, const std::vector<std::string>& arguments = {}) {
    driver_ = std::make_unique<SimulatedDriver>(scenario);
    start_on(driver_->environment(), arguments);
  }
  void start_on(const std::vector<std::string>& variables,
                const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> words = {SAMPLER_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Pipe orders, reports;
    pid_ = spawn(words, variables, orders.read.get(), reports.write.get());
    talk_ = std::make_unique<Conversation>(std::move(reports.read), std::move(orders.write));
  }
  int wait_for_end() {
    int status = 0;
    const int pid = std::exchange(pid_, -1);
    if (pid <= 0 || ::waitpid(pid, &status, 0) != pid) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  void TearDown() override {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait_for_end();
  }
  // No look by its period; short deadlines.
  void calm_down(milliseconds deadline = milliseconds{100}) {
    talk_->say(watch::PeriodOrder{true, milliseconds{600'000}, milliseconds{600'000}, deadline});
  }

  std::unique_ptr<SimulatedDriver> driver_;
  std::unique_ptr<Conversation> talk_;
  int pid_ = -1;
};

TEST_F(SamplerProgramTest, OnceSaysEverythingOnceAndEnds) {
  start("8xH200", {"--once"});
  const auto reports = talk_->rest();
  EXPECT_EQ(wait_for_end(), 0);
  ASSERT_EQ(reports.size(), 9u);
  const auto& cards = std::get<watch::CardsReport>(reports[0]);
  ASSERT_EQ(cards.cards.size(), 8u);
  EXPECT_EQ(cards.cards[7].identity.model, "NVIDIA H200");
  EXPECT_EQ(cards.backends.at(0).name, "nvml");
  EXPECT_EQ(cards.backends.at(0).driver_version, "580.159.04");
  EXPECT_EQ(std::get<watch::SampleReport>(reports[8]).sample.ecc_uncorrected, 0u);
}

TEST_F(SamplerProgramTest, OnceWithoutADriverIsNoTrouble) {
  start_on({"GPUSCHED_SIM_WORLD=/nowhere", "LD_LIBRARY_PATH=" SIMULATED_DRIVER_DIRECTORY},
           {"--once"});
  const auto reports = talk_->rest();
  EXPECT_EQ(wait_for_end(), 3);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(std::get<watch::CardsReport>(reports[0]).backends.at(0).absent);
}

TEST_F(SamplerProgramTest, OnceWithADriverInTroubleIsTrouble) {
  driver_ = std::make_unique<SimulatedDriver>("2x24G");
  driver_->set({"return=nvmlInit_v2:18"});
  start_on(driver_->environment(), {"--once"});
  talk_->rest();
  EXPECT_EQ(wait_for_end(), 1);
}

TEST_F(SamplerProgramTest, EndsWhenItsInputEnds) {
  start("2x24G");
  ASSERT_TRUE(talk_->sample_of(1));
  talk_->hang_up();
  EXPECT_EQ(wait_for_end(), 0);
}

TEST_F(SamplerProgramTest, EndsInTheMiddleOfAStuckCall) {
  start("2x24G");
  calm_down();
  ASSERT_TRUE(talk_->sample_of(1));
  driver_->set({"card=all", "hang=all"});
  talk_->say(watch::SampleNowOrder{});
  ASSERT_TRUE(talk_->wait_for<watch::UnknownReport>());
  talk_->hang_up();
  EXPECT_EQ(wait_for_end(), 0);
}

TEST_F(SamplerProgramTest, AHungCardIsUnknownTheOthersAreNotAndItComesBack) {
  start("2x24G");
  ASSERT_TRUE(talk_->sample_of(0));
  talk_->say(watch::PeriodOrder{true, milliseconds{20}, {}, milliseconds{100}});
  driver_->set({"card=0", "hang=nvmlDeviceGetMemoryInfo_v2"});
  const auto unknown = talk_->wait_for<watch::UnknownReport>();
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->card, CardNumber{0});
  EXPECT_TRUE(talk_->sample_of(1));
  EXPECT_TRUE(talk_->sample_of(1));
  driver_->set({"card=0", "clear=faults"});
  const auto back = talk_->sample_of(0);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->cause, Cause::kReturn);
  EXPECT_TRUE(back->sample.vram_bytes);
}

TEST_F(SamplerProgramTest, ASlowCallIsUnknownUntilItIsThere) {
  start("2x24G");
  calm_down();
  ASSERT_TRUE(talk_->sample_of(0));
  driver_->set({"card=0", "slow=nvmlDeviceGetUtilizationRates:1s"});
  talk_->say(watch::SampleNowOrder{CardNumber{0}});
  ASSERT_TRUE(talk_->wait_for<watch::UnknownReport>());
  EXPECT_TRUE(talk_->sample_of(0, [](const auto& s) { return s.cause == Cause::kReturn; }));
}

TEST_F(SamplerProgramTest, ALostCardIsGone) {
  start("2x24G");
  calm_down();
  ASSERT_TRUE(talk_->sample_of(1));
  driver_->set({"card=1", "lost=on", "xid=79"});
  const auto gone = talk_->wait_for<watch::GoneReport>();
  ASSERT_TRUE(gone) << "The event alone makes it look.";
  EXPECT_EQ(gone->card, CardNumber{1});
  const auto event = std::ranges::find_if(talk_->passed, [](const auto& report) {
    return std::holds_alternative<watch::EventReport>(report);
  });
  ASSERT_NE(event, talk_->passed.end());
  EXPECT_EQ(std::get<watch::EventReport>(*event).event.number, 79u);
  talk_->say(watch::SampleNowOrder{CardNumber{0}});
  EXPECT_TRUE(talk_->sample_of(0));
}

TEST_F(SamplerProgramTest, AnUpdatedDriverEndsItAndTheNextOneSeesIt) {
  start("2x24G");
  calm_down();
  ASSERT_TRUE(talk_->sample_of(0));
  driver_->set({"driver=590.1"});
  const auto reports = talk_->rest();
  EXPECT_EQ(wait_for_end(), 4);
  const auto unknown = std::ranges::count_if(reports, [](const auto& report) {
    return std::holds_alternative<watch::UnknownReport>(report);
  });
  EXPECT_EQ(unknown, 2) << "Noticed by the wait for events, without a look.";
  start_on(driver_->environment());
  const auto cards = talk_->wait_for<watch::CardsReport>();
  ASSERT_TRUE(cards);
  EXPECT_EQ(cards->backends.at(0).driver_version, "590.1");
}

TEST_F(SamplerProgramTest, AnExitIsASampleWithoutTheProcess) {
  start("2x24G");
  calm_down();
  ASSERT_TRUE(talk_->sample_of(1));
  Tree tree;
  const std::string pid = std::to_string(tree.pid());
  driver_->add_process({"card=1", "vram=5G", "pid=" + pid});
  talk_->say(watch::SampleNowOrder{CardNumber{1}});
  const auto listed = talk_->sample_of(1, [](const auto& s) { return !s.processes->empty(); });
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->sample.used_bytes, 5ULL << 30);
  const watch::ProcessOwner& owner = listed->processes->at(0).owner;
  EXPECT_EQ(owner.uid, ::getuid());
  EXPECT_TRUE(owner.command.starts_with("/bin/sh -c sleep 60"));
  EXPECT_TRUE(owner.started);
  EXPECT_FALSE(owner.attempt);
  driver_->remove_process(tree.pid());
  tree.end();
  const auto after = talk_->sample_of(1);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->cause, Cause::kExit);
  EXPECT_TRUE(after->processes->empty());
  EXPECT_EQ(after->sample.used_bytes, 0u);
}

TEST_F(SamplerProgramTest, ForksOfAJobAreItsOwn) {
  start("2x24G");
  calm_down();
  ASSERT_TRUE(talk_->sample_of(0));
  Tree tree;
  driver_->add_process({"card=0", "vram=1G", "pid=" + std::to_string(tree.child())});
  talk_->say(watch::JobsOrder{{{AttemptId{JobId{12}, 3}, tree.pid(), ::getuid()}}, {}});
  talk_->say(watch::SampleNowOrder{CardNumber{0}});
  auto sample = talk_->sample_of(0, [](const auto& s) { return !s.processes->empty(); });
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->processes->at(0).owner.attempt, (AttemptId{JobId{12}, 3}));
  EXPECT_EQ(sample->processes->at(0).owner.evidence, watch::Evidence::kTree);
  talk_->say(watch::JobsOrder{});
  talk_->say(watch::SampleNowOrder{CardNumber{0}});
  sample = talk_->sample_of(0);
  ASSERT_TRUE(sample);
  EXPECT_FALSE(sample->processes->at(0).owner.attempt) << "It has outlived its attempt.";
}

TEST_F(SamplerProgramTest, AJobsPeakIsWhatItAllocated) {
  start(
      "name: accounted\naccounting: true\n"
      "cards:\n  - {count: 2, model: NVIDIA H200, vram: 24G, context: 0}\n");
  calm_down();
  ASSERT_TRUE(talk_->sample_of(0));
  Pipe in, out;
  const int job = spawn({SIMJOB_PROGRAM, "--vram", "8G", "--util", "60", "--seconds", "60"},
                        driver_->environment(), in.read.get(), out.write.get());
  talk_->say(watch::JobsOrder{{{AttemptId{JobId{3}, 1}, ::getpid(), ::getuid()}}, {}});
  const auto has_all = [&](const watch::SampleReport& s) {
    return s.processes && s.processes->size() == 1 &&
           s.processes->at(0).seen.vram_bytes == 8ULL << 30;
  };
  talk_->say(watch::PeriodOrder{true, milliseconds{10}, {}, {}});
  const auto running = talk_->sample_of(0, has_all);
  ASSERT_TRUE(running);
  EXPECT_EQ(running->processes->at(0).seen.pid, job);
  EXPECT_EQ(running->processes->at(0).owner.attempt, (AttemptId{JobId{3}, 1}));
  calm_down();
  ::kill(job, SIGKILL);
  const auto after = talk_->sample_of(0, [](const auto& s) { return s.cause == Cause::kExit; });
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->processes->empty()) << "A killed process frees what it held.";
  EXPECT_EQ(after->sample.used_bytes, 0u);
  const auto ended = talk_->wait_for<watch::EndedReport>();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->processes.at(0).account.pid, job);
  EXPECT_EQ(ended->processes.at(0).account.peak_vram_bytes, 8ULL << 30);
  EXPECT_EQ(ended->processes.at(0).attempt, (AttemptId{JobId{3}, 1}));
  ::waitpid(job, nullptr, 0);
}

TEST_F(SamplerProgramTest, ARefusedArgumentChangesNothing) {
  start_on({}, {"--twice"});
  EXPECT_TRUE(talk_->rest().empty());
  EXPECT_EQ(wait_for_end(), 64);
}

}  // namespace
}  // namespace gpusched::testing
