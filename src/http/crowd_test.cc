#include "http/crowd.h"

#include <gtest/gtest.h>

#include "http/tcp_listener.h"

namespace gpusched {
namespace {

Peer from(const std::string& address) {
  return {.uid = UINT32_MAX, .gid = UINT32_MAX, .network = true, .address = address};
}

HttpLimits limits() {
  HttpLimits limits;
  limits.clients = 8;
  limits.clients_per_user = 2;
  return limits;
}

TEST(Crowd, CountsByAddressOverTheNetwork) {
  Crowd crowd(limits());
  const auto first = crowd.enter(from("10.0.0.1"));
  const auto second = crowd.enter(from("10.0.0.1"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->account, second->account);
  const auto third = crowd.enter(from("10.0.0.1"));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().message, "you have 2 connections already; close some");
  const auto other = crowd.enter(from("10.0.0.2"));
  ASSERT_TRUE(other);
  EXPECT_NE(other->account, first->account);
  crowd.leave(*second);
  EXPECT_TRUE(crowd.enter(from("10.0.0.1")));
}

TEST(Crowd, LeavesHalfOfThePlacesToUsersOfTheMachine) {
  Crowd crowd(limits());
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(crowd.enter(from("10.0.1." + std::to_string(i))));
  const auto stranger = crowd.enter(from("10.0.2.1"));
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().code, ErrorCode::kBusy);
  for (std::uint32_t uid = 0; uid < 4; ++uid) EXPECT_TRUE(crowd.enter({.uid = uid}));
  EXPECT_FALSE(crowd.enter({.uid = 9}));
  EXPECT_EQ(crowd.size(), 8);
}

TEST(Crowd, NobodyOfTheNetworkHasAnExtraPlace) {
  HttpLimits some = limits();
  some.has_extra_place = [](const Peer&) { return true; };
  Crowd crowd(some);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(crowd.enter(from("10.0.1." + std::to_string(i))));
  EXPECT_FALSE(crowd.enter(from("10.0.2.1")));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(crowd.enter({.uid = 7})) << i;
}

TEST(Crowd, TheAddressesOfOneNetworkOfIpv6AreOne) {
  EXPECT_EQ(counted_address(from("2001:db8:1:2:3:4:5:6")), "2001:db8:1:2::/64");
  EXPECT_EQ(counted_address(from("2001:db8:1:2::9")), "2001:db8:1:2::/64");
  EXPECT_EQ(counted_address(from("10.0.0.1")), "10.0.0.1");
}

TEST(Crowd, ANumberIsLentAgainWhenItsAddressHasLeft) {
  Crowd crowd(limits());
  const auto first = crowd.enter(from("10.0.0.1"));
  ASSERT_TRUE(first);
  EXPECT_GT(first->account, 0xFFFF0000U);
  EXPECT_NE(first->account, UINT32_MAX);
  crowd.leave(*first);
  const auto next = crowd.enter(from("10.0.0.2"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->account, first->account);
  EXPECT_EQ(crowd.size(), 1);
}

}  // namespace
}  // namespace gpusched
