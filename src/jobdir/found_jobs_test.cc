#include "jobdir/found_jobs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "jobdir/job_directory.h"
#include "jobdir/record.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

class FoundJobs : public ::testing::Test {
 protected:
  FoundJobs() { std::filesystem::create_directory(state_ / "jobs"); }
  // As a shim, or recovery, leaves it.
  void attempt(std::uint64_t job, int number, bool by_shim) {
    const Fd jobs(::open((state_ / "jobs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto made = make_attempt(jobs.get(), {JobId{job}, number}).value();
    ASSERT_TRUE(try_claim(made.get(), {by_shim, ::getpid(), "boot", ""}));
    Record spec;
    spec.set("argument_0", std::string_view("python3"));
    spec.set("argument_1", std::string_view("a b\n"));
    spec.set("working_directory", std::string_view("/home"));
    spec.set("uid", std::int64_t{1234});
    spec.set("gid", std::int64_t{99});
    ASSERT_TRUE(replace_file(made.get(), "spec", spec.write(), 0600));
  }
  std::vector<FoundJob> found(const std::map<std::uint64_t, int>& known) {
    return find_unknown_attempts(state_.path(),
                                 [&](JobId id) -> std::optional<int> {
                                   const auto job = known.find(number_of(id));
                                   return job == known.end() ? std::nullopt
                                                             : std::optional(job->second);
                                 })
        .value();
  }
  TemporaryDirectory state_;
};

TEST_F(FoundJobs, TheIdOfADirectoryIsKnownByWhoLivesInIt) {
  const Fd jobs(::open((state_ / "jobs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto made = make_attempt(jobs.get(), {JobId{3}, 2}).value();
  ClaimRecord claim{true, ::getpid(), "boot", ""};
  claim.state = "abc123";
  {
    const auto held = try_claim(made.get(), claim);
    ASSERT_TRUE(held && held->valid());
    EXPECT_EQ(living_state_id(state_.path()), "abc123");
    TemporaryDirectory copy;
    std::filesystem::copy(state_.path(), copy.path(), std::filesystem::copy_options::recursive);
    EXPECT_EQ(living_state_id(copy.path()), "");
  }
  EXPECT_EQ(living_state_id(state_.path()), "");
}

TEST_F(FoundJobs, NothingWhereTheStoreKnowsAsMuch) {
  attempt(1, 1, true);
  attempt(2, 1, true);
  attempt(2, 2, true);
  EXPECT_TRUE(found({{1, 1}, {2, 2}}).empty());
}

TEST_F(FoundJobs, AttemptsThatTheStoreDoesNotKnow) {
  attempt(7, 1, true);
  attempt(7, 2, true);
  attempt(7, 3, false);  // Never ran.
  const auto all = found({{7, 1}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].job, JobId{7});
  EXPECT_EQ(all[0].claimed, 2);
  EXPECT_EQ(all[0].order.argv, (std::vector<std::string>{"python3", "a b\n"}));
  EXPECT_EQ(all[0].order.working_directory, "/home");
  ASSERT_TRUE(all[0].order.owner);
  EXPECT_EQ(all[0].order.owner->uid, 1234u);
}

TEST_F(FoundJobs, TheClaimSaysWhoseItIsAndWhatItHolds) {
  const Fd jobs(::open((state_ / "jobs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto made = make_attempt(jobs.get(), {JobId{3}, 1}).value();
  ClaimRecord claim{.pid = ::getpid(), .boot_id = "boot"};
  claim.owner = ClaimOwner{1234, 99};
  claim.holds = "a card\n";
  ASSERT_TRUE(try_claim(made.get(), claim));
  // Too long to be read.
  ASSERT_TRUE(replace_file(made.get(), "spec", std::string(Record::kLargest + 1, 'x'), 0600));
  const auto all = found({});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].order.owner, (Identity{1234, 99, "1234"}));
  EXPECT_EQ(all[0].order.holds, "a card\n");
  EXPECT_EQ(all[0].refused, "");
}

TEST_F(FoundJobs, WhoCannotBeNamedIsNotRoot) {
  const Fd jobs(::open((state_ / "jobs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto made = make_attempt(jobs.get(), {JobId{3}, 1}).value();
  const auto held = try_claim(made.get(), {.pid = ::getpid(), .boot_id = "boot"});
  ASSERT_TRUE(held && held->valid());
  for (const char* spec : {"", "version=1\nend=1\n", "version=1\nuid=0\nend=1\n",
                           "version=1\nuid=-1\ngid=-1\nend=1\n"}) {
    ASSERT_TRUE(replace_file(made.get(), "spec", spec, 0600));
    const auto all = found({});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_FALSE(all[0].order.owner) << spec;
    EXPECT_EQ(all[0].refused, "nothing there says whose it is");
    EXPECT_EQ(all[0].left_alone, 1);
  }
  // The directory that was made for its command tells.
  std::filesystem::create_directory(state_ / "jobs/3/checkpoint");
  EXPECT_EQ(found({})[0].order.owner->uid, ::geteuid());
  EXPECT_EQ(found({})[0].refused, "");
}

TEST_F(FoundJobs, WhoLivesBehindAClaimThatCannotBeReadIsNamed) {
  const Fd jobs(::open((state_ / "jobs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto made = make_attempt(jobs.get(), {JobId{3}, 2}).value();
  const auto held = try_claim(made.get(), {.pid = ::getpid(), .boot_id = "boot"});
  ASSERT_TRUE(held && held->valid());
  ASSERT_EQ(::ftruncate(held->get(), 5), 0);
  const auto all = found({});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].claimed, 0);
  EXPECT_EQ(all[0].left_alone, 2);
  EXPECT_NE(all[0].refused.find("cannot be read"), std::string::npos);
}

TEST_F(FoundJobs, DirectoriesOfUnknownJobsInOrder) {
  attempt(11, 1, true);
  attempt(9, 1, false);
  std::filesystem::create_directories(state_ / "jobs/10/1");
  std::filesystem::create_directories(state_ / "jobs/spare.5/1");
  std::ofstream(state_ / "jobs/12x") << "";
  std::ofstream(state_ / "jobs/13") << "a file";
  const auto all = found({});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].job, JobId{9});
  EXPECT_EQ(all[0].claimed, 0);
  EXPECT_EQ(all[1].claimed, 0);
  EXPECT_EQ(all[2].claimed, 1);
  EXPECT_EQ(all[3].job, JobId{13});
}

TEST_F(FoundJobs, NoDirectoryIsNothingFound) {
  std::filesystem::remove_all(state_ / "jobs");
  EXPECT_TRUE(found({}).empty());
}

}  // namespace
}  // namespace gpusched::testing
