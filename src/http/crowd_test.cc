#include "http/crowd.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

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

// A crowd in which nobody is let go of, and everybody proves something at once.
class ProvedCrowd : public Crowd {
 public:
  using Crowd::Crowd;
  Result<Place> enter(const Peer& peer) {
    auto place = Crowd::enter(peer, [](std::uint64_t) { ADD_FAILURE() << "somebody had to go"; });
    if (place) proved(*place);
    return place;
  }
};

TEST(Crowd, CountsByAddressOverTheNetwork) {
  ProvedCrowd crowd(limits());
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
  ProvedCrowd crowd(limits());
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
  ProvedCrowd crowd(some);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(crowd.enter(from("10.0.1." + std::to_string(i))));
  EXPECT_FALSE(crowd.enter(from("10.0.2.1")));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(crowd.enter({.uid = 7})) << i;
}

// A crowd that writes down who is let go of.
class SilentCrowd : public Crowd {
 public:
  explicit SilentCrowd(HttpLimits limits) : Crowd(std::move(limits)) {}
  Result<Place> enter(const Peer& peer) {
    auto place = Crowd::enter(peer, [this](std::uint64_t number) {
      gone.push_back(places_.at(number).address);
      leave(places_.extract(number).mapped());
    });
    if (place) places_[place->number] = *place;
    return place;
  }
  std::vector<std::string> gone;

 private:
  std::map<std::uint64_t, Place> places_;
};

TEST(Crowd, WhoHasProvedNothingMakesRoomForWhoeverComes) {
  SilentCrowd crowd(limits());
  const auto known = crowd.enter(from("10.0.0.9"));
  ASSERT_TRUE(known);
  crowd.proved(*known);
  ASSERT_TRUE(crowd.enter(from("10.0.0.1")));
  ASSERT_TRUE(crowd.enter(from("10.0.0.2")));
  ASSERT_TRUE(crowd.enter(from("10.0.0.2")));
  EXPECT_TRUE(crowd.gone.empty());
  // All four places are taken: first goes the one of whom there are most, then the oldest.
  for (int i = 0; i < 3; ++i) {
    const auto honest = crowd.enter(from("10.0.1." + std::to_string(i)));
    ASSERT_TRUE(honest);
    crowd.proved(*honest);
  }
  EXPECT_EQ(crowd.gone, (std::vector<std::string>{"10.0.0.2", "10.0.0.1", "10.0.0.2"}));
  // Nobody is left who could go.
  EXPECT_FALSE(crowd.enter(from("10.0.0.3")));
  EXPECT_EQ(crowd.size(), 4);
}

TEST(Crowd, SilentOnesOfAnAddressMakeRoomForOthersOfIt) {
  SilentCrowd crowd(limits());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(crowd.enter(from("10.0.0.1")));
  for (int i = 0; i < 2; ++i) {
    const auto honest = crowd.enter(from("10.0.0.1"));
    ASSERT_TRUE(honest);
    crowd.proved(*honest);
  }
  EXPECT_EQ(crowd.gone.size(), 2U);
  EXPECT_FALSE(crowd.enter(from("10.0.0.1")));
}

TEST(Crowd, SilentOnesOfTheNetworkMakeRoomForUsersOfTheMachine) {
  SilentCrowd crowd(limits());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(crowd.enter(from("10.0.1." + std::to_string(i))));
  for (std::uint32_t uid = 1; uid <= 8; ++uid) EXPECT_TRUE(crowd.enter({.uid = uid})) << uid;
  EXPECT_EQ(crowd.gone.size(), 4U);
  EXPECT_FALSE(crowd.enter({.uid = 9}));
}

TEST(Crowd, TheAddressesOfOneNetworkOfIpv6AreOne) {
  EXPECT_EQ(counted_address(from("2001:db8:1:2:3:4:5:6")), "2001:db8:1:2::/64");
  EXPECT_EQ(counted_address(from("2001:db8:1:2::9")), "2001:db8:1:2::/64");
  EXPECT_EQ(counted_address(from("10.0.0.1")), "10.0.0.1");
}

TEST(Crowd, ANumberIsLentAgainWhenItsAddressHasLeft) {
  ProvedCrowd crowd(limits());
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
