#include <sys/epoll.h>
#include <unistd.h>

#include <csignal>

#include "cli/commands/verbs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/signal_fd.h"
#include "cli/terminal.h"
#include "cli/top/keys.h"
#include "cli/top/live.h"
#include "cli/top/painter.h"
#include "cli/top/rows.h"
#include "cli/top/view.h"

namespace gpusched::cli {
namespace {

// Keys and signals as one descriptor.
class Input {
 public:
  Input() : signals_({SIGWINCH, SIGINT, SIGTERM, SIGHUP}), both_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (const int fd : {STDIN_FILENO, signals_.fd()}) {
      epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
      ::epoll_ctl(both_.get(), EPOLL_CTL_ADD, fd, &event);
    }
  }
  int fd() const { return both_.get(); }
  std::optional<int> signal() { return signals_.take(); }
  // A terminal that was closed stays readable for ever and gives nothing.
  bool hung_up() const {
    epoll_event ready[2] = {};
    const int count = ::epoll_wait(both_.get(), ready, 2, 0);
    for (int i = 0; i < count; ++i) {
      if (ready[i].data.fd == STDIN_FILENO && (ready[i].events & (EPOLLHUP | EPOLLERR)) != 0) {
        return true;
      }
    }
    return false;
  }

 private:
  SignalFd signals_;
  Fd both_;
};

// False: it is over.
bool take_signals(Input& input, top::Painter& painter) {
  while (const auto signal = input.signal()) {
    if (*signal != SIGWINCH) return false;
    painter.resize();
  }
  return !input.hung_up();
}

bool take_keys(top::Painter& painter, top::LiveFacts& live, top::State& state) {
  while (const auto key = painter.key()) {
    const int page = static_cast<int>(painter.size().rows) / 2;
    const top::Order order = top::press(state, *key, page);
    if (order.what == top::Order::What::kQuit) return false;
    live.carry_out(order, state);
  }
  return true;
}

// What it shows, once, for programs.
int print_once(const Client& client) {
  auto gpus = client.call({.target = "/v1/gpus"});
  if (!gpus) return fail(gpus.error());
  auto overview = client.call({.target = "/v1/overview?waiting=500"});
  if (!overview) return fail(overview.error());
  auto done = print("{\"schema\":1,\"gpus\":" + *gpus + ",\"overview\":" + *overview + "}\n");
  return done ? kExitOk : fail(done.error());
}

int run_top(const Arguments& arguments) {
  const Client client = client_of(arguments);
  if (arguments.has("--json")) return print_once(client);
  // A daemon that is not there at all is said in words, before the screen is taken.
  if (auto there = client.call({.target = "/v1/version"}); !there) return fail(there.error());
  Input input;  // Before the terminal is changed: from here on every signal is an orderly end.
  auto painter = top::Painter::open(stdout_page().colour);
  if (!painter) return fail(painter.error());
  top::LiveFacts live(client);
  top::State state;
  do {
    if (!state.paused) live.refresh(state);
    top::keep_selection(state);
    painter->draw(top::top_view(state, painter->size(), stdout_page()));
    live.wait(input.fd(), state.paused);
  } while (take_signals(input, *painter) && take_keys(*painter, live, state));
  return kExitOk;
}

}  // namespace

constinit const Verb kTopVerb = {
    .name = "top",
    .summary = "cards, jobs, other processes and the queue, live",
    .usage = "top [FLAGS]",
    .about =
        "Needs a terminal; ? lists the keys. Jobs change on the screen when they change, cards "
        "once\n"
        "a second. With --json it prints the answers behind its first picture and ends.",
    .examples =
        "gpusched top\n"
        "ssh -t lab gpusched top",
    .sections = kPlainSections,
    .run = run_top,
};

}  // namespace gpusched::cli
