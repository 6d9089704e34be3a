#include "os/locations.h"

#include <gtest/gtest.h>

#include <map>

namespace gpusched {
namespace {

EnvironmentLookup with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}
using Paths = std::vector<std::string>;

TEST(Locations, TheSystemsDaemonUsesFixedPlaces) {
  const auto env = with({{"HOME", "/root"}, {"XDG_RUNTIME_DIR", "/run/user/0"}});
  EXPECT_EQ(default_state_directory(env, true), "/var/lib/gpusched");
  EXPECT_EQ(default_socket(env, true), "/run/gpusched/gpusched.sock");
  EXPECT_EQ(config_files(env, true), Paths{"/etc/gpusched/gpusched.yaml"});
}

TEST(Locations, AUsersDaemonFollowsXdg) {
  const auto env = with({{"HOME", "/home/ml1"},
                         {"XDG_STATE_HOME", "/data/state/"},
                         {"XDG_CONFIG_HOME", "/data/config"},
                         {"XDG_RUNTIME_DIR", "/run/user/1000"}});
  EXPECT_EQ(default_state_directory(env, false), "/data/state/gpusched");
  EXPECT_EQ(default_socket(env, false), "/run/user/1000/gpusched/gpusched.sock");
  EXPECT_EQ(config_files(env, false),
            (Paths{"/data/config/gpusched/gpusched.yaml", "/etc/gpusched/gpusched.yaml"}));
}

TEST(Locations, WithoutXdgEverythingIsUnderHome) {
  const auto env = with({{"HOME", "/home/ml1"}});
  EXPECT_EQ(default_state_directory(env, false), "/home/ml1/.local/state/gpusched");
  EXPECT_EQ(default_socket(env, false), "/home/ml1/.local/state/gpusched/gpusched.sock");
  EXPECT_EQ(config_files(env, false).front(), "/home/ml1/.config/gpusched/gpusched.yaml");
}

TEST(Locations, ARelativeXdgPathCountsAsNotSet) {
  const auto env = with({{"HOME", "/home/ml1"}, {"XDG_STATE_HOME", "state"}});
  EXPECT_EQ(default_state_directory(env, false), "/home/ml1/.local/state/gpusched");
}

TEST(Locations, WithoutAHomeThereIsNoDefault) {
  EXPECT_EQ(default_state_directory(with({}), false), "");
  EXPECT_EQ(default_socket(with({}), false), "");
}

TEST(Locations, GpuschedSocketStandsAlone) {
  const auto env = with({{"HOME", "/home/ml1"}, {"GPUSCHED_SOCKET", "/tmp/a.sock"}});
  EXPECT_EQ(client_sockets(env), Paths{"/tmp/a.sock"});
}

TEST(Locations, AClientLooksForTheUsersDaemonThenForTheSystems) {
  const auto env = with({{"HOME", "/home/ml1"}, {"XDG_RUNTIME_DIR", "/run/user/1000"}});
  EXPECT_EQ(client_sockets(env), (Paths{"/run/user/1000/gpusched/gpusched.sock",
                                        "/home/ml1/.local/state/gpusched/gpusched.sock",
                                        "/run/gpusched/gpusched.sock"}));
}

TEST(Locations, AnEmptyGpuschedSocketIsNotSet) {
  EXPECT_EQ(client_sockets(with({{"GPUSCHED_SOCKET", ""}})), Paths{"/run/gpusched/gpusched.sock"});
}

}  // namespace
}  // namespace gpusched
