#include "jobdir/job_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "jobdir/remove_tree.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

const AttemptId kAttempt{JobId{7}, 1};

class JobDirectory : public ::testing::Test {
 protected:
  JobDirectory() {
    std::filesystem::create_directory(state_ / "jobs");
    jobs_.reset(::open((state_ / "jobs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    directory_ = std::move(*make_attempt(jobs_.get(), kAttempt));
  }
  std::string path(const std::string& name) {
    return attempt_directory(state_.path(), kAttempt) + "/" + name;
  }
  void put(const std::string& name, const std::string& content) {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  AttemptFindings look(ShimLife shim = ShimLife::kUnknown) {
    auto found = look_at_attempt(state_.path(), kAttempt, shim);
    EXPECT_TRUE(found) << found.error().message;
    return found ? std::move(*found) : AttemptFindings(NoClaim{});
  }
  static std::string good_exit() {
    ExitRecord ended;
    ended.exit_code = 3;
    ended.ended_at = Wall{Seconds{100}};
    return write_exit(ended);
  }

  testing::TemporaryDirectory state_;
  Fd jobs_;
  Fd directory_;
};

TEST_F(JobDirectory, RecordsComeBackAsTheyWere) {
  const auto claim = parse_claim(write_claim({true, 42, "boot", "/group"}));
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->by_shim);
  EXPECT_EQ(claim->pid, 42);
  EXPECT_EQ(claim->cgroup, "/group");
  StatusRecord status{43, Wall{Seconds{5}}, Boot{Seconds{6}}, "boot", {1, 2}, FileIdentity{3, 4}};
  const auto status_back = parse_status(write_status(status));
  ASSERT_TRUE(status_back);
  EXPECT_EQ(status_back->started_at, status.started_at);
  EXPECT_EQ(status_back->output, status.output);
  EXPECT_EQ(status_back->error, status.error);
  ExitRecord ended;
  ended.attempt = kAttempt;
  ended.cause = Cause::kTimeout;
  ended.signal = 15;
  ended.message = "late";
  ended.started_at = Wall{Seconds{1}};
  ended.ended_at = Wall{Seconds{2}};
  ended.usage = {Microseconds{10}, Microseconds{20}, 4096};
  const auto exit_back = parse_exit(write_exit(ended), kAttempt);
  ASSERT_TRUE(exit_back);
  EXPECT_EQ(exit_back->cause, Cause::kTimeout);
  EXPECT_EQ(exit_back->signal, 15);
  EXPECT_EQ(exit_back->usage, ended.usage);
  EXPECT_EQ(exit_back->started_at, ended.started_at);
}

TEST_F(JobDirectory, RecordsOfAnAdoptedProcessComeBackAsTheyWere) {
  const AdoptedProcess process{77, Boot{Seconds{5}}};
  const auto claim = parse_claim(write_claim({true, 42, "boot", "", process}));
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->process, process);
  EXPECT_FALSE(parse_claim(write_claim({true, 42, "boot", ""}))->process);
  const TimeRule time{Seconds{60}, 10, Seconds{5}, Seconds{3}};
  const auto adoption = parse_adoption(write_adoption({1000, 100, time}));
  ASSERT_TRUE(adoption);
  EXPECT_EQ(adoption->uid, 1000u);
  EXPECT_EQ(adoption->time, time);
  EXPECT_FALSE(parse_adoption("version=1\nuid=7\nend=1\n"));
  ExitRecord gone;
  gone.attempt = kAttempt;
  gone.ended_at = Wall{Seconds{2}};
  gone.let_go = true;
  const auto back = parse_exit(write_exit(gone), kAttempt);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(back->let_go);
  EXPECT_FALSE(back->exit_code || back->signal);
}

TEST_F(JobDirectory, OnlyOneCanWinTheClaim) {
  const auto first = try_claim(directory_.get(), {true, 1, "boot", ""});
  ASSERT_TRUE(first && first->valid());
  const auto second = try_claim(directory_.get(), {false, 2, "boot", ""});
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->valid());
  EXPECT_EQ(parse_claim(**read_file(directory_.get(), "claim"))->pid, 1);
  // Nothing temporary stays behind.
  const auto entries = std::filesystem::directory_iterator(path(""));
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(JobDirectory, TheClaimIsHeldExactlyAsLongAsItsOwnerLives) {
  auto claim = try_claim(directory_.get(), {true, ::getpid(), "boot", ""});
  ASSERT_TRUE(claim && claim->valid());
  EXPECT_TRUE(*claim_is_held(directory_.get()));
  EXPECT_TRUE(std::holds_alternative<Supervised>(look()));
  EXPECT_TRUE(std::holds_alternative<Unsupervised>(look(ShimLife::kDead)));
  claim->reset();
  EXPECT_FALSE(*claim_is_held(directory_.get()));
  EXPECT_TRUE(std::holds_alternative<Unsupervised>(look()));
}

TEST_F(JobDirectory, AnAttemptNobodyKnowsHasNoClaim) {
  EXPECT_TRUE(std::holds_alternative<NoClaim>(look()));
  const auto other = look_at_attempt(state_.path(), {JobId{8}, 1}, ShimLife::kUnknown);
  ASSERT_TRUE(other);
  EXPECT_TRUE(std::holds_alternative<NoClaim>(*other));
}

TEST_F(JobDirectory, AClaimOfRecoveryMeansItNeverRan) {
  ASSERT_TRUE(try_claim(directory_.get(), {false, ::getpid(), "boot", ""}));
  EXPECT_TRUE(std::holds_alternative<NeverRan>(look()));
}

TEST_F(JobDirectory, AnExitRecordIsBelievedWhateverTheClaimSays) {
  put("exit", good_exit());
  const AttemptFindings found = look();
  ASSERT_TRUE(std::holds_alternative<ExitRecord>(found));
  EXPECT_EQ(std::get<ExitRecord>(found).exit_code, 3);
  EXPECT_EQ(std::get<ExitRecord>(found).attempt, kAttempt);
}

TEST_F(JobDirectory, AReplacedFileIsWholeOrNotThere) {
  ASSERT_TRUE(replace_file(directory_.get(), "exit", "one", 0644));
  ASSERT_TRUE(replace_file(directory_.get(), "exit", "two", 0644));
  EXPECT_EQ(**read_file(directory_.get(), "exit"), "two");
  EXPECT_FALSE(std::filesystem::exists(path("exit.tmp")));
}

// Each case damages one file of an attempt whose shim is gone: none may crash us, and none may
// pass for an exit.
struct Damage {
  const char* name;
  void (*inflict)(const std::string& file);
};

void replace_with(const std::string& file, const std::string& content) {
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary) << content;
}

const Damage kDamages[] = {
    {"Empty", [](const std::string& f) { replace_with(f, ""); }},
    {"CutOff",
     [](const std::string& f) {
       std::filesystem::resize_file(f, std::filesystem::file_size(f) / 2);
     }},
    {"Garbage", [](const std::string& f) { replace_with(f, std::string(500, '\xa5')); }},
    {"ZeroBytes", [](const std::string& f) { replace_with(f, std::string(500, '\0')); }},
    {"NoCause", [](const std::string& f) { replace_with(f, "version=1\nended_at=1\nend=1\n"); }},
    {"UnknownCause",
     [](const std::string& f) {
       replace_with(f, "version=1\ncause=dependency\nended_at=1\nexit_code=0\nend=1\n");
     }},
    {"CodeOutOfRange",
     [](const std::string& f) {
       replace_with(f, "version=1\ncause=exit\nended_at=1\nexit_code=9999999999\nend=1\n");
     }},
    {"NegativeCode",
     [](const std::string& f) {
       replace_with(f, "version=1\ncause=exit\nended_at=1\nexit_code=-1\nend=1\n");
     }},
    {"Huge", [](const std::string& f) { std::filesystem::resize_file(f, 1ULL << 40); }},
    {"Link",
     [](const std::string& f) {
       std::filesystem::rename(f, f + ".real");
       std::filesystem::create_symlink(f + ".real", f);
     }},
    {"Directory",
     [](const std::string& f) {
       std::filesystem::remove(f);
       std::filesystem::create_directory(f);
     }},
    {"Fifo",
     [](const std::string& f) {
       std::filesystem::remove(f);
       ::mkfifo(f.c_str(), 0600);
     }},
};

class DamagedJobDirectory : public JobDirectory, public ::testing::WithParamInterface<Damage> {};

TEST_P(DamagedJobDirectory, ADamagedExitRecordCountsAsNone) {
  ASSERT_TRUE(try_claim(directory_.get(), {true, 1, "boot", "/group"}));
  put("exit", good_exit());
  GetParam().inflict(path("exit"));
  const AttemptFindings found = look();
  ASSERT_TRUE(std::holds_alternative<Unsupervised>(found));
  EXPECT_EQ(std::get<Unsupervised>(found).cgroup, "/group");
  EXPECT_NE(std::get<Unsupervised>(found).problem, "");
}

TEST_P(DamagedJobDirectory, ADamagedClaimIsStillAClaim) {
  ASSERT_TRUE(try_claim(directory_.get(), {true, 1, "boot", "/group"}));
  GetParam().inflict(path("claim"));
  EXPECT_TRUE(std::holds_alternative<Unsupervised>(look(ShimLife::kDead)));
}

TEST_P(DamagedJobDirectory, ADamagedStatusCountsAsNone) {
  ASSERT_TRUE(try_claim(directory_.get(), {true, 1, "boot", "/group"}));
  put("status", write_status({43, Wall{Seconds{5}}, Boot{Seconds{6}}, "boot", {1, 2}, {}}));
  GetParam().inflict(path("status"));
  const AttemptFindings found = look();
  ASSERT_TRUE(std::holds_alternative<Unsupervised>(found));
  EXPECT_FALSE(std::get<Unsupervised>(found).status.has_value());
}

INSTANTIATE_TEST_SUITE_P(Damages, DamagedJobDirectory, ::testing::ValuesIn(kDamages),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(JobDirectory, AnExitRecordOfSomebodyElseIsNotBelieved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_TRUE(try_claim(directory_.get(), {true, 1, "boot", ""}));
  put("exit", good_exit());
  ASSERT_EQ(::chown(path("exit").c_str(), 12345, 12345), 0);
  EXPECT_TRUE(std::holds_alternative<Unsupervised>(look()));
}

// The limit counts numbers, so what is open stays open; nothing new can be had.
class WithoutDescriptors {
 public:
  explicit WithoutDescriptors(int left) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    rlimit none{static_cast<rlim_t>(next.get() + left), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~WithoutDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(JobDirectory, WithoutDescriptorsNothingIsKnownOfAnAttempt) {
  const auto claim = try_claim(directory_.get(), {true, 1, "boot", "/group"});
  ASSERT_TRUE(claim && claim->valid());
  put("status", write_status({43, Wall{Seconds{5}}, Boot{Seconds{6}}, "boot", {1, 2}, {}}));
  for (int left = 0; left < 2; ++left) {
    for (const ShimLife shim : {ShimLife::kUnknown, ShimLife::kDead}) {
      Result<AttemptFindings> found = [&] {
        const WithoutDescriptors none(left);
        return look_at_attempt(state_.path(), kAttempt, shim);
      }();
      ASSERT_FALSE(found) << left << " descriptors left";
      EXPECT_EQ(found.error().code, ErrorCode::kBusy);
    }
  }
  EXPECT_TRUE(std::holds_alternative<Supervised>(look()));
}

TEST_F(JobDirectory, ALinkInPlaceOfTheDirectoryIsAnError) {
  const std::string real = attempt_directory(state_.path(), kAttempt);
  std::filesystem::rename(real, real + ".real");
  std::filesystem::create_directory_symlink(real + ".real", real);
  EXPECT_FALSE(look_at_attempt(state_.path(), kAttempt, ShimLife::kUnknown));
}

TEST_F(JobDirectory, RemovingItNeverFollowsALink) {
  const std::string outside = state_ / "outside";
  std::filesystem::create_directory(outside);
  std::ofstream(outside + "/precious") << "x";
  std::filesystem::create_directory_symlink(outside, path("link"));
  std::filesystem::create_directories(path("a/b/c"));
  std::ofstream(path("a/b/c/file")) << "x";
  ASSERT_TRUE(remove_tree(jobs_.get(), "7"));
  EXPECT_FALSE(std::filesystem::exists(job_directory(state_.path(), JobId{7})));
  EXPECT_TRUE(std::filesystem::exists(outside + "/precious"));
  EXPECT_TRUE(remove_tree(jobs_.get(), "7"));  // Gone already.
}

TEST_F(JobDirectory, RemovingItTakesNamesNotFiles) {
  const std::string precious = state_ / "precious";
  std::ofstream(precious) << "whole";
  std::filesystem::permissions(precious, std::filesystem::perms::owner_read);
  std::filesystem::create_hard_link(precious, path("name"));
  ASSERT_TRUE(remove_tree(jobs_.get(), "7"));
  std::string text;
  std::getline(std::ifstream(precious), text);
  EXPECT_EQ(text, "whole");
  EXPECT_EQ(std::filesystem::status(precious).permissions(), std::filesystem::perms::owner_read);
  EXPECT_EQ(std::filesystem::hard_link_count(precious), 1U);
}

TEST_F(JobDirectory, AVeryDeepTreeIsRemovedToo) {
  Fd here(::dup(directory_.get()));
  for (int depth = 0; depth < 450; ++depth) {
    ASSERT_EQ(::mkdirat(here.get(), "deeper", 0700), 0);
    here.reset(::openat(here.get(), "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(here.valid());
  }
  here.reset();
  const auto removed = remove_tree(jobs_.get(), "7");
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(std::filesystem::exists(job_directory(state_.path(), JobId{7})));
}

}  // namespace
}  // namespace gpusched
