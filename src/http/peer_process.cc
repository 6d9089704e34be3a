#include "http/peer_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gpusched {
namespace {

// Since Linux 6.5; not in every library's headers yet.
constexpr int kPeerPidfd = 77;

Fd ask_kernel(int socket) {
  int descriptor = -1;
  socklen_t size = sizeof descriptor;
  if (::getsockopt(socket, SOL_SOCKET, kPeerPidfd, &descriptor, &size) != 0) return {};
  return Fd(descriptor);
}

bool kernel_knows() {
  static const bool kKnows = [] {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    const Fd one(ends[0]);
    const Fd other(ends[1]);
    return ask_kernel(one.get()).valid();
  }();
  return kKnows;
}

}  // namespace

std::optional<Peer> peer_of(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
  Peer peer{credentials.uid, credentials.gid, credentials.pid};
  // What an older kernel lets us know: who has the number just after it connected.
  if (!kernel_knows()) peer.pid_started = start_of_process(peer.pid).value_or(0);
  return peer;
}

Fd peer_process(int socket, const Peer& peer) {
  if (peer.pid <= 0) return {};
  if (kernel_knows()) return ask_kernel(socket);
  Fd process(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0)));
  const bool same = peer.pid_started != 0 && start_of_process(peer.pid) == peer.pid_started;
  return process && same ? std::move(process) : Fd();
}

bool process_has_ended(const Fd& process) {
  pollfd end{process.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) != 0;
}

std::optional<std::uint64_t> start_of_process(int pid) {
  const Fd file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  errno = ESRCH;
  std::array<char, 1024> text{};
  const ssize_t size = ::read(file.get(), text.data(), text.size() - 1);
  if (size <= 0) return std::nullopt;
  // The name before it may hold anything, also brackets and blanks.
  const char* at = std::strrchr(text.data(), ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  if (at == nullptr) return std::nullopt;
  return std::strtoull(at + 1, nullptr, 10);
}

}  // namespace gpusched
