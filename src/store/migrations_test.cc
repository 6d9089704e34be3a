#include "store/migrations.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

class Migrations : public ::testing::Test {
 protected:
  Migrations() : path_(directory_ / "test.db") {
    std::ofstream make(path_);
    make.close();
    database_ = Database::open(path_, nullptr).value();
  }
  Result<void> migrate_to(std::span<const char* const> steps) {
    return migrate(database_, path_, steps);
  }
  std::string ask(const char* sql) { return database_.ask(sql).value(); }

  testing::TemporaryDirectory directory_;
  std::string path_;
  Database database_;
};

constexpr std::array kThree = {"CREATE TABLE a(x); INSERT INTO a VALUES(1)",
                               "ALTER TABLE a ADD COLUMN y DEFAULT 2", "UPDATE a SET x = x + y"};

TEST_F(Migrations, TakesEveryStepFromNothing) {
  ASSERT_TRUE(migrate_to(kThree));
  EXPECT_EQ(ask("SELECT x FROM a"), "3");
  EXPECT_EQ(ask("PRAGMA user_version"), "3");
}

TEST_F(Migrations, TakesOnlyTheMissingSteps) {
  ASSERT_TRUE(migrate_to(std::span(kThree).first(1)));
  ASSERT_TRUE(database_.run("UPDATE a SET x = 40"));
  ASSERT_TRUE(migrate_to(kThree));
  EXPECT_EQ(ask("SELECT x FROM a"), "42");
  ASSERT_TRUE(migrate_to(kThree));
  EXPECT_EQ(ask("SELECT x FROM a"), "42");
}

TEST_F(Migrations, UndoesAllStepsWhenOneFails) {
  constexpr std::array kBroken = {kThree[0], kThree[1], "UPDATE nothing SET x = 1"};
  ASSERT_TRUE(migrate_to(std::span(kBroken).first(1)));
  ASSERT_FALSE(migrate_to(kBroken));
  EXPECT_EQ(ask("PRAGMA user_version"), "1");
  EXPECT_EQ(ask("SELECT count(*) FROM pragma_table_info('a')"), "1");
}

TEST_F(Migrations, RefusesANewerSchema) {
  ASSERT_TRUE(migrate_to(kThree));
  const Result<void> refused = migrate_to(std::span(kThree).first(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message,
            "open " + path_ +
                ": made by a newer gpusched (schema 3, this one knows 1): upgrade gpusched, or "
                "restore a backup");
  EXPECT_EQ(ask("PRAGMA user_version"), "3");
}

TEST_F(Migrations, RefusesSomebodyElsesDatabase) {
  ASSERT_TRUE(database_.run("CREATE TABLE photos(x)"));
  const Result<void> refused = migrate_to(kThree);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "open " + path_ + ": this database was not made by gpusched");
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema"), "1");
}

}  // namespace
}  // namespace gpusched
