#include "daemon/web_addresses.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

using Urls = std::vector<std::string>;

Urls urls_of(const std::vector<std::string>& addresses, const WebNames& names = {}) {
  std::vector<TcpAddress> bound;
  for (const std::string& text : addresses) bound.push_back(*parse_tcp_address(text));
  return web_addresses(bound, names);
}

TEST(WebAddresses, ArePlainOnLoopbackWithoutACertificate) {
  EXPECT_EQ(urls_of({"127.0.0.1:7340", "[::1]:7341"}),
            (Urls{"http://127.0.0.1:7340/", "http://[::1]:7341/"}));
  EXPECT_EQ(urls_of({}), Urls{});
}

TEST(WebAddresses, HaveANameOfTheCertificate) {
  WebNames names{.tls = true,
                 .certificate = {"127.0.0.1", "box", "box.lab", "localhost", "10.0.0.5"},
                 .host = {"box", "box.lab"}};
  EXPECT_EQ(urls_of({"0.0.0.0:7340", "[::]:7340"}, names), (Urls{"https://box.lab:7340/"}));
  EXPECT_EQ(urls_of({"127.0.0.1:1", "10.0.0.5:2", "10.0.0.6:3"}, names),
            (Urls{"https://localhost:1/", "https://10.0.0.5:2/", "https://box.lab:3/"}));
  names.certificate = {"*.lab"};
  EXPECT_EQ(urls_of({"0.0.0.0:7340"}, names), (Urls{"https://box.lab:7340/"}));
  EXPECT_EQ(urls_of({"127.0.0.1:7340"}, names), (Urls{"https://127.0.0.1:7340/"}));
  names.certificate = {"*.far.example", "10.9.9.9", "cards.far.example"};
  EXPECT_EQ(urls_of({"0.0.0.0:7340"}, names), (Urls{"https://cards.far.example:7340/"}));
}

TEST(WebAddresses, WithoutANameThatFitsAreThoseOfTheMachine) {
  WebNames names{.tls = true, .host = {"box"}};
  EXPECT_EQ(urls_of({"0.0.0.0:7340"}, names), (Urls{"https://box:7340/"}));
  EXPECT_EQ(urls_of({"10.0.0.5:7340"}, names), (Urls{"https://10.0.0.5:7340/"}));
  names.host.clear();
  EXPECT_EQ(urls_of({"0.0.0.0:7340"}, names), Urls{});
}

}  // namespace
}  // namespace gpusched
