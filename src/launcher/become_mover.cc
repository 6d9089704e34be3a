#include "launcher/become_mover.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "jobdir/packet.h"

namespace gpusched {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void become_mover(const MoveRequest& request, int report_fd) {
  ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::fcntl(report_fd, F_SETFD, 0);
  if (!request.words.empty()) {
    ::execve(request.words.front().c_str(), pointers_to(request.words).data(),
             pointers_to(request.variables).data());
  }
  const std::string program = request.words.empty() ? "nothing" : request.words.front();
  send_packet(report_fd, encode(MoverNotStarted{request.attempt, request.token,
                                                "start " + program + ": " + std::strerror(errno)}));
  ::_exit(127);
}

}  // namespace gpusched
