#include "core/notify/target.h"

#include <gtest/gtest.h>

#include "tests/support/core_words.h"

namespace gpusched {
namespace {

Receivers some_receivers() {
  Receivers all;
  all["ops"] = {.name = "ops", .channel = Channel::kSlack, .for_users = true};
  all["admins"] = {.name = "admins", .channel = Channel::kWebhook};
  all["mail"] = {.name = "mail",
                 .channel = Channel::kMail,
                 .for_users = true,
                 .addresses = {"@lab.org", "@Uni.example"}};
  return all;
}

std::string fault_in(const std::string& wish) {
  JobSpec spec;
  spec.extras.edit().notify = {wish};
  return fault_of_targets(some_receivers(), spec).value_or("");
}

TEST(NotifyWish, NamesWhatIsToldAndWhom) {
  const auto wish = read_notify_wish("start,late:ops");
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->target, "ops");
  EXPECT_TRUE(wish->wants(JobNews::kStart));
  EXPECT_TRUE(wish->wants(JobNews::kLate));
  EXPECT_FALSE(wish->wants(JobNews::kDone));
}

TEST(NotifyWish, IsOfTheEndUnlessItSaysOtherwise) {
  const auto wish = read_notify_wish("ml1@lab.org");
  ASSERT_TRUE(wish);
  EXPECT_TRUE(wish->wants(JobNews::kDone));
  EXPECT_TRUE(wish->wants(JobNews::kFail));
  EXPECT_FALSE(wish->wants(JobNews::kStart));
}

TEST(NotifyWish, ThatCannotBeReadIsRefused) {
  for (const char* text :
       {"", ":", "done:", "dome:ops", "done,:ops", ":ops", "done:ops:x", "https://evil.example"}) {
    EXPECT_FALSE(read_notify_wish(text)) << text;
  }
}

TEST(Targets, AreReceiversThatAreOpenToUsers) {
  EXPECT_EQ(target_of_user(some_receivers(), "ops"), (Target{"ops", ""}));
  EXPECT_EQ(target_of_user(some_receivers(), "mail"), (Target{"mail", ""}));
  EXPECT_FALSE(target_of_user(some_receivers(), "admins"));
  EXPECT_FALSE(target_of_user(some_receivers(), "nobody"));
}

TEST(Targets, AreAddressesThatEndAsTheConfigurationSays) {
  EXPECT_EQ(target_of_user(some_receivers(), "ML1@Lab.org"), (Target{"mail", "ml1@lab.org"}));
  EXPECT_EQ(target_of_user(some_receivers(), "a@uni.example"), (Target{"mail", "a@uni.example"}));
  for (const char* text : {"@lab.org", "ml1@evil.example", "ml1@lab.org.evil.example",
                           "ml1@evil.example@lab.org", "-f@lab.org", "a b@lab.org", "a\n@lab.org",
                           "ml1@xlab.org", "http://evil.example/@lab.org", "<a@lab.org"}) {
    EXPECT_FALSE(target_of_user(some_receivers(), text)) << text;
  }
}

TEST(Targets, ThatAreNotThereAreAnsweredWithThoseThatAre) {
  EXPECT_EQ(fault_in("ops"), "");
  testing::expect_words(fault_in("done:opz"));
  testing::expect_words(fault_in("dome:ops"));
  JobSpec spec;
  spec.extras.edit().notify = {"ops"};
  testing::expect_words(fault_of_targets({}, spec).value_or(""));
}

}  // namespace
}  // namespace gpusched
