#include "api/logins.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

constexpr Wall kNow{Seconds{1'800'000'000}};

Token a_token(const std::string& id = "abcdefgh", std::uint32_t uid = 1000) {
  return {.id = id, .hash = "hash", .uid = uid, .user = "ml1", .made_at = kNow};
}

std::string begin(Logins& logins, const Token& token, Wall now = kNow) {
  std::string made;
  logins.begin(token, now, [&made](const Result<std::string>& secret) { made = *secret; });
  return made;
}

TEST(Logins, AreFoundByTheirSecretAndEnd) {
  Logins logins;
  const std::string secret = begin(logins, a_token());
  EXPECT_EQ(secret.size(), 43U);
  const std::string id = Logins::id_of(secret);
  ASSERT_NE(logins.find(id, kNow), nullptr);
  EXPECT_EQ(logins.find(id, kNow)->token, "abcdefgh");
  EXPECT_EQ(logins.find(secret, kNow), nullptr) << "the secret itself is kept nowhere";
  logins.end(id, [](const Result<void>&) {});
  EXPECT_EQ(logins.find(id, kNow), nullptr);
}

TEST(Logins, EndUnusedAndAfterTheLongestTime) {
  Logins logins;
  const std::string id = Logins::id_of(begin(logins, a_token()));
  EXPECT_NE(logins.find(id, kNow + Logins::kIdleMost), nullptr);
  EXPECT_EQ(logins.find(id, kNow + Logins::kIdleMost + Seconds{1}), nullptr);
  for (Wall now = kNow; now < kNow + Logins::kLongest; now += Seconds{86'400}) {
    logins.note_use(id, now);
    EXPECT_NE(logins.find(id, now), nullptr);
  }
  EXPECT_EQ(logins.find(id, kNow + Logins::kLongest + Seconds{1}), nullptr);
}

TEST(Logins, OfOneUserAreBoundedAndTheLeastUsedGoes) {
  Logins logins;
  const std::string others = Logins::id_of(begin(logins, a_token("other", 7)));
  std::vector<std::string> ids;
  for (std::size_t i = 0; i <= Logins::kPerUser; ++i) {
    ids.push_back(Logins::id_of(begin(logins, a_token(), kNow + Seconds{1} * i)));
  }
  EXPECT_EQ(logins.size(), Logins::kPerUser + 1);
  EXPECT_EQ(logins.find(ids.front(), kNow), nullptr);
  EXPECT_NE(logins.find(ids.back(), kNow), nullptr);
  EXPECT_NE(logins.find(others, kNow), nullptr);
}

TEST(Logins, AreBoundedInAll) {
  Logins logins;
  for (std::uint32_t uid = 0; uid < Logins::kMost + 10; ++uid) begin(logins, a_token("t", uid));
  EXPECT_EQ(logins.size(), Logins::kMost);
}

TEST(Logins, AreKeptWithoutTheirSecrets) {
  std::string file;
  Logins logins([&file](std::string text, const Logins::Kept& done) {
    file = std::move(text);
    done({});
  });
  const std::string secret = begin(logins, a_token());
  const std::string other = begin(logins, a_token());
  EXPECT_EQ(file.find(secret), std::string::npos);
  logins.end(Logins::id_of(other), [](const Result<void>&) {});
  Logins again;
  again.read(file);
  ASSERT_NE(again.find(Logins::id_of(secret), kNow), nullptr);
  EXPECT_EQ(again.find(Logins::id_of(secret), kNow)->uid, 1000U);
  EXPECT_EQ(again.find(Logins::id_of(other), kNow), nullptr);
}

TEST(Logins, WhatCannotBeReadIsLeftOut) {
  Logins logins;
  const std::string hash(64, 'a');
  for (const std::string& text : std::vector<std::string>{
           std::string(), std::string("nonsense"), "gpusched logins 1\n" + hash,
           "gpusched logins 1\n" + hash + " t 1 2 x\n", "gpusched logins 1\nshort t 1 2 3\n"}) {
    logins.read(text);
    EXPECT_EQ(logins.size(), 0U) << text;
  }
  logins.read("gpusched logins 1\nbad\n" + hash + " t 1 1800000000 1800000000\n");
  EXPECT_EQ(logins.size(), 1U);
}

TEST(Logins, OneThatCannotBeKeptHoldsUntilARestart) {
  Logins logins([](const std::string&, const Logins::Kept& done) {
    done(failure(ErrorCode::kIo, "the disk is full"));
  });
  EXPECT_NE(logins.find(Logins::id_of(begin(logins, a_token())), kNow), nullptr);
}

}  // namespace
}  // namespace gpusched
