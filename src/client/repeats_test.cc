#include "client/repeats.h"

#include <gtest/gtest.h>

#include <set>

namespace gpusched {
namespace {

const Error kAway{ErrorCode::kUnavailable, ""};
const Error kTaken{ErrorCode::kBusy, ""};
const Error kRefused{ErrorCode::kForbidden, ""};

TEST(Repeats, DependOnTheWayAndOnHowFarItCame) {
  const Server near{.sockets = {"/run/s"}};
  const Server ssh = *parse_server("ssh://box");
  const Server https = *parse_server("https://box");
  const struct {
    const Server& server;
    Stage stage;
    const Error& error;
    bool reached;
    Again expected;
  } cases[] = {
      {near, Stage::kLost, kAway, true, Again::kNo},
      {near, Stage::kConnecting, kAway, false, Again::kNo},
      {ssh, Stage::kConnecting, kAway, false, Again::kNo},
      {ssh, Stage::kConnecting, kAway, true, Again::kYes},
      {ssh, Stage::kLost, kAway, false, Again::kYes},
      {https, Stage::kConnecting, kAway, false, Again::kBriefly},
      {https, Stage::kConnecting, kAway, true, Again::kYes},
      {https, Stage::kConnecting, kRefused, true, Again::kNo},
      {https, Stage::kSilent, kAway, true, Again::kYes},
      {https, Stage::kLost, kAway, true, Again::kYes},
      {https, Stage::kAnswered, kTaken, true, Again::kBriefly},
      {https, Stage::kAnswered, kAway, true, Again::kBriefly},
      {https, Stage::kAnswered, kRefused, true, Again::kNo},
      {ssh, Stage::kAnswered, kTaken, true, Again::kNo},
  };
  int number = 0;
  for (const auto& one : cases) {
    EXPECT_EQ(again_after(one.server, one.stage, one.error, one.reached), one.expected) << number;
    ++number;
  }
}

TEST(Repeats, EveryChangeHasAKeyOfItsOwn) {
  std::set<std::string> keys;
  for (int i = 0; i < 100; ++i) keys.insert(*draw_key());
  EXPECT_EQ(keys.size(), 100U);
  for (const std::string& key : keys) {
    EXPECT_EQ(key.size(), 9U + 32U) << key;
    EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
  }
}

}  // namespace
}  // namespace gpusched
