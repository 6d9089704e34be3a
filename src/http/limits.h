// What one server and its clients may take.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace gpusched {

struct Peer;

struct HttpLimits {
  std::uint64_t body_bytes = 64ULL << 20;
  // Of all requests being read or handled; one user gets at most half of it.
  std::uint64_t bodies_bytes = 256ULL << 20;
  std::uint32_t header_bytes = 16U << 10;
  int clients = 256;          // Half of them at most over the network.
  int clients_per_user = 64;  // Over the network: of one address.
  // Some still get in when all places are taken. Empty: nobody.
  int extra_places = 8;
  std::function<bool(const Peer&)> has_extra_place = {};
  // Over the network, by the headers: who has proved something keeps the place, and may send more
  // than a small body.
  std::function<bool(const std::map<std::string, std::string>& headers)> may_send_much = {};
  bool knows(const std::map<std::string, std::string>& headers) const {
    return may_send_much && may_send_much(headers);
  }
  std::chrono::milliseconds request_time{30'000};  // From its first to its last byte.
  // Who came over the network and has proved nothing: for handshake and request together, and
  // between requests. Enough for two packets that were lost on the way.
  std::chrono::milliseconds unproved_time{10'000};
  std::chrono::milliseconds idle_time{60'000};   // Between requests of one connection.
  std::chrono::milliseconds write_time{60'000};  // For an answer that is not a stream.
};

// How large the body of a request may be, by its method and target.
using BodyMost = std::function<std::uint64_t(std::string_view method, std::string_view target)>;

}  // namespace gpusched
