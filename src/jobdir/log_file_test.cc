#include "jobdir/log_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "jobdir/job_directory.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

const AttemptId kLogAttempt{JobId{7}, 1};

class LogFile : public ::testing::Test {
 protected:
  LogFile() {
    std::filesystem::create_directory(state_ / "jobs");
    const Fd jobs(::open((state_ / "jobs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    directory_ = std::move(*make_attempt(jobs.get(), kLogAttempt));
  }
  void record_identity(const std::string& path) {
    struct stat about {};
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    StatusRecord status{43, Wall{}, Boot{}, "boot", {about.st_dev, about.st_ino}, {}};
    ASSERT_TRUE(replace_file(directory_.get(), "status", write_status(status), 0644));
  }
  Result<Fd> open(const std::string& path, std::uint32_t uid = ::geteuid()) {
    return open_log(state_.path(), kLogAttempt, LogStream::kOutput, path, {uid, uid, {}});
  }
  testing::TemporaryDirectory state_;
  Fd directory_;
};

std::string read_everything(int log) {
  std::string all;
  std::uint64_t offset = 0;
  while (true) {
    const auto piece = read_log(log, offset, 1000);
    if (!piece || piece->bytes.empty()) return all;
    all += piece->bytes;
    offset = piece->next_offset;
  }
}

TEST_F(LogFile, ReadsInPieces) {
  const std::string path = attempt_directory(state_.path(), kLogAttempt) + "/log";
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  std::ofstream(path) << text;
  const auto log = open("");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(read_everything(log->get()), text);
  EXPECT_EQ(*log_tail_offset(log->get(), 10), text.size() - 10);
  EXPECT_EQ(*log_tail_offset(log->get(), 1 << 20), 0U);
}

TEST_F(LogFile, JumpsOverAHole) {
  const std::string path = attempt_directory(state_.path(), kLogAttempt) + "/log";
  std::ofstream(path) << std::string(4096 * 3, 'x');
  const auto log = open("");
  ASSERT_TRUE(log);
  const Fd writable(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (::fallocate(writable.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096) != 0) {
    GTEST_SKIP() << "this file system has no holes";
  }
  EXPECT_EQ(read_everything(log->get()), std::string(4096 * 2, 'x'));
  const auto from_inside = read_log(log->get(), 5000, 10);
  ASSERT_TRUE(from_inside);
  EXPECT_EQ(from_inside->bytes, std::string(10, 'x'));
  EXPECT_EQ(from_inside->next_offset, 8192U + 10);
}

TEST_F(LogFile, ServesAUserChosenPathOnlyIfItIsTheFileTheJobOpened) {
  const std::string path = state_ / "mine";
  std::ofstream(path) << "output";
  EXPECT_FALSE(open(path)) << "not started yet";
  record_identity(path);
  EXPECT_TRUE(open(path));
  std::ofstream(path + ".new") << "secret";
  std::filesystem::remove(path);
  std::filesystem::create_symlink(path + ".new", path);
  const auto changed = open(path);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kConflict);
}

TEST_F(LogFile, RefusesWhatIsNotAPlainFileWithoutWaitingForIt) {
  const std::string path = state_ / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  record_identity(path);
  const auto fifo = open(path);
  ASSERT_FALSE(fifo);
  EXPECT_EQ(fifo.error().code, ErrorCode::kUnsupported);
}

TEST_F(LogFile, RefusesAFileThatTheSubmitterMayNotRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root could read it";
  const std::string path = state_ / "private";
  std::ofstream(path) << "output";
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  record_identity(path);
  const auto other = open(path, 54321);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kForbidden);
}

// Whether a path exists is told to those alone who could see it themselves.
TEST_F(LogFile, SaysNothingOfPlacesThatTheSubmitterMayNotLookInto) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root could look there";
  std::filesystem::create_directory(state_ / "closed");
  const std::string there = state_ / "closed/there";
  std::ofstream(there) << "output";
  record_identity(there);
  ASSERT_EQ(::chmod((state_ / "closed").c_str(), 0700), 0);
  const auto is_there = open(there, 54321);
  const auto is_not = open(state_ / "closed/not-there", 54321);
  ASSERT_FALSE(is_there || is_not);
  EXPECT_EQ(is_there.error().code, ErrorCode::kForbidden);
  EXPECT_EQ(is_not.error().code, ErrorCode::kForbidden);
  EXPECT_TRUE(open(there, 0)) << "rights are as before for whoever comes next";
}

TEST_F(LogFile, AnAttemptWithoutADirectoryHasNoLog) {
  const auto none = open_log(state_.path(), {JobId{9}, 1}, LogStream::kOutput, "", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gpusched
