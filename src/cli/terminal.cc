#include "cli/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "os/clock.h"

namespace gpusched::cli {
namespace {

// For the signal handler, which can reach nothing else.
volatile sig_atomic_t g_raw_fd = -1;
termios g_before;

void restore() {
  if (g_raw_fd >= 0) ::tcsetattr(static_cast<int>(g_raw_fd), TCSANOW, &g_before);
  g_raw_fd = -1;
}

void restore_and_die(int signal) {
  restore();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

bool set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// By the environment, in the order in which the C library looks at it.
bool is_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!set(name)) continue;
    const std::string_view value = std::getenv(name);
    for (const char* word : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(word) != std::string_view::npos) return true;
    }
    return false;
  }
  return false;
}

}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

std::optional<TerminalSize> terminal_size(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return TerminalSize{size.ws_row, size.ws_col};
}

bool nobody_is_there() {
  std::array<pollfd, 3> ends{{{STDIN_FILENO, 0, 0}, {STDOUT_FILENO, 0, 0}, {STDERR_FILENO, 0, 0}}};
  if (::poll(ends.data(), ends.size(), 0) < static_cast<int>(ends.size())) return false;
  return std::ranges::all_of(
      ends, [](const pollfd& end) { return (end.revents & (POLLHUP | POLLERR)) != 0; });
}

Page stdout_page() {
  Page page;
  page.now = read_clock().wall;
  page.offset_at = utc_offset_at;
  page.ascii = !is_utf8_locale();
  if (!is_terminal(STDOUT_FILENO)) return page;
  page.width =
      static_cast<std::size_t>(terminal_size(STDOUT_FILENO).value_or(TerminalSize{}).columns);
  const char* term = std::getenv("TERM");
  page.colour = !set("NO_COLOR") && term != nullptr && std::string_view(term) != "dumb";
  return page;
}

RawTerminal::RawTerminal(int fd, Signals signals) {
  if (::tcgetattr(fd, &g_before) != 0) return;
  g_raw_fd = fd;
  for (const int signal : {SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV}) {
    std::signal(signal, restore_and_die);
  }
  termios raw = g_before;
  if (signals == Signals::kAreInput) {
    ::cfmakeraw(&raw);
  } else {
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL);
  }
  active_ = ::tcsetattr(fd, TCSADRAIN, &raw) == 0;
}

RawTerminal::~RawTerminal() {
  if (active_) restore();
}

}  // namespace gpusched::cli
