#include "config/config.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "config/settings.h"

namespace gpusched {
namespace {

std::string error_of(const std::string& text) {
  const auto config = parse_config(text, "f.yaml");
  return config ? "no error" : config.error().message;
}

TEST(Config, NothingIsAllDefaults) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "limits:\nlog:\n"}) {
    const auto config = parse_config(text, "f.yaml");
    ASSERT_TRUE(config) << text << config.error().message;
    EXPECT_EQ(config_text(*config), config_text(Config{})) << text;
  }
}

TEST(Config, ReadsEverySection) {
  const auto config = parse_config(
      "socket: /tmp/s.sock\nstate_directory: \"/data/gpu sched\"\nsim: 2x24G\n"
      "scheduling: {sharing: off, headroom: 1G, share_cap_percent: 75, overdue_after: 12h}\n"
      "jobs:\n  grace: 30s\n  log_limit: 0\n  crash_guard_count: 3\n"
      "retention:\n  keep_for: 7d\n  keep_most: 100\n"
      "limits:\n  body: 1M\n  clients: 8\n"
      "log:\n  level: debug\n  format: json\n  file: /var/log/g.log\n  rotate_size: 1M\n"
      "host:\n  cpus: 4\n  ram: 8G\n"
      "history: {keep_1s: 10m, keep_1h: 0, size_most: 64M}\n",
      "f.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->socket, "/tmp/s.sock");
  EXPECT_EQ(config->state_directory, "/data/gpu sched");
  EXPECT_EQ(config->sim, "2x24G");
  EXPECT_FALSE(config->rules.sharing);
  EXPECT_EQ(config->rules.headroom_bytes_least, 1ULL << 30);
  EXPECT_EQ(config->rules.share_cap_percent, 75);
  EXPECT_EQ(config->rules.overdue_after, Seconds{43200});
  EXPECT_EQ(config->jobs.grace, Seconds{30});
  EXPECT_EQ(config->jobs.log_limit_bytes, 0u);
  EXPECT_EQ(config->rules.crash_guard_count, 3);
  EXPECT_EQ(config->rules.keep_ended_for, Seconds{7 * 86400});
  EXPECT_EQ(config->rules.keep_ended_most, 100u);
  EXPECT_EQ(config->limits.body_bytes, 1ULL << 20);
  EXPECT_EQ(config->limits.clients, 8);
  EXPECT_EQ(config->log.level, LogLevel::kDebug);
  EXPECT_EQ(config->log.format, LogFormat::kJson);
  EXPECT_EQ(config->log.file, "/var/log/g.log");
  EXPECT_EQ(config->host.cpus, 4);
  EXPECT_EQ(config->host.ram_bytes, 8ULL << 30);
  EXPECT_EQ(config->history.keep_1s, Seconds{600});
  EXPECT_EQ(config->history.keep_10s, Seconds{86400});
  EXPECT_EQ(config->history.keep_1h, Seconds{0});
  EXPECT_EQ(config->history.size_most_bytes, 64ULL << 20);
}

struct Mistake {
  const char* text;
  const char* message;  // The beginning of it.
};

TEST(Config, EveryMistakeHasItsPlace) {
  const Mistake kMistakes[] = {
      {"sokcet: /x", "f.yaml:1:1: unknown setting \"sokcet\"; did you mean \"socket\"?"},
      {"limits:\n  bdoy: 1M",
       "f.yaml:2:3: unknown setting \"limits.bdoy\"; did you mean "
       "\"limits.body\"?"},
      {"level: debug", "f.yaml:1:1: unknown setting \"level\"; did you mean \"log.level\"?"},
      {"limit:\n  body: 1M", "f.yaml:1:1: unknown setting \"limit\"; did you mean \"limits\"?"},
      {"colour: red", "f.yaml:1:1: unknown setting \"colour\""},
      {"socket: run/x", "f.yaml:1:9: socket: \"run/x\" is not an absolute path"},
      {"limits:\n  body: big", "f.yaml:2:9: limits.body: \"big\" is not a size"},
      {"limits:\n  body: 1", "f.yaml:2:9: limits.body: 1 is not from 1K to 4G"},
      {"limits:\n  clients: 0", "f.yaml:2:12: limits.clients: 0 is not from 1 to 100000"},
      {"limits:\n  clients: 1.5", "f.yaml:2:12: limits.clients: \"1.5\" is not a whole number"},
      {"limits:\n  clients: 99999999999999999999", "f.yaml:2:12: limits.clients: \"9999"},
      {"limits:\n  clients: [1]", "f.yaml:2:12: limits.clients must be a single value"},
      {"limits:\n  clients: {a: 1}", "f.yaml:2:12: limits.clients must be a single value"},
      {"limits:\n  clients:\n", "f.yaml:2:3: \"limits.clients\" has no value"},
      {"limits: 5", "f.yaml:1:9: \"limits\" is a section"},
      {"limits: [body]", "f.yaml:1:9: \"limits\" is a section"},
      {"network: {listen: [localhost:7340]}",
       "f.yaml:1:11: network.listen: \"localhost:7340\" is not an address and a port in numbers"},
      {"network: {listen: \"127.0.0.1\"}", "f.yaml:1:19: network.listen: \"127.0.0.1\" is not an"},
      {"network: {listen: [[a]]}", "f.yaml:1:20: network.listen must be a list of single values"},
      {"network: {listen: {a: 1}}", "f.yaml:1:19: network.listen must be a list of single values"},
      {"network: {listen: ['127.0.0.1:1', '127.0.0.1:1']}",
       "f.yaml:1:11: network.listen: 127.0.0.1:1 stands there twice"},
      {"network: {listen: [0.0.0.0:7340]}",
       "f.yaml: network.listen: 0.0.0.0:7340 can be reached from other machines, which needs TLS"},
      {"network: {listen: ['[::1]:1', '[::]:1']}", "f.yaml: network.listen: [::]:1 can be reached"},
      {"network: {certificate: /etc/a.crt}",
       "f.yaml: network.certificate and network.key belong together"},
      {"network: {names: [a b]}", "f.yaml:1:11: network.names: \"a b\" is no name of a machine"},
      {"network: {key: a.key}", "f.yaml:1:16: network.key: \"a.key\" is not an absolute path"},
      {"log:\n  level: loud", "f.yaml:2:10: log.level: \"loud\" is not error, warning"},
      {"log:\n  format: xml", "f.yaml:2:11: log.format: \"xml\" is neither plain nor json"},
      {"isolation:\n  mps: on", "f.yaml:2:8: isolation.mps: \"on\" is not off, limits or all"},
      {"gpus: {cards: [{match: {number: 0}, mps: yes}]}",
       "f.yaml:1:42: gpus.cards.mps: \"yes\" is not off, limits or all"},
      {"scheduling:\n  foreign_load: no",
       "f.yaml:2:17: scheduling.foreign_load: \"no\" is not wait or ignore"},
      {"scheduling:\n  sharing: maybe", "f.yaml:2:12: scheduling.sharing: \"maybe\" is neither on"},
      {"scheduling:\n  share_cap_percent: 40",
       "f.yaml:2:22: scheduling.share_cap_percent: 40 is no"},
      {"scheduling:\n  overdue_after: soon", "f.yaml:2:18: scheduling.overdue_after: \"soon\" is "},
      {"scheduling:\n  overdue_after: 40000d", "f.yaml:2:18: scheduling.overdue_after: "},
      {"history:\n  keep_1m: 20000d", "f.yaml:2:12: history.keep_1m: 20000d is more than 3660d"},
      {"making_room:\n  foreign: \"a, ml2:\"",
       "f.yaml:2:12: making_room.foreign: \"ml2:\" is not like python3"},
      {"making_room:\n  foreign: /bin/x", "f.yaml:2:12: making_room.foreign: \"*:/bin/x\" is not"},
      {"sim: 24G", "f.yaml:1:6: sim: \"24G\" is not like 2x24G"},
      {"sim: 0x24G", "f.yaml:1:6: sim: \"0x24G\" is not like 2x24G"},
      {"sim: 2x24G,", "f.yaml:1:6: sim: \"2x24G,\" ends in a comma"},
      {"socket: /a\nsocket: /b", "f.yaml:2:1: \"socket\" is set twice"},
      {"limits:\n  body: 1M\n  body: 2M", "f.yaml:3:3: \"limits.body\" is set twice"},
      {"- socket", "f.yaml:1:1: the file must be a list of `setting: value`"},
      {"just words", "f.yaml:1:1: the file must be a list of `setting: value`"},
      {"[a]: b", "f.yaml:1:1: a setting's name must be a word"},
      {"socket: /a\n---\nsocket: /b", "f.yaml:2:1: the file has a second document"},
      {"socket: [", "f.yaml:1:1: not YAML: "},
      {"socket: \"/a", "f.yaml:1:12: not YAML: "},
      {"socket: /a\n\tlog: x", "f.yaml:2:"},
      {"socket: *nobody", "f.yaml:1:9: not YAML: "},
      {",d", "f.yaml:1:1: not YAML: a value cannot begin here"},
      {"a: b: c", "f.yaml:1:5: not YAML: "},
      {"socket: \"/\xff\"", "f.yaml: the file is not UTF-8 text"},
  };
  for (const Mistake& mistake : kMistakes) {
    const std::string message = error_of(mistake.text);
    EXPECT_EQ(message.substr(0, std::string_view(mistake.message).size()), mistake.message)
        << "for: " << mistake.text;
  }
}

TEST(Config, AddressesAreAListOrOneOfThem) {
  const auto several =
      parse_config("network: {listen: [\"127.0.0.1:7340\", \"[0::1]:7340\"]}\n", "f.yaml");
  ASSERT_TRUE(several) << several.error().message;
  EXPECT_EQ(several->network.listen, (std::vector<std::string>{"127.0.0.1:7340", "[::1]:7340"}));
  const auto again = parse_config(config_text(*several), "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->network.listen, several->network.listen);
  const auto one = parse_config("network: {listen: 127.0.0.1:7340}\n", "f.yaml");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->network.listen, std::vector<std::string>{"127.0.0.1:7340"});
  EXPECT_TRUE(parse_config("network: {listen: []}\n", "f.yaml")->network.listen.empty());
}

TEST(Config, ACertificateLetsOtherMachinesIn) {
  const auto config = parse_config(
      "network: {listen: [0.0.0.0:7340], certificate: /etc/a.crt, key: /etc/a.key}\n", "f.yaml");
  EXPECT_TRUE(config) << config.error().message;
}

TEST(Config, ASocketPathThatIsTooLongIsRefused) {
  const std::string message = error_of("socket: /" + std::string(107, 'x'));
  EXPECT_NE(message.find("the path has 108 bytes; at most 107 are possible"), std::string::npos);
}

TEST(Config, DeepNestingIsAnErrorAndNotACrash) {
  EXPECT_NE(error_of("socket: " + std::string(100'000, '[')), "no error");
  EXPECT_NE(error_of(std::string(100'000, '{')), "no error");
}

TEST(Config, TheSampleChangesNothing) {
  const auto config = parse_config(default_config_text(), "sample");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config_text(*config), config_text(Config{}));
}

// Takes away the # in front of every setting, as a user would.
std::string uncommented(const std::string& sample) {
  std::istringstream lines(sample);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t hash = line.find('#');
    if (hash != std::string::npos && hash + 1 < line.size() && line[hash + 1] != ' ') {
      line.erase(hash, 1);
    }
    out += line + "\n";
  }
  return out;
}

TEST(Config, TheSampleSaysTheDefaults) {
  const std::string text = uncommented(default_config_text());
  const auto config = parse_config(text, "sample");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config_text(*config), config_text(Config{}));
  for (const Setting& setting : all_settings()) {
    EXPECT_NE(text.find(setting.key + ": " + setting.write(Config{})), std::string::npos)
        << setting.path();
  }
}

TEST(Config, TheSampleFitsAHundredColumns) {
  std::istringstream lines(default_config_text());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Config, WhatIsWrittenReadsBack) {
  Config config;
  config.socket = "/tmp/with \"quotes\" and \\";
  config.jobs.grace = Seconds{90};
  config.limits.body_bytes = 12'345;
  config.rules.sharing = false;
  config.log.format = LogFormat::kJson;
  const auto again = parse_config(config_text(config), "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(config_text(*again), config_text(config));
  EXPECT_EQ(again->socket, config.socket);
}

TEST(Config, EverySettingIsListedOnceInAKnownSection) {
  std::set<std::string> paths;
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(paths.insert(setting.path()).second) << setting.path();
    EXPECT_FALSE(setting.comment.empty());
    const auto& sections = all_sections();
    const bool known = setting.section.empty() ||
                       std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
                         return section.key == setting.section;
                       });
    EXPECT_TRUE(known) << setting.path();
  }
}

TEST(Config, TheGuideShowsTheSample) {
  std::ifstream file(GPUSCHED_SOURCE_DIR "/docs/guide/configure.md");
  std::ostringstream guide;
  guide << file.rdbuf();
  EXPECT_NE(guide.str().find(default_config_text()), std::string::npos)
      << "docs/guide/configure.md must hold the output of `gpusched config show --defaults`";
}

class ConfigFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "gpusched-config-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  EnvironmentLookup env() const {
    return [home = directory_.string()](const char* name) -> std::optional<std::string> {
      if (std::string_view(name) == "XDG_CONFIG_HOME") return home;
      return std::nullopt;
    };
  }

  std::filesystem::path directory_;
};

TEST_F(ConfigFiles, MessagesNameTheFile) {
  const std::string path = write("a.yaml", "\nbad: 1\n");
  const auto config = load_config(path);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message, path + ":2:1: unknown setting \"bad\"");
}

TEST_F(ConfigFiles, AGivenFileMustExist) {
  const auto found = find_config((directory_ / "none.yaml").string(), env(), false);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
}

TEST_F(ConfigFiles, ADirectoryIsNotAFile) {
  const auto config = load_config(directory_.string());
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kIo);
}

TEST_F(ConfigFiles, AnEndlessFileIsRefused) {
  const auto config = load_config("/dev/zero");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kTooLarge);
}

TEST_F(ConfigFiles, TheUsersFileIsFound) {
  const std::string path = write("gpusched/gpusched.yaml", "sim: 1x8G\n");
  const auto found = find_config("", env(), false);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->path, path);
  EXPECT_EQ(found->config.sim, "1x8G");
}

TEST_F(ConfigFiles, ABrokenUsersFileIsNotPassedOver) {
  write("gpusched/gpusched.yaml", "broken\n");
  EXPECT_FALSE(find_config("", env(), false));
}

}  // namespace
}  // namespace gpusched
