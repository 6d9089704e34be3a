#include "api/origin.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

HttpRequest a_request(std::map<std::string, std::string> headers, bool tls = false) {
  HttpRequest request{.method = "POST", .headers = std::move(headers)};
  request.peer = {.network = true, .address = "10.0.0.9", .reached = "10.0.0.5", .tls = tls};
  return request;
}

bool takes_host(const std::string& host) {
  return !refuses_host(a_request({{"host", host}}), {"box", "box.lab.example"});
}

TEST(Origin, AHostIsOneOfOurNames) {
  for (const char* host :
       {"box", "BOX:7340", "box.lab.example.:7340", "10.0.0.5:7340", "localhost:1",
        "127.0.0.1:7340", "127.0.0.2", "[::1]:7340", "[0:0::1]"}) {
    EXPECT_TRUE(takes_host(host)) << host;
  }
  for (const char* host :
       {"evil.example", "box.evil.example", "10.0.0.6", "localhost.evil.example", "", "box:7340:1",
        "box:x", "[::1", "[::1]x", "127.0.0.1.evil.example", "[fe80::1]", "boxbox"}) {
    EXPECT_FALSE(takes_host(host)) << host;
  }
}

TEST(Origin, ACertificateMayBeForAllOfADomain) {
  const auto takes = [](const char* host) {
    return !refuses_host(a_request({{"host", host}}), {"*.lab.example"});
  };
  EXPECT_TRUE(takes("box.lab.example"));
  EXPECT_FALSE(takes("a.box.lab.example"));
  EXPECT_FALSE(takes("lab.example"));
}

TEST(Origin, AUnixSocketHasNoNameButTunnelsEndThere) {
  const auto takes = [](const char* host) {
    HttpRequest request = a_request({{"host", host}});
    request.peer.network = false;
    return !refuses_host(request, {"box.lab.example"});
  };
  for (const char* host :
       {"", "d", "gpusched", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "box.lab.example"}) {
    EXPECT_TRUE(takes(host)) << host;
  }
  for (const char* host : {"evil.example", "evil.example.:8080", "10.0.0.9"}) {
    EXPECT_FALSE(takes(host)) << host;
  }
  EXPECT_FALSE(refuses_host(a_request({}), {})) << "no browser";
}

TEST(Origin, AChangeComesFromOurOwnPage) {
  const auto takes = [](std::map<std::string, std::string> headers, bool cookie, bool tls = false) {
    headers["host"] = "box:7340";
    return !refuses_origin(a_request(std::move(headers), tls), cookie);
  };
  EXPECT_TRUE(takes({{"origin", "http://box:7340"}}, true));
  EXPECT_TRUE(takes({{"origin", "https://box:7340"}}, true)) << "a proxy speaks TLS";
  EXPECT_TRUE(takes({{"origin", "https://box:7340"}}, true, true));
  EXPECT_FALSE(takes({{"origin", "http://box:7340"}}, true, true)) << "somebody in between";
  for (const char* origin : {"http://evil.example", "http://box", "http://box:7341", "null", ""}) {
    EXPECT_FALSE(takes({{"origin", origin}}, true)) << origin;
    EXPECT_FALSE(takes({{"origin", origin}}, false)) << origin;
  }
  EXPECT_FALSE(takes({}, true));
  EXPECT_TRUE(takes({}, false)) << "no browser";
  EXPECT_TRUE(takes({{"sec-fetch-site", "same-origin"}}, true));
  EXPECT_FALSE(takes({{"sec-fetch-site", "same-site"}}, true));
  EXPECT_FALSE(takes({{"sec-fetch-site", "none"}}, true));
  EXPECT_FALSE(takes({{"sec-fetch-site", "cross-site"}}, false));
  EXPECT_FALSE(takes({{"origin", "http://box:7340"}, {"sec-fetch-site", "cross-site"}}, true));
}

TEST(Origin, LookingNeedsNoOrigin) {
  HttpRequest request = a_request({{"origin", "http://evil.example"}});
  request.method = "GET";
  EXPECT_FALSE(refuses_origin(request, true));
}

}  // namespace
}  // namespace gpusched
