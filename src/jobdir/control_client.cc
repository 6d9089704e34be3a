#include "jobdir/control_client.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "jobdir/packet.h"

namespace gpusched {

Result<Fd> connect_control(const std::string& attempt_directory, bool blocking) {
  const auto fail = [&](ErrorCode code, int error) {
    return failure(
        code, "connect to the supervisor in " + attempt_directory + ": " + std::strerror(error));
  };
  const Fd directory(
      ::open(attempt_directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, errno);
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | (blocking ? 0 : SOCK_NONBLOCK), 0));
  if (!socket) return fail(ErrorCode::kIo, errno);
  // A socket's address holds 107 bytes; through the open directory any path is short.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/control",
                directory.get());
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    // Refused: nobody listens any more, or not yet, between its bind() and its listen().
    if (errno == ENOENT || errno == ECONNREFUSED) return fail(ErrorCode::kNotFound, errno);
    if (errno == EACCES || errno == EPERM) return fail(ErrorCode::kForbidden, errno);
    return fail(ErrorCode::kUnavailable, errno);
  }
  return socket;
}

Result<ControlClient> ControlClient::connect(const std::string& attempt_directory) {
  auto socket = connect_control(attempt_directory, true);
  if (!socket) return failure(std::move(socket.error()));
  return ControlClient(std::move(*socket));
}

Result<void> ControlClient::send(const ControlMessage& message) {
  const int error = send_packet(socket_.get(), encode(message));
  if (error == 0) return {};
  return failure(error == EPIPE || error == ECONNRESET ? ErrorCode::kUnavailable : ErrorCode::kIo,
                 std::string("send to the supervisor: ") + std::strerror(error));
}

Result<ControlMessage> ControlClient::receive() {
  std::string buffer(kLargestControlPacket, '\0');
  std::vector<Fd> passed;
  ssize_t got = receive_packet(socket_.get(), buffer.data(), buffer.size(), passed);
  // The supervisor went without reading all that we had sent. The kernel says so first, and only
  // then hands out what the supervisor had sent.
  if (got < 0 && errno == ECONNRESET) {
    got = receive_packet(socket_.get(), buffer.data(), buffer.size(), passed);
  }
  if (got == 0 || (got < 0 && errno == ECONNRESET)) {
    return failure(ErrorCode::kUnavailable, "the supervisor closed the connection");
  }
  if (got < 0) {
    return failure(ErrorCode::kIo,
                   std::string("read from the supervisor: ") + std::strerror(errno));
  }
  return decode_control(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
}

Result<void> ControlClient::ask(const ControlMessage& request) {
  if (auto sent = send(request); !sent) return sent;
  auto answer = receive();
  if (!answer) return failure(std::move(answer.error()));
  if (const auto* refused = std::get_if<Refused>(&*answer)) {
    return failure(ErrorCode::kForbidden, refused->message);
  }
  return {};
}

}  // namespace gpusched
