#include "os/tcp_address.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(TcpAddress, ReadsNumbersAndWritesThemAlike) {
  for (const char* text : {"127.0.0.1:7340", "[::1]:7340", "0.0.0.0:1", "[fd00::17]:65535"}) {
    const auto address = parse_tcp_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
  EXPECT_EQ(parse_tcp_address("[0:0::1]:7340")->text(), "[::1]:7340");
}

TEST(TcpAddress, KnowsWhatOnlyThisMachineReaches) {
  for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1"}) {
    EXPECT_TRUE(parse_tcp_address(text)->is_loopback()) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "128.0.0.1:1", "[fe80::1]:1"}) {
    EXPECT_FALSE(parse_tcp_address(text)->is_loopback()) << text;
  }
}

TEST(TcpAddress, RefusesWhatIsNotANumber) {
  for (const char* text :
       {"", ":", "localhost:7340", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "::1:7340",
        "[127.0.0.1]:7340", "[]:7340", "127.1:7340", "[::1]7340", "127.0.0.1:-1", "127.0.0.1: 1"}) {
    EXPECT_FALSE(parse_tcp_address(text)) << text;
  }
}

}  // namespace
}  // namespace gpusched
