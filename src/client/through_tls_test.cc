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
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace gpusched
