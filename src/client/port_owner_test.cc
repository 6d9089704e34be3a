#include "client/port_owner.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

// 127.0.0.1:7340 is 0100007F:1CAC on a machine that counts its bytes from the low end.
constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:1CAC 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 1\n"
    "   1: 0100007F:1CAC 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1002        0 2\n"
    "   2: 00000000:1CAD 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 3\n"
    "   3: 0200007F:1CAC 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 4\n"
    "nonsense\n";
constexpr std::string_view kSix =
    "   0: 00000000000000000000000000000000:1CAC 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000  1004        0 5\n"
    "   1: 00000000000000000000000001000000:1CAE 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000  1005        0 6\n";

using Users = std::vector<uid_t>;

TEST(PortOwner, IsWhoeverListensOnIt) {
  EXPECT_EQ(listeners_in(kTable, *parse_tcp_address("127.0.0.1:7340")), Users{1001});
  EXPECT_EQ(listeners_in(kTable, *parse_tcp_address("127.0.0.2:7340")), Users{1003});
  EXPECT_EQ(listeners_in(kTable, *parse_tcp_address("127.0.0.1:7341")), Users{0})
      << "on all addresses";
  EXPECT_EQ(listeners_in(kTable, *parse_tcp_address("127.0.0.1:1")), Users());
  EXPECT_EQ(listeners_in(kSix, *parse_tcp_address("127.0.0.1:7340")), Users{1004})
      << "one for both kinds of addresses";
  EXPECT_EQ(listeners_in(kSix, *parse_tcp_address("[::1]:7342")), Users{1005});
  EXPECT_EQ(listeners_in(kSix, *parse_tcp_address("127.0.0.1:7342")), Users());
}

}  // namespace
}  // namespace gpusched
