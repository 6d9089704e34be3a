// For tests: the program by itself, on the simulated driver, with a job directory that a test has
// made, and a control group that is a directory with plain files.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>

#include "jobdir/job_directory.h"
#include "jobdir/move_record.h"
#include "os/fd.h"
#include "tests/support/eventually.h"
#include "tests/support/simulated_driver.h"

namespace gpusched::mover {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30;

class Program {
 public:
  Program(std::vector<std::string> words, std::vector<std::string> variables) {
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    for (std::string& variable : variables) environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    // A group of its own: what it starts is ended with it, and keeps nobody's output open.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    EXPECT_EQ(::posix_spawn(&pid_, arguments[0], nullptr, &attributes, arguments.data(),
                            environment.data()),
              0);
    ::posix_spawnattr_destroy(&attributes);
  }
  ~Program() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
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

  void start_job(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{SIMJOB_PROGRAM, "--vram", "4G", "--seconds", "0",
                                   "--step-ms",    "10"};
    words.insert(words.end(), more.begin(), more.end());
    job_.emplace(std::move(words), driver_.environment());
    ASSERT_TRUE(testing::eventually([&] { return held() == 4 * kGib; }));
  }
  // Two processes of 4 GiB below one.
  void start_two() {
    const std::string one = std::string(SIMJOB_PROGRAM) + " --vram 4G --seconds 0 --step-ms 10";
    job_.emplace(std::vector<std::string>{"/bin/sh", "-c", one + " & " + one + " & wait"},
                 driver_.environment());
    ASSERT_TRUE(testing::eventually([&] { return held() == 8 * kGib; }));
  }
  static char state_of(int pid) {
    std::string line;
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::getline(file, line);
    return line.empty() ? '\0' : line[line.rfind(')') + 2];
  }
  char state_of_job() const { return state_of(job_->pid()); }
  // It stops as soon as it gets the processor again; until then it is said to run.
  bool is_stopped_soon() const {
    return testing::eventually([this] { return state_of_job() == 'T'; });
  }
  std::uint64_t held() const { return driver_.held_on(0); }
  std::vector<std::string> words(const std::string& direction) const {
    std::vector<std::string> all{MOVER_PROGRAM, direction, directory_.path()};
    if (!claim_) all.insert(all.end(), {"--tree", std::to_string(job_->pid())});
    return all;
  }
  int run(std::vector<std::string> given) {
    return Program(std::move(given), driver_.environment()).exit_status();
  }
  // It is killed there.
  void run_and_die(const std::string& direction, const std::string& step) {
    auto variables = driver_.environment();
    variables.push_back("GPUSCHED_MOVER_DIES_AT=" + step);
    EXPECT_EQ(Program(words(direction), variables).exit_status(), 128) << step;
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
  void claim_without_group() {
    auto claim = try_claim(directory_fd_.get(), {true, ::getpid(), *read_boot_id(), ""});
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

}  // namespace gpusched::mover
