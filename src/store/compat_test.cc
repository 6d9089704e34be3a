// Stores of released versions must load for ever. One test and one fixture per schema version.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "store/place.h"
#include "store/sqlite_store.h"
#include "tests/support/store_values.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

void make_database(const TemporaryDirectory& directory, const std::string& fixture) {
  std::ifstream file(std::string(GPUSCHED_SOURCE_DIR) + "/tests/compat/" + fixture);
  const std::string sql{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_FALSE(sql.empty()) << fixture;
  const std::string path = directory / kDatabaseName;
  ASSERT_TRUE(create_private_file(path));
  const Result<void> made = Database::open(path, nullptr).value().run(sql.c_str());
  ASSERT_TRUE(made) << made.error().message;
}

TEST(Compat, LoadsAStoreOfVersion1) {
  const TemporaryDirectory directory;
  ASSERT_NO_FATAL_FAILURE(make_database(directory, "store-v1.dump"));
  auto store = SqliteStore::open({.directory = directory.path()});
  ASSERT_TRUE(store) << store.error().message;
  const Result<StoreImage> image = (*store)->load();
  ASSERT_TRUE(image) << image.error().message;

  EXPECT_EQ(image->boot_id, "3f0c6a50-0000-4000-8000-000000000001");
  EXPECT_EQ(image->next_job, JobId{17});  // Ten were reserved by the submission left open.
  EXPECT_EQ(image->next_submission, 4u);
  EXPECT_EQ(image->next_trail_sequence, 7u);
  EXPECT_EQ(image->groups, std::vector<Group>({{"nightly", 2}}));
  ASSERT_EQ(image->submissions.size(), 2u);
  EXPECT_EQ(image->submissions[0], submission(1, 1, 5));

  ASSERT_EQ(image->jobs.size(), 6u);
  std::string states;
  for (const Job& each : image->jobs) states += std::string(state_name(each.state)) + " ";
  EXPECT_EQ(states, "completed running starting held queued failed ");
  EXPECT_EQ(text_of(image->jobs[1].state),
            "running cpus 2 ram 1073741824 card 1 vram 8589934592 share 33 whole false started "
            "1700000004000000 stopping 1");
  EXPECT_EQ(image->jobs[2].task->values, (decltype(ArrayTask::values){{"lr", "a\tb"}}));
  EXPECT_EQ(image->jobs[0].spec, image->jobs[4].spec);
  EXPECT_EQ(image->jobs[0].spec->argv,
            (std::vector<std::string>{"python3", "train.py", "--lr", "{lr}"}));
  EXPECT_EQ(image->jobs[5].spec->argv, (std::vector<std::string>{"echo", "caf\xc3\xa9 \xff"}));
  const std::string& name = image->jobs[5].spec->environment->hash;
  EXPECT_EQ((*store)->environments({name})->at(name)->variables, environment("one")->variables);
  EXPECT_EQ((*store)->trail(JobId{3}, 0, 10)->size(), 1u);
}

TEST(Compat, LoadsAStoreOfVersion2) {
  const TemporaryDirectory directory;
  ASSERT_NO_FATAL_FAILURE(make_database(directory, "store-v2.dump"));
  auto store = SqliteStore::open({.directory = directory.path()});
  ASSERT_TRUE(store) << store.error().message;
  const Result<StoreImage> image = (*store)->load();
  ASSERT_TRUE(image) << image.error().message;
  ASSERT_EQ(image->jobs.size(), 6u);
  const auto& ended = std::get<Ended>(image->jobs[0].state);
  EXPECT_EQ(usage_of(ended).gpu->gpu_seconds, 12.5);
  ASSERT_EQ(image->drains.size(), 1u);
  EXPECT_EQ(image->drains[0].reason, "fan is loud");
  EXPECT_TRUE(image->tenants.empty());
}

}  // namespace
}  // namespace gpusched::testing
