#include "cli/servers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "cli/elsewhere.h"
#include "cli/shared_flags.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::cli {
namespace {

class Servers : public ::testing::Test {
 protected:
  Result<Server> choose(const std::vector<std::string>& words) {
    auto arguments = parse_arguments("status", kPlainSections, Operands::kNone, words);
    EXPECT_TRUE(arguments);
    return choose_server(*arguments, [this](const char* name) -> std::optional<std::string> {
      const auto found = env_.find(name);
      return found == env_.end() ? std::nullopt : std::optional(found->second);
    });
  }
  void write_names(const std::string& text) {
    env_["XDG_CONFIG_HOME"] = home_.path();
    std::filesystem::create_directories(home_ / "gpusched");
    std::ofstream(home_ / "gpusched/servers.yaml") << text;
  }
  testing::TemporaryDirectory home_;
  std::map<std::string, std::string> env_;
};

TEST_F(Servers, FlagsWinOverVariablesAndASocketOverAServer) {
  env_ = {{"GPUSCHED_SERVER", "ssh://far"}};
  EXPECT_EQ(choose({})->machine, "far");
  EXPECT_EQ(choose({"--server", "ssh://box"})->machine, "box");
  EXPECT_EQ(choose({"--socket", "/s"})->sockets, std::vector<std::string>{"/s"});
  EXPECT_FALSE(choose({"--socket", "/s", "--server", "ssh://box"}));
  env_["GPUSCHED_SOCKET"] = "/near";
  EXPECT_EQ(choose({})->sockets, std::vector<std::string>{"/near"});
  EXPECT_EQ(choose({"--server", "ssh://box"})->machine, "box");
}

TEST_F(Servers, HaveNamesInAFile) {
  EXPECT_EQ(choose({"--server", "lab"}).error().code, ErrorCode::kInvalid) << "there is no file";
  write_names("lab: ssh://ml1@box\nhere: /run/s\n");
  EXPECT_EQ(choose({"--server", "lab"})->machine, "ml1@box");
  EXPECT_EQ(choose({"--server", "here"})->sockets, std::vector<std::string>{"/run/s"});
  EXPECT_FALSE(choose({"--server", "other"}));
  for (const char* text : {"- a\n", "lab: [1]\n", "lab: {x: y}\n", "lab: ssh://a b\n", "\tx", ""}) {
    write_names(text);
    EXPECT_FALSE(choose({"--server", "lab"})) << text;
  }
}

TEST_F(Servers, OfTheNetworkHaveATokenFromTheNearestPlace) {
  write_names("box: {server: 'https://box', token: from-the-list}\nplain: https://box\n");
  ::chmod((home_ / "gpusched/servers.yaml").c_str(), 0600);
  EXPECT_EQ(choose({"--server", "https://box"})->token, "");
  EXPECT_EQ(choose({"--server", "box"})->token, "from-the-list");
  EXPECT_EQ(choose({"--server", "plain"})->token, "");
  std::filesystem::create_directories(home_ / "gpusched/tokens");
  std::ofstream(home_ / "gpusched/tokens/box") << "from-a-file\n";
  ::chmod((home_ / "gpusched/tokens/box").c_str(), 0600);
  const auto server = choose({"--server", "https://box"});
  EXPECT_EQ(server->token, "from-a-file");
  EXPECT_EQ(server->known_servers, home_ / "gpusched/known_servers");
  EXPECT_EQ(choose({"--server", "plain"})->token, "from-a-file");
  EXPECT_EQ(choose({"--server", "https://box:443"})->token, "") << "another port, another server";
  std::ofstream(home_ / "gpusched/tokens/box:443") << "of-that-port\n";
  ::chmod((home_ / "gpusched/tokens/box:443").c_str(), 0600);
  EXPECT_EQ(choose({"--server", "https://box:443"})->token, "of-that-port");
  EXPECT_EQ(choose({"--server", "ssh://box"})->token, "");
  env_["GPUSCHED_TOKEN"] = "from-a-variable";
  EXPECT_EQ(choose({"--server", "box"})->token, "from-a-variable");
  EXPECT_EQ(choose({"--server", "https://other"})->token, "from-a-variable");
}

TEST_F(Servers, ATokenThatOthersCanReadIsRefused) {
  write_names("box: {server: 'https://box', token: secret-word}\n");
  std::filesystem::create_directories(home_ / "gpusched/tokens");
  const std::string file = home_ / "gpusched/tokens/far";
  std::ofstream(file) << "secret-word";
  ::chmod((home_ / "gpusched/servers.yaml").c_str(), 0644);
  ::chmod(file.c_str(), 0640);
  for (const char* name : {"box", "https://far"}) {
    const auto server = choose({"--server", name});
    ASSERT_FALSE(server) << name;
    EXPECT_NE(server.error().message.find("others can read it"), std::string::npos);
    EXPECT_EQ(server.error().message.find("secret-word"), std::string::npos);
  }
  ::chmod(file.c_str(), 0600);
  std::ofstream(file) << "secret word";
  EXPECT_EQ(choose({"--server", "https://far"}).error().message,
            "the token in " + file + ": it is not a single word");
}

TEST_F(Servers, WhatIsWrongInTheFileNamesItsLine) {
  const std::string file = home_ / "gpusched/servers.yaml";
  const auto error_of = [&](const char* text) {
    write_names(text);
    return choose({"--server", "box"}).error().message;
  };
  EXPECT_EQ(error_of("a: ssh://a\nbox: {token: x}\n"),
            file + ": line 2: has no 'server: https://HOST'");
  EXPECT_EQ(error_of("box: {server: 'https://a', user: x}\n"),
            file +
                ": line 1: has 'user'; there are server, token, token_file, fingerprint, and "
                "insecure: true");
  EXPECT_EQ(error_of("box: {server: 'https://a', token_file: x}\n"),
            file + ": line 1: has a token_file that is not an absolute path");
}

TEST_F(Servers, MayHaveTheFingerprintOfTheirCertificate) {
  std::string fingerprint = "ab";
  for (int i = 1; i < 32; ++i) fingerprint += ":0F";
  write_names("box: {server: 'https://box', fingerprint: '" + fingerprint +
              "'}\nnear: {server: 'http://localhost', insecure: true}\n");
  EXPECT_TRUE(choose({"--server", "box"})->fingerprint.starts_with("AB:0F:"));
  EXPECT_FALSE(choose({"--server", "box"})->insecure);
  EXPECT_TRUE(choose({"--server", "near"})->insecure);
  for (const char* text : {"box: {server: 'https://box', fingerprint: AB}\n",
                           "box: {server: 'ssh://box', fingerprint: X}\n",
                           "box: {server: 'https://box', insecure: maybe}\n"}) {
    write_names(text);
    EXPECT_FALSE(choose({"--server", "box"})) << text;
  }
  write_names("box: {server: 'ssh://box', token: x}\n");
  ::chmod((home_ / "gpusched/servers.yaml").c_str(), 0600);
  EXPECT_NE(choose({"--server", "box"}).error().message.find("which is for https://"),
            std::string::npos);
}

TEST_F(Servers, AnAddressWithoutASchemeIsExplained) {
  for (const char* text : {"box:7340", "box.lab", "ml1@box"}) {
    const auto server = choose({"--server", text});
    ASSERT_FALSE(server);
    EXPECT_NE(server.error().message.find("https://"), std::string::npos) << server.error().message;
  }
}

TEST_F(Servers, PatienceIsANumberOfSeconds) {
  EXPECT_EQ(choose({"--server", "https://box"})->patience, kAwayMost);
  env_["GPUSCHED_PATIENCE"] = "0";
  EXPECT_EQ(choose({"--server", "https://box"})->patience, Seconds{0});
  for (const char* text : {"x", "-1", "3601", "1s"}) {
    env_["GPUSCHED_PATIENCE"] = text;
    EXPECT_FALSE(choose({"--server", "https://box"})) << text;
  }
}

TEST_F(Servers, FlagsMayStandBeforeTheVerb) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(leading_flags(Words{"status", "--server", "x"}), 0U);
  EXPECT_EQ(leading_flags(Words{"--server", "x", "status"}), 2U);
  EXPECT_EQ(leading_flags(Words{"--server=x", "--json", "status"}), 2U);
  EXPECT_EQ(leading_flags(Words{"--server"}), 1U);
  EXPECT_EQ(leading_flags(Words{"--help"}), 0U);
  EXPECT_EQ(daemon_named_in(Words{"logs", "--server", "x", "-f"}).text("--server"), "x");
  EXPECT_EQ(daemon_named_in(Words{"--socket=/s", "logs"}).text("--socket"), "/s");
  EXPECT_FALSE(daemon_named_in(Words{"run", "--", "--server", "x"}).has("--server"));
  EXPECT_FALSE(daemon_named_in(Words{"logs", "--server"}).has("--server"));
}

TEST(Elsewhere, AJobInheritsWhatTheRelaySays) {
  const auto around = parse_greeting(
      R"({"gpusched_relay":1,"directory":"/home/ml1","umask":63,"environment":["A=1","B=2"]})");
  ASSERT_TRUE(around) << around.error().message;
  EXPECT_EQ(around->working_directory, "/home/ml1");
  EXPECT_EQ(around->umask, 077U);
  EXPECT_EQ(around->environment.size(), 2U);
  EXPECT_TRUE(around->limits.empty());
  EXPECT_TRUE(around->elsewhere);
  EXPECT_FALSE(parse_greeting(R"({"gpusched_relay":2,"directory":"/"})")) << "a newer one";
}

}  // namespace
}  // namespace gpusched::cli
