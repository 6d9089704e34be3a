// nvidia-cuda-mps-control [-d]
// Stands in for NVIDIA's on simulated cards: a control daemon for one user, one server process with
// a little VRAM, and a front end that takes commands from its input. docs/simulated-driver.md says
// what it knows.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "simdriver/card_use.h"
#include "simdriver/clock.h"
#include "simdriver/mps/protocol.h"
#include "simdriver/slots.h"

namespace gpusched::simdriver {
namespace {

constexpr std::uint64_t kServerBytes = std::uint64_t{30} << 20;
constexpr const char* kServerName = "nvidia-cuda-mps-server";

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

int complain(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

// The server: a context on each card that the control daemon can see, and nothing to do.
int serve() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto world = World::open_from_environment();
  if (!world) return complain(world.error().message);
  auto own = OwnSlot::claim(*world);
  if (!own) return complain(own.error().message);
  const auto card = find_card(*world, variable("CUDA_VISIBLE_DEVICES", ""));
  if (!card) return complain("there is no such card");
  Slot& slot = world->data().slots[own->number()];
  world->data().slot_cards[own->number()].fetch_or(std::uint64_t{1} << *card);
  slot.cards[*card].started_us.store(wall_us());
  if (!take_bytes(*world, own->number(), *card, kServerBytes)) return complain("the card is full");
  while (true) ::pause();
}

class ControlDaemon {
 public:
  explicit ControlDaemon(Fd socket) : socket_(std::move(socket)) {}

  [[noreturn]] void run() {
    while (true) {
      const Fd client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      if (!client) continue;
      char question[1024];
      const ssize_t got = ::recv(client.get(), question, sizeof question, 0);
      if (got <= 0) continue;
      const std::string text = answer(client.get(), {question, static_cast<std::size_t>(got)});
      ::send(client.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (quitting_) {
        if (server_ > 0) ::kill(server_, SIGKILL);
        if (server_ > 0) ::waitpid(server_, nullptr, 0);
        const std::string pipe = variable(kMpsPipeVariable, "/tmp/nvidia-mps");
        ::unlink((pipe + "/control").c_str());
        std::_Exit(0);
      }
    }
  }

 private:
  static bool is_own_user(int client) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == ::geteuid();
  }

  bool server_lives() const { return server_ > 0 && ::kill(server_, 0) == 0; }

  bool start_server() {
    if (server_lives()) return true;
    server_ = ::fork();
    if (server_ != 0) return server_ > 0;
    ::execl("/proc/self/exe", kServerName, static_cast<char*>(nullptr));
    std::_Exit(127);
  }

  std::string answer(int client, const std::string& question) {
    if (question == kMpsClientAsks) {
      // The real one keeps clients of others waiting; here they are sent away.
      if (!is_own_user(client) || !start_server()) return "0";
      return std::to_string(server_);
    }
    if (question.starts_with("start_server -uid ")) {
      const bool own = std::atol(question.c_str() + 18) == static_cast<long>(::geteuid());
      return own && start_server() ? "" : "Failed to start a server for this user\n";
    }
    if (question == "get_server_list") {
      return server_lives() ? std::to_string(server_) + "\n" : std::string();
    }
    if (question == "quit" || question.starts_with("quit -t ")) {
      quitting_ = true;
      return "";
    }
    return "Unrecognized command: " + question + "\n";
  }

  Fd socket_;
  pid_t server_ = 0;
  bool quitting_ = false;
};

int start_daemon() {
  const std::string pipe = variable(kMpsPipeVariable, "/tmp/nvidia-mps");
  if (ask_mps(pipe, "get_server_list"))
    return complain("An instance of this daemon is already running");
  const auto address = mps_address(pipe);
  if (!address) return complain("the pipe directory's name is too long");
  ::unlink((pipe + "/control").c_str());
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      ::listen(socket.get(), 64) != 0) {
    return complain("Cannot listen in " + pipe + ": " + std::strerror(errno));
  }
  const pid_t pid = ::fork();
  if (pid != 0) return pid > 0 ? 0 : complain("Cannot fork");
  ::setsid();
  const int null = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; ++standard) ::dup2(null, standard);
  std::ofstream(pipe + "/nvidia-cuda-mps-control.pid") << ::getpid() << "\n";
  ControlDaemon(std::move(socket)).run();
}

int take_commands() {
  const std::string pipe = variable(kMpsPipeVariable, "/tmp/nvidia-mps");
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto answer = ask_mps(pipe, line);
    if (!answer) return complain("Cannot find MPS control daemon process");
    std::cout << *answer;
  }
  return 0;
}

}  // namespace
}  // namespace gpusched::simdriver

int main(int argc, char** argv) {
  using namespace gpusched::simdriver;
  if (std::string(argv[0]) == kServerName) return serve();
  if (argc == 1) return take_commands();
  if (argc == 2 && std::string(argv[1]) == "-d") return start_daemon();
  std::fprintf(stderr, "usage: nvidia-cuda-mps-control [-d]\n");
  return 1;
}
