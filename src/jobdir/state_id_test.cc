#include "jobdir/state_id.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

TEST(StateId, StaysWithItsDirectory) {
  const TemporaryDirectory place;
  const std::string path = place / "state";
  std::filesystem::create_directory(path);
  const auto first = take_state_id(path, "boot-1", "").value();
  EXPECT_EQ(first.id.size(), 12u);
  EXPECT_FALSE(first.copied);
  EXPECT_EQ(take_state_id(path, "boot-1", "").value().id, first.id);
  EXPECT_EQ(take_state_id(path, "boot-2", "").value().id, first.id);
  EXPECT_EQ(read_state_id(path), first.id);
  // By another path it is the same directory.
  std::filesystem::rename(path, place / "moved");
  const auto moved = take_state_id(place / "moved", "boot-2", "").value();
  EXPECT_EQ(moved.id, first.id);
  EXPECT_FALSE(moved.copied);
}

TEST(StateId, ANewDirectoryAtAnOldPathIsAnotherOne) {
  const TemporaryDirectory place;
  const std::string path = place / "state";
  std::filesystem::create_directory(path);
  const auto first = take_state_id(path, "boot-1", "").value();
  std::filesystem::rename(path, place / "old");
  std::filesystem::create_directory(path);
  const auto second = take_state_id(path, "boot-1", "").value();
  EXPECT_NE(second.id, first.id);
  EXPECT_FALSE(second.copied);
}

TEST(StateId, ACopyIsNoticedAndGetsAnIdOfItsOwn) {
  const TemporaryDirectory place;
  std::filesystem::create_directory(place / "state");
  const auto original = take_state_id(place / "state", "boot-1", "").value();
  std::filesystem::copy(place / "state", place / "copy", std::filesystem::copy_options::recursive);
  for (const char* boot : {"boot-1", "boot-1"}) {
    const auto copy = take_state_id(place / "copy", boot, "").value();
    EXPECT_NE(copy.id, original.id);
  }
  EXPECT_FALSE(take_state_id(place / "copy", "boot-1", "").value().copied) << "Said once.";
  EXPECT_EQ(take_state_id(place / "state", "boot-1", "").value().id, original.id);
}

TEST(StateId, AnOlderVersionsNameIsKeptForItsJobs) {
  const TemporaryDirectory place;
  EXPECT_EQ(take_state_id(place.path(), "boot-1", "0123456789ab").value().id, "0123456789ab");
  EXPECT_EQ(take_state_id(place.path(), "boot-1", "").value().id, "0123456789ab");
}

TEST(StateId, AFileThatCannotBeReadIsReplaced) {
  const TemporaryDirectory place;
  std::ofstream(place / kStateIdName) << "noise";
  EXPECT_FALSE(read_state_id(place.path()));
  const auto made = take_state_id(place.path(), "boot-1", "").value();
  EXPECT_EQ(read_state_id(place.path()), made.id);
}

}  // namespace
}  // namespace gpusched::testing
