// The thread around the recorder, and what becomes of it when things go wrong.
#include "history/history.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "history/history_place.h"
#include "history/test_places.h"
#include "store/sqlite.h"
#include "tests/support/unreliable_disk.h"

namespace gpusched::history {
namespace {

using testing::at;
using testing::card_point;
using testing::points_of;
using testing::series_named;
using testing::TempDirectory;

class Histories : public ::testing::Test {
 protected:
  std::unique_ptr<History> open(std::size_t waiting_most = 20'000) {
    return History::open({.directory = directory.path(),
                          .keep_free_bytes = 0,
                          .waiting_most = waiting_most,
                          .post_to_loop = [](const std::function<void()>& work) { work(); }});
  }
  static Result<Answer> ask(History& history) {
    std::promise<Result<Answer>> promise;
    history.ask({.from = at(0), .to = at(60), .points = 6},
                [&](Result<Answer> answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }
  void write(const std::string& name, const std::string& content) {
    std::ofstream(directory.path() + "/" + name) << content;
  }

  TempDirectory directory;
};

TEST_F(Histories, KeepWhatTheyAreGiven) {
  {
    const auto history = open();
    history->add(points_of(card_point(0, at(0), 25)));
    const auto answer = ask(*history);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(series_named(answer->lines.at(0), "busy_percent").values[0], 25.0);
  }
  const auto again = open();
  const auto answer = ask(*again);
  ASSERT_TRUE(answer);
  EXPECT_EQ(series_named(answer->lines.at(0), "busy_percent").values[0], 25.0);
  EXPECT_EQ(again->off_because(), "");
}

TEST_F(Histories, AFileThatIsNoDatabaseIsMovedAside) {
  write("history.db", std::string(8192, 'x'));
  const auto history = open();
  history->add(points_of(card_point(0, at(0), 25)));
  EXPECT_TRUE(ask(*history));
  EXPECT_TRUE(std::filesystem::exists(directory.file() + ".damaged-1"));
}

TEST_F(Histories, ADamagedDatabaseIsMovedAside) {
  {
    const auto history = open();
    for (int i = 0; i < 5000; ++i) history->add(points_of(card_point(i % 8, at(i), i % 90)));
  }
  {
    std::fstream file(directory.file(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(16384, '\x7f');
  }
  const auto history = open();
  history->add(points_of(card_point(0, at(0), 25)));
  const auto answer = ask(*history);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->lines.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(directory.file() + ".damaged-1"));
}

TEST_F(Histories, AFileOfANewerVersionSwitchesThemOff) {
  open()->close();
  {
    auto database = Database::open(directory.file(), nullptr);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->run("PRAGMA user_version=99"));
  }
  const auto history = open();
  history->add(points_of(card_point(0, at(0), 25)));
  const auto answer = ask(*history);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(answer.error().message.find("newer gpusched (schema 99"), std::string::npos)
      << answer.error().message;
  EXPECT_FALSE(std::filesystem::exists(directory.file() + ".damaged-1"));
}

TEST_F(Histories, ADirectoryThatCannotBeWrittenSwitchesThemOff) {
  const auto history = History::open({.directory = directory.path() + "/nowhere",
                                      .post_to_loop = [](const auto& work) { work(); }});
  EXPECT_FALSE(ask(*history));
  EXPECT_NE(history->off_because(), "");
}

TEST_F(Histories, ADiskThatIsNearlyFullSwitchesThemOff) {
  const auto history = History::open({.directory = directory.path(),
                                      .keep_free_bytes = UINT64_MAX,
                                      .post_to_loop = [](const auto& work) { work(); }});
  for (int i = 0; i < 60; ++i) history->add(points_of(card_point(0, at(i), 25)));
  const auto answer = ask(*history);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("which the queue needs more"), std::string::npos);
}

TEST_F(Histories, GoOnByThemselvesWhenThereIsRoomOnTheDiskAgain) {
  if (::mount("none", directory.path().c_str(), "tmpfs", 0, "size=8m") != 0) {
    GTEST_SKIP() << "needs root";
  }
  struct Unmount {
    std::string at;
    ~Unmount() { ::umount2(at.c_str(), MNT_DETACH); }
  } unmount{directory.path()};
  const auto history = History::open({.directory = directory.path(),
                                      .keep_free_bytes = 4 << 20,
                                      .post_to_loop = [](const auto& work) { work(); }});
  history->add(points_of(card_point(0, at(0), 25)));
  ASSERT_TRUE(ask(*history));
  write("ballast", std::string(6 << 20, 'x'));
  for (int i = 1; i < 60; ++i) history->add(points_of(card_point(0, at(i), 25)));
  ASSERT_FALSE(ask(*history));
  EXPECT_NE(history->off_because(), "");
  std::filesystem::remove(directory.path() + "/ballast");
  history->forget(JobId{1});
  history->add(points_of(card_point(0, at(60), 75)));
  // On its thread.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (!history->off_because().empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  const auto answer = ask(*history);
  ASSERT_TRUE(answer) << answer.error().message;
}

// Wherever the disk stops to work, history is off, and what was there before can be read again.
TEST_F(Histories, ADiskThatFailsAnywhereSwitchesThemOffAndDamagesNothing) {
  gpusched::testing::UnreliableDisk disk;
  const auto on_that_disk = [&](const TempDirectory& place) {
    return History::open({.directory = place.path(),
                          .keep_free_bytes = 0,
                          .vfs = disk.name(),
                          .post_to_loop = [](const auto& work) { work(); }});
  };
  int failures = 0;
  for (int operations = 0; operations < 120; operations += 1 + operations / 10) {
    const TempDirectory place;
    const TempDirectory found;
    disk.cut_power_after(1'000'000);
    {
      const auto before = on_that_disk(place);
      before->add(points_of(card_point(0, at(0), 25)));
    }
    {
      const auto history = on_that_disk(place);
      ASSERT_TRUE(ask(*history));
      disk.cut_power_after(operations);
      for (int i = 1; i < 200; ++i) history->add(points_of(card_point(0, at(i), 25)));
      history->close();
      failures += history->off_because().empty() ? 0 : 1;
    }
    disk.power_cut(place.path(), found.path(), static_cast<std::uint64_t>(operations));
    disk.cut_power_after(1'000'000);
    const auto again = on_that_disk(found);
    const auto answer = ask(*again);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(series_named(answer->lines.at(0), "busy_percent").values[0], 25.0);
    EXPECT_FALSE(std::filesystem::exists(found.file() + ".damaged-1"));
  }
  EXPECT_GT(failures, 5);
}

TEST_F(Histories, SizeZeroMeansNone) {
  const auto history = History::open({.directory = directory.path(),
                                      .size_most = 0,
                                      .post_to_loop = [](const auto& work) { work(); }});
  history->add(points_of(card_point(0, at(0), 25)));
  EXPECT_FALSE(ask(*history));
  EXPECT_FALSE(std::filesystem::exists(directory.file()));
}

TEST_F(Histories, DropTheOldestPointsWhenTheyCannotKeepUp) {
  const auto history = open(100);
  // The thread is kept busy by a question whose answer waits.
  std::promise<void> asked;
  std::promise<void> released;
  history->ask({.from = at(0), .to = at(60)}, [&](const Result<Answer>&) {
    asked.set_value();
    released.get_future().wait();
  });
  asked.get_future().wait();
  for (int i = 0; i < 150; ++i) history->add(points_of(card_point(0, at(i), i)));
  EXPECT_EQ(history->dropped(), 50U);
  released.set_value();
  const auto answer = ask(*history);
  ASSERT_TRUE(answer);
  const auto& values = series_named(answer->lines.at(0), "busy_percent").values;
  EXPECT_EQ(values[4], std::nullopt);
  EXPECT_EQ(values[5], 54.5);
}

}  // namespace
}  // namespace gpusched::history
