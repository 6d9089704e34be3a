// For tests: a store in a directory of its own, and ways to look into and spoil its file.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "store/place.h"
#include "store/sqlite_store.h"
#include "tests/support/store_values.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {

inline std::unique_ptr<SqliteStore> opened(const std::string& directory,
                                           std::int64_t most_pages = 0) {
  Result<std::unique_ptr<SqliteStore>> store =
      SqliteStore::open({.directory = directory, .most_pages = most_pages});
  EXPECT_TRUE(store) << store.error().message;
  return store ? std::move(*store) : nullptr;
}

class SqliteStoreTest : public ::testing::Test {
 protected:
  std::string database() { return directory_ / kDatabaseName; }
  std::int64_t count(const std::string& table) {
    Database other = Database::open(database(), nullptr).value();
    return std::stoll(other.ask(("SELECT count(*) FROM " + table).c_str()).value());
  }
  void change(const char* sql) {
    Database other = Database::open(database(), nullptr).value();
    const Result<void> done = other.run(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  void make_store() {
    auto store = opened(directory_.path());
    ASSERT_TRUE(store->load());
    ASSERT_TRUE(store->commit(commit_of({job(1), job(2)})));
  }
  // The sentence with which opening or loading is refused.
  std::string refusal(ErrorCode code) {
    auto store = SqliteStore::open({.directory = directory_.path()});
    if (!store) {
      EXPECT_EQ(store.error().code, code);
      return store.error().message;
    }
    const auto image = (*store)->load();
    if (image) return "accepted";
    EXPECT_EQ(image.error().code, code);
    return image.error().message;
  }
  static void expect_contains(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  TemporaryDirectory directory_;
};

}  // namespace gpusched::testing
