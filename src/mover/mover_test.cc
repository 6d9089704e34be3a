// The program by itself, on the simulated driver: with a job directory that a test has made, and a
// control group that is a directory with plain files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "base/clock.h"
#include "base/fd.h"
#include "process/job_directory.h"
#include "process/move_record.h"
#include "tests/support/simulated_driver.h"

namespace gpusched::mover {
namespace {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30;

class Program {
 public:
  Program(std::vector<std::string> words, std::vector<std::string> variables) {
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    for (std::string& variable : variables) environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    EXPECT_EQ(
        ::posix_spawn(&pid_, arguments[0], nullptr, nullptr, arguments.data(), environment.data()),
        0);
  }
  ~Program() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  int pid() const { return pid_; }
  bool is_running() {
    if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
    return pid_ > 0;
  }
  int exit_status() {
    if (pid_ > 0) ::waitpid(pid_, &status_, 0);
    pid_ = 0;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128;
  }

 private:
  pid_t pid_ = 0;
  int status_ = 0;
};

class Mover : public ::testing::Test {
 protected:
  Mover() { directory_fd_.reset(::open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY)); }

  void start_job() {
    job_.emplace(std::vector<std::string>{SIMJOB_PROGRAM, "--vram", "4G", "--seconds", "0"},
                 driver_.environment());
    ASSERT_TRUE(wait_until([&] { return held() == 4 * kGib; }));
  }
  std::uint64_t held() const { return driver_.held_on(0); }
  static bool wait_until(const std::function<bool()>& condition) {
    const Boot deadline = read_clock().boot + Seconds{20};
    while (!condition()) {
      if (read_clock().boot > deadline) return false;
      ::poll(nullptr, 0, 5);
    }
    return true;
  }
  std::vector<std::string> words(const std::string& direction) const {
    std::vector<std::string> all{MOVER_PROGRAM, direction, directory_.path()};
    if (!claim_) all.insert(all.end(), {"--tree", std::to_string(job_->pid())});
    return all;
  }
  int run(std::vector<std::string> given) {
    return Program(std::move(given), driver_.environment()).exit_status();
  }
  // A control group with the job in it, and the claim that names it.
  void claim_with_group(const std::string& memory_max, const std::string& events) {
    ::mkdir(group().c_str(), 0700);
    write("cgroup.procs", std::to_string(job_->pid()) + "\n");
    write("cgroup.events", events);
    write("memory.max", memory_max + "\n");
    auto claim = try_claim(directory_fd_.get(), {true, ::getpid(), *read_boot_id(), group()});
    ASSERT_TRUE(claim);
    claim_ = std::move(*claim);
  }
  std::string group() const { return directory_ / "group"; }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(group() + "/" + name) << text;
  }
  std::string memory_max() const {
    std::string text;
    std::ifstream(group() + "/memory.max") >> text;
    return text;
  }
  MoveRecord record() const {
    const auto text = read_file(directory_fd_.get(), kMoveFile);
    const auto read = text && text->has_value() ? parse_move(**text) : failure(Error{});
    return read ? *read : MoveRecord{};
  }

  testing::SimulatedDriver driver_{"2x24G"};
  testing::TemporaryDirectory directory_;
  Fd directory_fd_;
  Fd claim_;
  std::optional<Program> job_;
};

TEST_F(Mover, MovesATreeByHandAndPrintsItsRecord) {
  start_job();
  EXPECT_EQ(run(words("out")), 0);
  EXPECT_EQ(held(), 0U);
  EXPECT_EQ(record().bytes(), 4 * kGib);
  EXPECT_EQ(run(words("back")), 0);
  EXPECT_EQ(held(), 4 * kGib);
}

TEST_F(Mover, TheMemoryLimitOfTheGroupMakesRoomAndIsPutBack) {
  start_job();
  claim_with_group(std::to_string(kGib), "populated 1\nfrozen 0\n");
  EXPECT_EQ(run(words("out")), 0);
  EXPECT_GE(std::stoull(memory_max()), 5 * kGib);
  EXPECT_EQ(record().memory_max, std::to_string(kGib));
  EXPECT_EQ(run(words("back")), 0);
  EXPECT_EQ(memory_max(), std::to_string(kGib));
  EXPECT_EQ(record().memory_max, "");
}

TEST_F(Mover, AGroupWithoutALimitIsLeftAlone) {
  start_job();
  claim_with_group("max", "populated 1\nfrozen 0\n");
  EXPECT_EQ(run(words("out")), 0);
  EXPECT_EQ(memory_max(), "max");
}

TEST_F(Mover, ALimitThatWasRaisedForNothingIsPutBack) {
  start_job();
  claim_with_group(std::to_string(kGib), "populated 1\nfrozen 0\n");
  driver_.set({"return=cuCheckpointProcessCheckpoint:801"});
  EXPECT_EQ(run(words("out")), 1);
  EXPECT_EQ(memory_max(), std::to_string(kGib));
}

TEST_F(Mover, AFrozenGroupIsNotAsked) {
  start_job();
  claim_with_group("max", "populated 1\nfrozen 1\n");
  EXPECT_EQ(run(words("out")), 1);
  EXPECT_NE(record().error.find("is stopped"), std::string::npos) << record().error;
}

TEST_F(Mover, AnAttemptWithoutALivingShimIsNotTouched) {
  start_job();
  claim_with_group("max", "populated 1\nfrozen 0\n");
  const std::vector<std::string> order{MOVER_PROGRAM, "out", directory_.path()};
  claim_.reset();
  EXPECT_EQ(run(order), 1);
  EXPECT_EQ(record().error, "the attempt does not run");
  EXPECT_EQ(held(), 4 * kGib);
}

TEST_F(Mover, ASecondOneWaitsForTheFirst) {
  start_job();
  const Fd lock(::openat(directory_fd_.get(), kMoveLock, O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  Program second(words("out"), driver_.environment());
  int looks = 20;
  wait_until([&] { return !second.is_running() || --looks < 0; });
  EXPECT_TRUE(second.is_running());
  EXPECT_EQ(held(), 4 * kGib);
  ::flock(lock.get(), LOCK_UN);
  EXPECT_EQ(second.exit_status(), 0);
  EXPECT_EQ(held(), 0U);
}

TEST_F(Mover, OneWhoseOrderIsNotTheNewestGoes) {
  start_job();
  ASSERT_TRUE(replace_file(directory_fd_.get(), kMoveOrder, "newer", 0600));
  auto order = words("out");
  order.insert(order.end(), {"--token", "older"});
  EXPECT_EQ(run(order), 0);
  EXPECT_EQ(held(), 4 * kGib);
  order.back() = "newer";
  EXPECT_EQ(run(order), 0);
  EXPECT_EQ(held(), 0U);
}

TEST_F(Mover, SignalsThatEndOthersDoNotEndIt) {
  start_job();
  driver_.set({"checkpoint_fixed_ms=300"});
  Program mover(words("out"), driver_.environment());
  ASSERT_TRUE(wait_until([&] { return !record().processes.empty(); }));
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::kill(mover.pid(), signal);
  EXPECT_EQ(mover.exit_status(), 0);
  EXPECT_EQ(held(), 0U);
}

TEST_F(Mover, BadWordsAndABadDirectoryHaveStatusesOfTheirOwn) {
  EXPECT_EQ(run({MOVER_PROGRAM, "sideways", directory_.path()}), 64);
  EXPECT_EQ(run({MOVER_PROGRAM, "out", directory_ / "nothing"}), 74);
}

}  // namespace
}  // namespace gpusched::mover
