#include "client/known_servers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(KnownServers, TabsAndCapitalsMeanTheSame) {
  ASSERT_TRUE(meet_server(file_, "other:1", "11"));
  std::ofstream(file_, std::ios::app) << "\tBox:7340\t\tab:cd \t\r\n";
  EXPECT_EQ(meet_server(file_, "box:7340", "AB:CD"), Acquaintance::kKnown);
  EXPECT_FALSE(meet_server(file_, "box:7340", "EF"));
}

TEST_F(KnownServers, ALineThatCannotBeReadIsNotPassedOver) {
  const std::string bad[] = {"box:7340\n", "box:7340\x01 AB\n", "box:7340 AB\x1b[2K\n",
                             "box:7340 AB CD\n", std::string("box:7340 A\0B\n", 13)};
  for (const std::string& line : bad) {
    ASSERT_TRUE(meet_server(file_, "other:1", "11"));
    std::ofstream(file_) << "other:1 11\n" << line;
    for (const Meeting how : {Meeting::kFirst, Meeting::kVouched, Meeting::kUnheard}) {
      const auto met = meet_server(file_, "box:7340", "EF", how);
      ASSERT_FALSE(met) << line;
      EXPECT_NE(met.error().message.find("line 2 of " + file_), std::string::npos);
    }
    EXPECT_EQ(text(), "other:1 11\n" + line) << "nothing was added";
    std::ofstream(file_) << "";
  }
}

TEST_F(KnownServers, WhoOnlyLooksLeavesNothing) {
  EXPECT_EQ(meet_server(file_, "box:7340", "AB", Meeting::kVouched), Acquaintance::kNew);
  EXPECT_EQ(meet_server(file_, "box:7340", "AB", Meeting::kUnheard), Acquaintance::kNew);
  EXPECT_EQ(::access((home_ / "config").c_str(), F_OK), -1);
}

TEST(Fingerprint, HasThirtyTwoPairs) {
  std::string text = "ab";
  for (int i = 1; i < 32; ++i) text += ":0f";
  EXPECT_EQ(parse_fingerprint(" " + text)->substr(0, 5), "AB:0F");
  for (const std::string& bad :
       {std::string(), text.substr(3), text + ":00", "g" + text.substr(1)}) {
    EXPECT_FALSE(parse_fingerprint(bad)) << bad;
  }
}

TEST_F(KnownServers, AFileThatCannotBeUsedIsAnError) {
  std::ofstream(home_ / "config") << "in the way";
  const auto met = meet_server(file_, "box:7340", "AB");
  ASSERT_FALSE(met);
  EXPECT_NE(met.error().message.find(file_), std::string::npos);
}

}  // namespace
}  // namespace gpusched
