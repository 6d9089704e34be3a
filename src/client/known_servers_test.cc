#include "client/known_servers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

class KnownServers : public ::testing::Test {
 protected:
  std::string text() const {
    std::ifstream in(file_);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  testing::TemporaryDirectory home_;
  std::string file_ = home_ / "config/gpusched/known_servers";
};

TEST_F(KnownServers, TheFirstCertificateIsKept) {
  EXPECT_EQ(meet_server(file_, "box:7340", "AB:CD"), Acquaintance::kNew);
  EXPECT_EQ(meet_server(file_, "box:7340", "AB:CD"), Acquaintance::kKnown);
  EXPECT_EQ(meet_server(file_, "box:7341", "01:02"), Acquaintance::kNew);
  EXPECT_EQ(text(), "box:7340 AB:CD\nbox:7341 01:02\n");
  struct stat about {};
  ASSERT_EQ(::stat(file_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(KnownServers, AnotherOneIsRefusedByFileAndLine) {
  ASSERT_TRUE(meet_server(file_, "other:1", "11"));
  std::ofstream(file_, std::ios::app) << "# a word\n\n  box:7340   AB:CD  ";
  EXPECT_EQ(meet_server(file_, "box:7340", "AB:CD"), Acquaintance::kKnown);
  const auto met = meet_server(file_, "box:7340", "EF");
  ASSERT_FALSE(met);
  EXPECT_EQ(met.error().code, ErrorCode::kForbidden);
  EXPECT_NE(met.error().message.find("remove line 4 of " + file_), std::string::npos)
      << met.error().message;
  // The next one begins its own line.
  EXPECT_EQ(meet_server(file_, "third:1", "33"), Acquaintance::kNew);
  EXPECT_NE(text().find("AB:CD  \nthird:1 33\n"), std::string::npos) << text();
}

TEST_F(KnownServers, AFileThatCannotBeUsedIsAnError) {
  std::ofstream(home_ / "config") << "in the way";
  const auto met = meet_server(file_, "box:7340", "AB");
  ASSERT_FALSE(met);
  EXPECT_NE(met.error().message.find(file_), std::string::npos);
}

}  // namespace
}  // namespace gpusched
