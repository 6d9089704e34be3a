#include "config/reload.h"

#include <gtest/gtest.h>

#include "config/config_file.h"

namespace gpusched {
namespace {

Config read(const std::string& text) {
  auto config = parse_config(text, "test");
  EXPECT_TRUE(config) << config.error().message;
  return *config;
}

TEST(Reload, NothingDiffersFromItself) {
  const Config config = read("scheduling: {sharing: false}\n");
  EXPECT_TRUE(changes_between(config, config).empty());
}

TEST(Reload, TakesOverWhatDecisionsDependOn) {
  const Config running = read("");
  const Config wanted = read(
      "scheduling: {sharing: false}\njobs: {grace: 3s}\nlog: {level: debug}\n"
      "tenants: {lab: {weight: 3}}\n");
  const auto changes = changes_between(running, wanted);
  ASSERT_EQ(changes.size(), 4u);
  for (const SettingChange& change : changes) EXPECT_FALSE(change.at_restart) << change.setting;
  const Config next = with_live_settings(running, wanted);
  EXPECT_EQ(config_text(next), config_text(wanted));
}

TEST(Reload, TheNetworkIsOpenedAndClosedWhileItRuns) {
  const Config running = read("network: {listen: [127.0.0.1:1]}\n");
  const Config wanted =
      read("network: {listen: [127.0.0.1:2], certificate: /a.crt, key: /a.key}\n");
  const auto changes = changes_between(running, wanted);
  ASSERT_EQ(changes.size(), 3u);
  for (const SettingChange& change : changes) EXPECT_FALSE(change.at_restart) << change.setting;
}

TEST(Reload, SaysWhatWaitsForARestart) {
  const Config running = read("");
  const Config wanted =
      read("socket: /run/other.sock\nhost: {cpus: 3}\nmaking_room: {ram_reserve: 1G}\n");
  const auto changes = changes_between(running, wanted);
  ASSERT_EQ(changes.size(), 3u);
  for (const SettingChange& change : changes) EXPECT_TRUE(change.at_restart) << change.setting;
  EXPECT_EQ(changes[0].setting, "socket");
  EXPECT_EQ(changes[0].to, "\"/run/other.sock\"");
  EXPECT_EQ(config_text(with_live_settings(running, wanted)), config_text(running));
}

}  // namespace
}  // namespace gpusched
