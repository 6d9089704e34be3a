#include "config/origins.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/reload.h"
#include "config/settings.h"

namespace gpusched {
namespace {

FoundConfig found_in(const std::string& text) {
  FoundConfig found;
  found.path = "gpusched.yaml";
  auto config = parse_config(text, found.path, &found.lines);
  EXPECT_TRUE(config) << config.error().message;
  if (config) found.config = *config;
  return found;
}

ShownSetting setting_named(const std::vector<ShownSetting>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &ShownSetting::name);
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? ShownSetting{} : *found;
}

TEST(Origins, SayTheLineOfTheFile) {
  FoundConfig found = found_in(
      "sim: 2x24G\n"
      "\n"
      "scheduling:\n"
      "  # A comment.\n"
      "  sharing: off\n"
      "tenants:\n"
      "  lab: {weight: 2}\n"
      "log: {level: debug}\n");
  found.by_command_line = {"sim"};
  const SettingOrigins origins = origins_of(found);
  const auto all = shown_settings(found.config, found, origins, true);
  EXPECT_EQ(all.size(), all_settings().size());
  const ShownSetting sharing = setting_named(all, "scheduling.sharing");
  EXPECT_EQ(sharing.value, "off");
  EXPECT_EQ(sharing.standard, "on");
  EXPECT_EQ(sharing.origin, (SettingOrigin{SettingFrom::kFile, 5}));
  EXPECT_FALSE(sharing.at_restart);
  EXPECT_FALSE(sharing.about.empty());
  EXPECT_EQ(setting_named(all, "tenants").origin.line, 6);
  EXPECT_EQ(setting_named(all, "log.level").origin.line, 8);
  EXPECT_EQ(setting_named(all, "sim").origin, (SettingOrigin{SettingFrom::kCommandLine, 0}));
  EXPECT_EQ(setting_named(all, "limits.clients").origin, SettingOrigin{});
  EXPECT_EQ(setting_named(all, "limits.clients").value,
            setting_named(all, "limits.clients").standard);
}

TEST(Origins, WhatWaitsForARestartComesFromWhereItCame) {
  const FoundConfig before = found_in("limits: {clients: 70}\nscheduling: {sharing: off}\n");
  FoundConfig after = found_in("\n\nlimits:\n  clients: 99\n  queued_jobs: 5\n");
  const Config running = with_live_settings(before.config, after.config);
  const SettingOrigins origins = origins_after(origins_of(before), running, after);
  const auto all = shown_settings(running, after, origins, true);
  const ShownSetting clients = setting_named(all, "limits.clients");
  EXPECT_EQ(clients.value, "70");
  EXPECT_TRUE(clients.at_restart);
  EXPECT_EQ(clients.waits, "99");
  EXPECT_EQ(clients.origin, (SettingOrigin{SettingFrom::kFile, 1}));
  EXPECT_EQ(setting_named(all, "limits.queued_jobs").origin.line, 5);
  EXPECT_EQ(setting_named(all, "scheduling.sharing").origin, SettingOrigin{});
  EXPECT_EQ(setting_named(all, "scheduling.sharing").value, "on");
}

TEST(Origins, AddressesAreShownToAdministratorsOnly) {
  const FoundConfig found = found_in(
      "receivers:\n"
      "  hook: {channel: webhook, url: \"https://box.example/T0/secret\"}\n"
      "  chat: {channel: slack, url_file: /etc/gpusched/slack.url}\n");
  const SettingOrigins origins = origins_of(found);
  const auto value = [&](bool addresses) {
    return setting_named(shown_settings(found.config, found, origins, addresses), "receivers")
        .value;
  };
  EXPECT_NE(value(true).find("https://box.example/T0/secret"), std::string::npos);
  EXPECT_EQ(value(false).find("secret"), std::string::npos);
  EXPECT_NE(value(false).find("/etc/gpusched/slack.url"), std::string::npos);
}

}  // namespace
}  // namespace gpusched
