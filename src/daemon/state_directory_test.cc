#include "daemon/state_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gpusched {
namespace {

class StateDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/gpusched-state-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string root_;
};

TEST_F(StateDirectory, IsMadeWithItsParentsAndCannotBeListedByOthers) {
  const auto lock = take_state_directory(root_ + "/a/b");
  ASSERT_TRUE(lock.has_value());
  struct stat info {};
  ASSERT_EQ(::stat((root_ + "/a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0711u);
}

TEST_F(StateDirectory, ASecondDaemonIsRefusedByName) {
  const auto first = take_state_directory(root_);
  ASSERT_TRUE(first.has_value());
  const auto second = take_state_directory(root_);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().message, "another daemon (pid " + std::to_string(::getpid()) +
                                        ") already uses the state directory '" + root_ + "'");
}

TEST_F(StateDirectory, ASecondDaemonIsRefusedAlsoWhenTheFileWasDeleted) {
  const auto first = take_state_directory(root_);
  ASSERT_TRUE(first.has_value());
  std::filesystem::remove(root_ + "/daemon.lock");
  const auto second = take_state_directory(root_);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
}

TEST_F(StateDirectory, IsFreeAgainWhenTheFirstIsGone) {
  { const auto first = take_state_directory(root_); }
  EXPECT_TRUE(take_state_directory(root_).has_value());
}

// A lock that everybody may open is a lock that everybody can hold.
TEST_F(StateDirectory, NobodyElseCanHoldItsLock) {
  const std::string path = root_ + "/daemon.lock";
  std::ofstream(path) << "";
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  ASSERT_TRUE(take_state_directory(root_).has_value());
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(StateDirectory, AFileInTheWayIsSaidClearly) {
  EXPECT_NE(take_state_directory("/dev/null/x").error().message.find("/dev/null"),
            std::string::npos);
}

}  // namespace
}  // namespace gpusched
