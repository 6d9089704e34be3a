#include "os/log.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "os/rotated_file.h"

namespace gpusched {
namespace {

class TemporaryDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "gpusched-log-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override {
    ASSERT_TRUE(open_log({}));
    std::filesystem::remove_all(directory_);
  }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

 private:
  std::string directory_;
};
using Log = TemporaryDirectory;
using LogRotation = TemporaryDirectory;

TEST(LogLine, PlainHasFieldsAsKeyValue) {
  EXPECT_EQ(format_log_line(LogFormat::kPlain, LogLevel::kInfo, "2026-01-01T08:00:00.000Z",
                            "job started", {{"job", JobId{7}}, {"name", "a b"}, {"ok", true}}),
            "2026-01-01T08:00:00.000Z info job started job=7 name=\"a b\" ok=true");
}

TEST(LogLine, WithoutATimeTheLevelIsLeftToTheJournal) {
  EXPECT_EQ(format_log_line(LogFormat::kPlain, LogLevel::kError, "", "no disk", {{"errno", 28}}),
            "no disk errno=28");
}

TEST(LogLine, JsonEscapesWhatItMust) {
  EXPECT_EQ(format_log_line(LogFormat::kJson, LogLevel::kWarning, "T", "say \"hi\"\n",
                            {{"path", "a\\b"}, {"seconds", 1.5}, {"bad", "\xff"}}),
            "{\"time\":\"T\",\"level\":\"warning\",\"message\":\"say \\\"hi\\\"\\u000a\","
            "\"path\":\"a\\\\b\",\"seconds\":1.5,\"bad\":\"\\ufffd\"}");
}

TEST(LogLine, ANameWithANewlineCannotForgeALine) {
  const std::string line = format_log_line(LogFormat::kPlain, LogLevel::kInfo, "", "job\nended",
                                           {{"name", "x\n<3>forged"}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(LogLine, ASentenceThatCouldBeReadAsFieldsStandsInQuotes) {
  const auto line = [](std::string_view message) {
    return format_log_line(LogFormat::kPlain, LogLevel::kInfo, "", message, {{"job", 7}});
  };
  EXPECT_EQ(line("job 7 of ml1 (train) is done"), "job 7 of ml1 (train) is done job=7");
  EXPECT_EQ(line("job 7 of ml1 (x rule=disk_low) is done"),
            "\"job 7 of ml1 (x rule=disk_low) is done\" job=7");
  EXPECT_EQ(line("a\" rule=x \"b"), "\"a\\\" rule=x \\\"b\" job=7");
  EXPECT_EQ(line("\\\" rule=x"), "\"\\\\\\\" rule=x\" job=7") << "nor by a backslash of its own";
}

TEST(LogLine, AValueIsOneWordOrStandsInQuotes) {
  const auto value = [](std::string_view text) {
    return format_log_line(LogFormat::kPlain, LogLevel::kInfo, "", "m", {{"v", text}}).substr(2);
  };
  EXPECT_EQ(value("a"), "v=a");
  EXPECT_EQ(value("a severity=critical"), "v=\"a severity=critical\"");
  EXPECT_EQ(value("a\tb=c"), "v=\"a\\u0009b=c\"");
  EXPECT_EQ(value("a\nb"), "v=\"a\\u000ab\"");
  EXPECT_EQ(value("\"\" x=y"), "v=\"\\\"\\\" x=y\"");
  EXPECT_EQ(value(""), "v=\"\"");
  EXPECT_EQ(value("21 \xC2\xB0\x43"), "v=\"21 \xC2\xB0\x43\"")
      << "what is only a character stays one";
}

TEST(LogLine, NothingInItEndsALineMovesACursorOrTurnsTheText) {
  // NEL and CSI, which terminals obey as well, ends of lines and paragraphs, a right-to-left
  // override, and a byte that is no character.
  for (const char* odd : {"\xC2\x85", "\xC2\x9B", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAE",
                          "\xE2\x81\xA6", "\x9B", "\x1B", "\x7F"}) {
    for (const LogFormat format : {LogFormat::kPlain, LogFormat::kJson}) {
      const std::string text = std::string("x") + odd + "y";
      const std::string line =
          format_log_line(format, LogLevel::kInfo, "T", text, {{"name", text}});
      EXPECT_EQ(line.find(odd), std::string::npos) << line;
      EXPECT_NE(line.find("\\u"), std::string::npos) << line;
    }
  }
}

TEST(LogLine, LevelsReadBack) {
  EXPECT_EQ(log_level_named("debug"), LogLevel::kDebug);
  EXPECT_EQ(log_level_named("loud"), std::nullopt);
  EXPECT_STREQ(log_level_name(LogLevel::kWarning), "warning");
}

TEST_F(Log, KeepsOutWhatIsBelowTheLevelAndFollowsChanges) {
  ASSERT_TRUE(open_log({.level = LogLevel::kWarning, .file = path("log")}));
  log_info("hidden");
  log_error("seen");
  set_log_level(LogLevel::kDebug);
  log_debug("now seen too");
  const std::string text = content("log");
  EXPECT_EQ(text.find("hidden"), std::string::npos);
  EXPECT_NE(text.find("error seen"), std::string::npos);
  EXPECT_NE(text.find("debug now seen too"), std::string::npos);
}

TEST_F(Log, SaysWhyAFileCannotBeOpened) {
  const auto opened = open_log({.file = path("no/such/directory/log")});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kIo);
  EXPECT_NE(opened.error().message.find("No such file"), std::string::npos);
}

TEST_F(Log, ReopensAFileThatWasMovedAway) {
  ASSERT_TRUE(open_log({.file = path("log")}));
  log_info("before");
  std::filesystem::rename(path("log"), path("moved"));
  ASSERT_TRUE(reopen_log());
  log_info("after");
  EXPECT_NE(content("moved").find("before"), std::string::npos);
  EXPECT_NE(content("log").find("after"), std::string::npos);
}

TEST_F(Log, LinesOfSeveralThreadsStayWhole) {
  ASSERT_TRUE(open_log({.format = LogFormat::kJson, .file = path("log")}));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) log_info("line", {{"i", i}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::istringstream lines(content("log"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(line.front(), '{');
    EXPECT_EQ(line.back(), '}');
  }
  EXPECT_EQ(count, 800);
}

TEST_F(LogRotation, KeepsSoManyOldFilesAndNoMore) {
  auto file = RotatedFile::open(path("log"), 10, 2);
  ASSERT_TRUE(file);
  for (const char* line : {"first 8\n", "second 9\n", "third 8\n", "fourth 9\n"}) {
    EXPECT_TRUE(file->write(line));
  }
  EXPECT_EQ(content("log"), "fourth 9\n");
  EXPECT_EQ(content("log.1"), "third 8\n");
  EXPECT_EQ(content("log.2"), "second 9\n");
  EXPECT_FALSE(std::filesystem::exists(path("log.3")));
}

TEST_F(LogRotation, GoesOnWhereAnEarlierProcessStopped) {
  { ASSERT_TRUE(RotatedFile::open(path("log"), 100, 1)->write("one\n")); }
  { ASSERT_TRUE(RotatedFile::open(path("log"), 100, 1)->write("two\n")); }
  EXPECT_EQ(content("log"), "one\ntwo\n");
}

TEST_F(LogRotation, ALineLongerThanTheLimitIsWrittenWhole) {
  auto file = RotatedFile::open(path("log"), 4, 1);
  EXPECT_TRUE(file->write("longer than four\n"));
  EXPECT_EQ(content("log"), "longer than four\n");
}

TEST_F(LogRotation, KeepingNoneStartsOver) {
  auto file = RotatedFile::open(path("log"), 6, 0);
  EXPECT_TRUE(file->write("first\n"));
  EXPECT_TRUE(file->write("again\n"));
  EXPECT_EQ(content("log"), "again\n");
  EXPECT_FALSE(std::filesystem::exists(path("log.1")));
}

}  // namespace
}  // namespace gpusched
