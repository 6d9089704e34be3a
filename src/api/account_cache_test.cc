#include "api/account_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <future>
#include <map>
#include <mutex>

namespace gpusched {
namespace {

// A system whose accounts the test says, and that can be made to hang for one of them.
struct FakeSystem {
  std::mutex mutex;
  std::map<std::uint32_t, std::optional<Account>> accounts;
  int asked = 0;
  std::promise<void> hangs;
  std::shared_future<void> released = hangs.get_future().share();

  AccountCache::Lookup lookup() {
    return [this](std::uint32_t uid, const std::vector<std::string>&) -> std::optional<Account> {
      if (uid == 666) released.wait();
      const std::scoped_lock lock(mutex);
      ++asked;
      const auto found = accounts.find(uid);
      return found == accounts.end() ? Account{} : found->second;
    };
  }
};

class AccountCacheTest : public ::testing::Test {
 protected:
  // The account, or the error's words; nothing before the loop had it.
  void resolve(std::uint32_t uid, std::string& into) {
    cache.resolve(uid, [&into](const Result<Account>& account) {
      into = account ? account->name : account.error().message;
    });
  }
  void run_until(const std::function<bool()>& done) {
    loop.restart();
    while (!done()) loop.run_one();
  }
  std::string resolved(std::uint32_t uid) {
    std::string name = "(waits)";
    resolve(uid, name);
    run_until([&] { return name != "(waits)"; });
    return name;
  }

  boost::asio::io_context loop;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      loop.get_executor()};
  Now now{};
  FakeSystem system;
  AccountCache cache{loop, [this] { return now; }, system.lookup()};
};

TEST_F(AccountCacheTest, AsksOncePerMinute) {
  system.accounts[1000] = Account{.name = "ml1"};
  EXPECT_EQ(resolved(1000), "ml1");
  EXPECT_EQ(resolved(1000), "ml1");
  EXPECT_EQ(system.asked, 1);
}

TEST_F(AccountCacheTest, AnOldAnswerIsUsedWhileItIsAskedForAgain) {
  system.accounts[1000] = Account{.name = "ml1"};
  EXPECT_EQ(resolved(1000), "ml1");
  system.accounts[1000] = Account{.name = "renamed"};
  now.boot += Seconds{90};
  std::string name;
  resolve(1000, name);
  EXPECT_EQ(name, "ml1") << "at once";
  run_until([&] {
    resolve(1000, name);
    return name == "renamed";
  });
}

TEST_F(AccountCacheTest, AVeryOldAnswerIsNotUsed) {
  system.accounts[1000] = Account{.name = "ml1"};
  EXPECT_EQ(resolved(1000), "ml1");
  system.accounts[1000] = Account{.name = "renamed"};
  now.boot += Seconds{3600};
  EXPECT_EQ(resolved(1000), "renamed");
}

TEST_F(AccountCacheTest, OneThatHangsWaitsAlone) {
  system.accounts[1000] = Account{.name = "ml1"};
  std::string hanging = "(waits)";
  std::string again = "(waits)";
  resolve(666, hanging);
  resolve(666, again);
  EXPECT_EQ(resolved(1000), "ml1");
  EXPECT_EQ(hanging, "(waits)");
  system.hangs.set_value();
  run_until([&] { return hanging != "(waits)" && again != "(waits)"; });
  EXPECT_EQ(hanging, "") << "no such account";
}

TEST_F(AccountCacheTest, WhatTheSystemCannotSayIsNotKept) {
  system.accounts[1000] = std::nullopt;
  EXPECT_EQ(resolved(1000), "the system cannot say now who user 1000 is; try again");
  system.accounts[1000] = Account{.name = "ml1"};
  EXPECT_EQ(resolved(1000), "ml1");
}

TEST_F(AccountCacheTest, OtherGroupsAreAskedForAnew) {
  system.accounts[1000] = Account{.name = "ml1"};
  EXPECT_EQ(resolved(1000), "ml1");
  cache.ask_for_groups({"lab"});
  EXPECT_EQ(resolved(1000), "ml1");
  EXPECT_EQ(system.asked, 2);
}

TEST(SystemAccounts, RootIsInItsGroup) {
  const auto root = AccountCache::system_lookup(0, {"root", "no-such-group"});
  ASSERT_TRUE(root);
  EXPECT_EQ(root->name, "root");
  EXPECT_EQ(root->groups, std::vector<std::string>{"root"});
  const auto nobody = AccountCache::system_lookup(4'000'000'000U, {"root"});
  ASSERT_TRUE(nobody);
  EXPECT_EQ(nobody->name, "");
}

TEST_F(AccountCacheTest, WhoAsksForANameWaitsAloneForIt) {
  std::string hanging = "(waits)";
  resolve(666, hanging);
  // Behind what hangs for the same user, and not in front of root's.
  bool found_theirs = false;
  cache.find("root", 666, [&](std::optional<std::uint32_t>) { found_theirs = true; });
  std::optional<std::uint32_t> root;
  cache.find("root", 0, [&](std::optional<std::uint32_t> uid) { root = uid; });
  run_until([&] { return root.has_value(); });
  EXPECT_EQ(*root, 0U);
  EXPECT_FALSE(found_theirs);
  system.hangs.set_value();
  run_until([&] { return found_theirs; });
}

TEST_F(AccountCacheTest, SaysWhichNamesThisMachineDoesNotKnow) {
  std::optional<AccountCache::Names> unknown;
  cache.find_unknown(
      {.users = {"root", "nobody-of-this-name"}, .groups = {"no-such-group", "root"}}, 1000,
      [&](const AccountCache::Names& names) { unknown = names; });
  run_until([&] { return unknown.has_value(); });
  EXPECT_EQ(unknown->users, std::vector<std::string>{"nobody-of-this-name"});
  EXPECT_EQ(unknown->groups, std::vector<std::string>{"no-such-group"});
}

}  // namespace
}  // namespace gpusched
