#include "history/history_file.h"

#include <gtest/gtest.h>

#include "history/history_place.h"
#include "history/test_places.h"

namespace gpusched::history {
namespace {

using testing::at;
using testing::TempDirectory;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(prepare_file(directory.path()));
    open();
  }
  void open() {
    bool damaged = false;
    auto opened = HistoryFile::open(directory.file(), nullptr, damaged);
    ASSERT_TRUE(opened) << opened.error().message;
    file = std::move(*opened);
  }
  void save(Space space, Wall start, int owner) {
    ASSERT_TRUE(file->save({space, start, Owner{owner}}, std::string("a\0b", 3)));
  }
  bool has(Space space, Wall start, int owner) {
    return file->load({space, start, Owner{owner}})->has_value();
  }

  TempDirectory directory;
  std::unique_ptr<HistoryFile> file;
};

TEST_F(Files, KeepsBlocksByTierStartAndOwner) {
  save(card_space(0), at(0), 1);
  save(job_space(0), at(60), 1);
  ASSERT_TRUE(file->commit());
  file.reset();
  open();
  EXPECT_EQ(**file->load({card_space(0), at(0), Owner{1}}), std::string("a\0b", 3));
  EXPECT_TRUE(has(job_space(0), at(60), 1));
  EXPECT_FALSE(has(card_space(0), at(0), 2));
  EXPECT_FALSE(has(card_space(0), at(60), 1));
  EXPECT_FALSE(has(card_space(1), at(0), 1));
}

TEST_F(Files, RemovesTheOldestOfATierAndNoOther) {
  for (int i = 0; i < 5; ++i) save(card_space(1), at(600 * i), 1);
  save(card_space(0), at(0), 1);
  save(card_space(2), at(0), 1);
  EXPECT_EQ(*file->oldest(card_space(1)), at(0));
  EXPECT_EQ(*file->remove_before(card_space(1), at(1200), 1), 1);
  EXPECT_EQ(*file->remove_before(card_space(1), at(1200), 100), 1);
  EXPECT_EQ(*file->oldest(card_space(1)), at(1200));
  EXPECT_EQ(*file->remove_after(card_space(1), at(1800), 100), 1);
  EXPECT_FALSE(has(card_space(1), at(2400), 1));
  EXPECT_TRUE(has(card_space(1), at(1800), 1));
  EXPECT_TRUE(has(card_space(0), at(0), 1));
  EXPECT_TRUE(has(card_space(2), at(0), 1));
  EXPECT_EQ(*file->oldest(card_space(3)), std::nullopt);
}

TEST_F(Files, ACardKeepsItsPlaceAndHasItsNumberAlone) {
  const Owner first = *file->put_card("GPU-a", CardNumber{0});
  const Owner second = *file->put_card("GPU-b", CardNumber{1});
  EXPECT_NE(first, second);
  // Swapped: the second sits where the first was.
  EXPECT_EQ(*file->put_card("GPU-b", CardNumber{0}), second);
  const auto cards = *file->cards();
  ASSERT_EQ(cards.size(), 2U);
  EXPECT_EQ(cards[0].uuid, "GPU-b");
  EXPECT_EQ(cards[0].number, CardNumber{0});
  EXPECT_EQ(cards[1].uuid, "GPU-a");
  EXPECT_EQ(cards[1].number, std::nullopt);
}

TEST_F(Files, KnowsTheAttemptsOfAJob) {
  const Owner first = *file->put_attempt({JobId{7}, 1}, at(10));
  EXPECT_EQ(*file->put_attempt({JobId{7}, 1}, at(20)), first);
  ASSERT_TRUE(file->put_attempt({JobId{7}, 2}, at(30)));
  ASSERT_TRUE(file->put_attempt({JobId{8}, 1}, at(30)));
  ASSERT_TRUE(file->stretch(first, at(99)));
  const auto attempts = *file->attempts_of(JobId{7});
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].first, at(10));
  EXPECT_EQ(attempts[0].last, at(99));
  EXPECT_EQ(file->jobs()->size(), 2U);
  ASSERT_TRUE(file->remove_attempt(first));
  EXPECT_EQ(file->attempts_of(JobId{7})->size(), 1U);
}

TEST_F(Files, ForgetsAllOfAnOwnerHoweverFarApart) {
  save(job_space(2), at(0), 1);
  save(job_space(2), Wall{Seconds{3600 * 24 * 365 * 400LL}}, 1);
  save(job_space(2), at(0), 2);
  ASSERT_TRUE(file->remove_all_of(job_space(2), Owner{1}));
  EXPECT_FALSE(has(job_space(2), at(0), 1));
  EXPECT_FALSE(has(job_space(2), Wall{Seconds{3600 * 24 * 365 * 400LL}}, 1));
  EXPECT_TRUE(has(job_space(2), at(0), 2));
}

TEST_F(Files, TakesOnlyTimesThatAKeyCanHold) {
  EXPECT_TRUE(fits_key(at(0)));
  EXPECT_FALSE(fits_key(Wall{Seconds{-1}}));
  EXPECT_FALSE(fits_key(Wall::max()));
}

TEST_F(Files, AreMovedAsideUnderANameThatIsFreeAFewTimes) {
  file.reset();
  EXPECT_EQ(*move_aside(directory.file()), directory.file() + ".damaged-1");
  for (const char* expected : {".damaged-2", ".damaged-3", ".damaged-3"}) {
    ASSERT_TRUE(prepare_file(directory.path()));
    EXPECT_EQ(*move_aside(directory.file()), directory.file() + expected);
  }
  EXPECT_FALSE(move_aside(directory.file()));
}

TEST_F(Files, AreNotWrittenWhenTheDiskIsNearlyFull) {
  EXPECT_TRUE(require_space(directory.path(), 0));
  const auto full = require_space(directory.path(), UINT64_MAX);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kStorageFull);
}

}  // namespace
}  // namespace gpusched::history
