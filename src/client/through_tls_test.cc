// Against a stand-in for gpusched-tls: what is said to it, and what its first line decides.
#include "client/through_tls.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "client/client.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

std::string noticed;
void notice(std::string_view words) { noticed += std::string(words) + "\n"; }

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

class ThroughTls : public ::testing::Test {
 protected:
  ThroughTls() {
    noticed.clear();
    server_ = *parse_server("https://box:7340");
    server_.token = "secret-token";
    server_.tls_program = place_ / "tls";
    server_.known_servers = place_ / "known_servers";
    server_.patience = Seconds{0};
  }
  // It answers one request, and keeps its words and the request.
  void stand_in(const std::string& first_line) {
    std::ofstream(place_ / "tls")
        << "#!/bin/sh\necho \"$@\" >" << place_ / "words"
        << "\ncat <<'END'\n"
        << first_line << "\nEND\n"
        << "end=$(printf '\\r')\n"
        << "while read -r line && [ \"$line\" != \"$end\" ]; do\n"
        << "  echo \"${line%\"$end\"}\" >>" << place_ / "request"
        << "\ndone\n"
        << "printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}'\n";
    ::chmod((place_ / "tls").c_str(), 0700);
  }
  Result<std::string> ask() { return Client(server_, notice).call({.target = "/v1/jobs"}); }

  testing::TemporaryDirectory place_;
  Server server_;
};

std::string shows(const std::string& fingerprint, bool by_authority) {
  return std::string("{\"gpusched_tls\":1,\"by_authority\":") + (by_authority ? "true" : "false") +
         ",\"fingerprint\":\"" + fingerprint + "\",\"why_not\":\"\"}";
}

TEST_F(ThroughTls, TheTokenGoesIntoTheHeaderAndNowhereElse) {
  stand_in(shows("AB", true));
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().message;
  const std::string request = text_of(place_ / "request");
  EXPECT_NE(request.find("\nAuthorization: Bearer secret-token\n"), std::string::npos) << request;
  EXPECT_NE(request.find("\nHost: box:7340\n"), std::string::npos) << request;
  EXPECT_EQ(text_of(place_ / "words"), "connect box 7340\n");
  EXPECT_EQ(noticed, "") << "an authority vouches for it";
}

TEST_F(ThroughTls, ACertificateIsKeptWhenItIsFirstSeen) {
  stand_in(shows("AB:CD", false));
  ASSERT_TRUE(ask());
  EXPECT_EQ(noticed, "box:7340 is new here; its certificate is kept in " + server_.known_servers +
                         ": AB:CD\n");
  noticed.clear();
  ASSERT_TRUE(ask());
  EXPECT_EQ(noticed, "");
}

TEST_F(ThroughTls, AnotherCertificateGetsNoWord) {
  stand_in(shows("AB:CD", false));
  ASSERT_TRUE(ask());
  std::ofstream(place_ / "request") << "";
  stand_in(shows("EF", false));
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kForbidden);
  EXPECT_NE(answer.error().message.find("remove line 1 of " + server_.known_servers),
            std::string::npos);
  EXPECT_EQ(answer.error().message.find("secret"), std::string::npos);
  EXPECT_EQ(text_of(place_ / "request"), "");
}

TEST_F(ThroughTls, WhatItCannotDoIsSaid) {
  stand_in(R"({"gpusched_tls":1,"error":{"code":"unavailable","message":"look up box: no"}})");
  const auto unknown = ask();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "look up box: no");
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnavailable);
  stand_in("what?");
  EXPECT_FALSE(ask());
  stand_in(shows("", false));
  EXPECT_FALSE(ask());
  server_.tls_program = place_ / "none";
  const auto missing = ask();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kUnsupported) << "it will not come by waiting";
}

TEST_F(ThroughTls, WhatIsKeptCountsAlsoWhereAnAuthorityVouches) {
  stand_in(shows("AB:CD", false));
  ASSERT_TRUE(ask());
  stand_in(shows("AB:CD", true));
  EXPECT_TRUE(ask());
  stand_in(shows("EF", true));
  const auto other = ask();
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("remove line 1"), std::string::npos);
  server_.host = "other";
  EXPECT_TRUE(ask());
  EXPECT_EQ(text_of(server_.known_servers), "box:7340 AB:CD\n") << "nothing is kept of it";
}

TEST_F(ThroughTls, OneWhoOnlyLooksMeetsNobody) {
  server_.only_known = true;
  stand_in(shows("AB:CD", false));
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kForbidden);
  EXPECT_EQ(noticed, "");
  EXPECT_EQ(text_of(place_ / "request"), "") << "not even a token";
  EXPECT_EQ(text_of(server_.known_servers), "");
  server_.only_known = false;
  ASSERT_TRUE(ask());
  server_.only_known = true;
  EXPECT_TRUE(ask());
}

TEST_F(ThroughTls, TheFingerprintOfTheListIsTheOnlyOne) {
  server_.fingerprint = "AB:CD";
  stand_in(shows("AB:CD", false));
  EXPECT_TRUE(ask());
  EXPECT_EQ(noticed + text_of(server_.known_servers), "") << "there is nothing to meet";
  stand_in(shows("EF", true));
  const auto other = ask();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kForbidden);
  EXPECT_NE(other.error().message.find("servers.yaml"), std::string::npos);
}

// What is asked again, of a server that fails first. The stand-in counts its starts.
class Repeated : public ThroughTls {
 protected:
  Repeated() { server_.patience = Seconds{30}; }
  // `first` is what it does with the first request instead of answering.
  void fails_first(const std::string& first, int times = 1) {
    std::ofstream(place_ / "tls")
        << "#!/bin/sh\necho x >>" << place_ / "starts"
        << "\ncat <<'END'\n"
        << shows("AB", true) << "\nEND\n"
        << "end=$(printf '\\r')\n"
        << "while read -r line && [ \"$line\" != \"$end\" ]; do\n"
        << "  echo \"${line%\"$end\"}\" >>" << place_ / "request"
        << "\ndone\n"
        << "[ $(wc -l <" << place_ / "starts"
        << ") -gt " << times << " ] || { " << first << "; exit 0; }\n"
        << "printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}'\n";
    ::chmod((place_ / "tls").c_str(), 0700);
  }
  std::vector<std::string> sent(const std::string& header) {
    std::vector<std::string> values;
    std::istringstream lines(text_of(place_ / "request"));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(header + ": ")) values.push_back(line.substr(header.size() + 2));
    }
    return values;
  }
};

TEST_F(Repeated, AReadIsAskedAgain) {
  fails_first("true");
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(sent("Host").size(), 2U);
  EXPECT_TRUE(sent("Idempotency-Key").empty());
  EXPECT_EQ(noticed, "") << "it was over within a moment";
}

TEST_F(Repeated, AChangeKeepsItsKey) {
  fails_first("printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{'", 2);
  const Request cancel{.method = "POST", .target = "/v1/jobs/7/cancel"};
  const Client client(server_, notice);
  ASSERT_TRUE(client.call(cancel));
  const auto keys = sent("Idempotency-Key");
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_TRUE(keys[0] == keys[1] && keys[1] == keys[2]);
  ASSERT_TRUE(client.call(cancel));
  EXPECT_NE(sent("Idempotency-Key").back(), keys[0]) << "another intention";
}

TEST_F(Repeated, AProxyThatDoesNotReachItIsNoAnswer) {
  fails_first("printf 'HTTP/1.1 502 Bad Gateway\\r\\nContent-Length: 0\\r\\n\\r\\n'");
  EXPECT_TRUE(ask());
  EXPECT_EQ(sent("Host").size(), 2U);
}

TEST_F(Repeated, NothingIsMadeTwiceByAServerThatForgot) {
  // Each start says another time, as after a restart.
  std::ofstream(place_ / "tls")
      << "#!/bin/sh\necho x >>" << place_ / "starts"
      << "\nn=$(wc -l <" << place_ / "starts"
      << ")\ncat <<'END'\n"
      << shows("AB", true) << "\nEND\n"
      << "end=$(printf '\\r')\nread -r first\n"
      << "while read -r line && [ \"$line\" != \"$end\" ]; do :; done\n"
      << "echo \"$first\" >>" << place_ / "request"
      << "\n"
      << "case $first in POST*) exit 0;; esac\n"
      << "body=\"{\\\"started_at\\\":\\\"t$n\\\"}\"\n"
      << "printf 'HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s' ${#body} \"$body\"\n";
  ::chmod((place_ / "tls").c_str(), 0700);
  const auto made =
      Client(server_, notice).call({.method = "POST", .target = "/v1/reservations", .makes = true});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("look before you ask again"), std::string::npos)
      << made.error().message;
  const std::string asked = text_of(place_ / "request");
  EXPECT_EQ(asked.find("POST"), asked.rfind("POST")) << asked;
}

}  // namespace
}  // namespace gpusched
