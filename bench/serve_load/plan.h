// What the load generator is to do, as it reads it from its input: one order per line.
//   port PORT                 of a server on loopback
//   tls                       seconds 60             connections 32
//   addresses COUNT           from which connections come in turn; else all from one
//   header NAME: VALUE        on each request
//   token TOKEN               several: connections take them in turn
//   ask NAME RATE METHOD TARGET [BODY]     so many a second, at even distances
//   stream COUNT TARGET       connections that read for ever
//   stall COUNT TARGET        connections that ask and never read
//   half COUNT                connections that send half a request
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "base/result.h"

namespace gpusched {

struct Ask {
  std::string name;
  double rate = 0;
  std::string method, target, body;
};
struct Followers {
  int count = 0;
  std::string target;
};
struct LoadPlan {
  std::uint16_t port = 0;
  bool tls = false;
  double seconds = 10;
  int connections = 32;
  std::uint32_t addresses = 0;
  std::vector<std::string> headers, tokens;
  std::vector<Ask> asks;
  std::vector<Followers> streams, stalled;
  int halves = 0;
};

Result<LoadPlan> read_plan(std::istream& in);
// As it goes over the connection with this number.
std::string request_text(const LoadPlan& plan, const Ask& ask, std::size_t connection);

}  // namespace gpusched
