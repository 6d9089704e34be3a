#include "client/server.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "client/through_ssh.h"

namespace gpusched {
namespace {

TEST(Server, IsASocketOrAMachine) {
  EXPECT_EQ(parse_server("/run/x.sock")->sockets, std::vector<std::string>{"/run/x.sock"});
  EXPECT_EQ(parse_server("unix:///run/x.sock")->sockets, std::vector<std::string>{"/run/x.sock"});
  EXPECT_EQ(parse_server("ssh://box")->machine, "box");
  EXPECT_EQ(parse_server("ssh://box/")->machine, "box");
  const auto whole = parse_server("ssh://ml1@box.lab:2222");
  EXPECT_EQ(whole->machine, "ml1@box.lab");
  EXPECT_EQ(whole->port, "2222");
  const auto six = parse_server("ssh://ml1@[fe80::1]:22");
  EXPECT_EQ(six->machine, "ml1@fe80::1");
  EXPECT_EQ(six->port, "22");
  EXPECT_EQ(parse_server("ssh://[::1]")->port, "");
  EXPECT_EQ(parse_server("ssh://::1")->machine, "::1");
}

TEST(Server, RefusesWhatSshWouldTakeForSomethingElse) {
  for (const char* text : {"ssh://", "ssh://-oProxyCommand=x", "ssh://a b",
                           "ssh://box:", "ssh://box:x", "ssh://ml1@", "ssh://$(x)", "ssh://]",
                           "ssh://[]", "ssh://box:0", "ssh://box:99999", "ssh://a;b", "box"}) {
    const auto server = parse_server(text);
    ASSERT_FALSE(server) << text;
    EXPECT_EQ(server.error().code, ErrorCode::kInvalid) << text;
  }
}

TEST(Server, IsAnAddressOfTheNetwork) {
  const auto usual = parse_server("https://box.lab/");
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(usual->name(), "box.lab:7340");
  EXPECT_TRUE(usual->tls && usual->on_network());
  EXPECT_FALSE(usual->elsewhere());
  EXPECT_EQ(parse_server("https://10.0.0.7:443")->name(), "10.0.0.7:443");
  const auto six = parse_server("https://[fd00::7]:7341");
  EXPECT_EQ(six->host, "fd00::7");
  EXPECT_EQ(six->name(), "[fd00::7]:7341");
}

TEST(Server, HasOneNameHoweverItIsWritten) {
  EXPECT_EQ(parse_server("https://BOX.Lab:07340")->name(), "box.lab:7340");
  EXPECT_EQ(parse_server("https://[FE80::1]")->name(), "[fe80::1]:7340");
}

TEST(Server, PlainHttpIsForThisMachine) {
  for (const char* text : {"http://127.0.0.1:7340", "http://localhost", "http://[::1]:1"}) {
    const auto server = parse_server(text);
    ASSERT_TRUE(server) << text;
    EXPECT_FALSE(server->tls);
  }
  for (const char* text :
       {"http://box:1", "http://10.0.0.7", "http://127.0.0.1.lab", "http://[fd00::1]:1"}) {
    const auto server = parse_server(text);
    ASSERT_FALSE(server) << text;
    EXPECT_NE(server.error().message.find("https://HOST"), std::string::npos);
  }
}

TEST(Server, RefusesWhatIsNoAddress) {
  for (const char* text : {"https://", "https://:1", "https://box:", "https://box:0", "https://a b",
                           "https://ml1@box", "https://box/path", "https://-x", "https://[]",
                           "https://[::1", "https://::1", "https://box?x", "https://b\nx"}) {
    EXPECT_FALSE(parse_server(text)) << text;
  }
}

TEST(Server, SaysWhatIsWrongWithAnAddress) {
  const struct {
    const char* text;
    const char* part;
  } cases[] = {
      {"https://ml1@box", "a token says who you are"},
      {"https://box/jobs", "has a path"},
      {"https://box?x", "has a path"},
      {"http://box:1", "everybody on the way"},
      {"ftp://box", "is neither ssh://HOST nor"},
      {"box/x", "has no scheme"},
  };
  for (const auto& [text, part] : cases) {
    const auto server = parse_server(text);
    ASSERT_FALSE(server) << text;
    EXPECT_NE(server.error().message.find(part), std::string::npos) << server.error().message;
  }
  EXPECT_EQ(parse_server("HTTPS://Box")->name(), "box:7340");
}

TEST(Server, ATokenIsOneWord) {
  EXPECT_TRUE(is_token("gst_Ab0-_="));
  for (const char* text : {"", "a b", "a\r\nX: y", "a\x7f", "\xc3\xa4"}) {
    EXPECT_FALSE(is_token(text)) << text;
  }
}

TEST(ThroughSsh, WordsArriveAsTheyAre) {
  const Server server = *parse_server("ssh://ml1@box:2222");
  const auto command = ssh_command(server, {"run", "--", "echo", "it's $HOME"}, true);
  EXPECT_EQ(command[0], "ssh");
  EXPECT_EQ(command[1], "-t");
  EXPECT_EQ(command.back(), "env GPUSCHED_SERVER= gpusched 'run' '--' 'echo' 'it'\\''s $HOME'");
  const std::vector<std::string> before(command.end() - 5, command.end() - 1);
  EXPECT_EQ(before, (std::vector<std::string>{"-p", "2222", "--", "ml1@box"}));
}

TEST(ThroughSsh, WhoOnlyLooksIsAskedNothing) {
  Server server = *parse_server("ssh://box");
  const auto asks = [&] {
    const auto command = ssh_command(server, {"relay"}, false);
    return std::ranges::find(command, "BatchMode=yes") == command.end();
  };
  EXPECT_TRUE(asks());
  server.only_known = true;
  EXPECT_FALSE(asks());
}

}  // namespace
}  // namespace gpusched
