// What the simulated control daemon of MPS, its front end and its clients say to each other: one
// packet asks, one answers, over PIPE/control. Ours alone; the real one's is not known.
#pragma once

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string>

#include "os/fd.h"

namespace gpusched::simdriver {

inline constexpr const char* kMpsPipeVariable = "CUDA_MPS_PIPE_DIRECTORY";
// A client's question; the answer is the pid of its server.
inline constexpr const char* kMpsClientAsks = "client";

inline std::optional<sockaddr_un> mps_address(const std::string& pipe) {
  const std::string path = pipe + "/control";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// Nullopt: nobody answers there.
inline std::optional<std::string> ask_mps(const std::string& pipe, const std::string& question) {
  const auto address = mps_address(pipe);
  const Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const timeval patience{5, 0};
  if (!address || !socket ||
      ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      ::send(socket.get(), question.data(), question.size(), MSG_NOSIGNAL) < 0) {
    return std::nullopt;
  }
  char answer[4096];
  const ssize_t got = ::recv(socket.get(), answer, sizeof answer, 0);
  if (got < 0) return std::nullopt;
  return std::string(answer, static_cast<std::size_t>(got));
}

}  // namespace gpusched::simdriver
