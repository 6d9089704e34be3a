#include "notifier/notifier.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "notifier/leftovers.h"
#include "os/clock.h"
#include "os/fd.h"

namespace gpusched::notifier {
namespace {

// After the end of the input: so long somebody may take to read the last outcomes.
constexpr Seconds kLastWords{5};
constexpr int kExitIo = 74;

class Loop {
 public:
  explicit Loop(NotifierOptions options)
      : in_(options.in),
        out_(options.out),
        journal_(std::move(options.journal)),
        couriers_(std::move(options.work), [this] { leave_to_parent(); }) {
    ::fcntl(out_, F_SETFL, ::fcntl(out_, F_GETFL) | O_NONBLOCK);
  }

  int run() {
    adopt_orphans();
    while (!finished()) {
      tell(couriers_.start(read_clock().boot));
      wait();
      tell(couriers_.collect(read_clock().boot));
      couriers_.end_strays(read_clock().boot);
      write_out();
      if (broken_) return kExitIo;
    }
    end_children_but({}, read_clock().boot + kLastWords);
    return 0;
  }

 private:
  // What a child must not hold: a lock and the ends of our pipes. Their numbers stay taken, so that
  // no file of the child becomes its stdin or stdout.
  void leave_to_parent() {
    journal_.leave();
    const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    ::dup2(nothing.get(), in_);
    ::dup2(nothing.get(), out_);
  }

  bool finished() {
    if (!ended_ || !couriers_.idle()) return false;
    const Boot now = read_clock().boot;
    if (!last_words_) last_words_ = now + kLastWords;
    return unsent_.empty() || now >= *last_words_;
  }

  void wait() {
    std::vector<pollfd> entries;
    couriers_.wait_on(entries);
    const bool listens = !ended_ && !couriers_.full();
    if (!unsent_.empty()) entries.push_back({out_, POLLOUT, 0});
    // It comes last, so that it can be found.
    if (listens) entries.push_back({in_, POLLIN, 0});
    const Boot now = read_clock().boot;
    const Boot until = couriers_.next_deadline(last_words_.value_or(now + Seconds{3600}));
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
    const int most = static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
    if (::poll(entries.data(), entries.size(), most) <= 0) return;
    if (listens && entries.back().revents != 0) read_in();
  }

  void read_in() {
    std::array<char, 65536> bytes{};
    const ssize_t got = ::read(in_, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    ended_ = got <= 0;
    // What has not begun is left to the next notifier.
    if (ended_) return couriers_.drop_waiting();
    arrived_.append(bytes.data(), static_cast<std::size_t>(got));
    // They hold secrets: no copy stays behind in what is read next.
    std::fill_n(bytes.data(), got, '\0');
    take_lines(arrived_, [this](std::string_view line) { take(line); });
    if (arrived_.size() > kNotifierLineMost) {
      complain("a line is too long");
      broken_ = true;
    }
  }

  void take(std::string_view line) {
    auto delivery = read_delivery(line);
    if (!delivery) return complain(delivery.error().message);
    couriers_.add(std::move(*delivery), read_clock().boot);
  }

  static void complain(const std::string& why) {
    fmt::print(stderr, "gpusched-notifier: a delivery was passed over: {}\n", why);
  }

  void tell(const std::vector<DeliveryOutcome>& outcomes) {
    for (const DeliveryOutcome& outcome : outcomes) {
      if (!journal_.write(outcome)) {
        // Not known to be on disk: better said anyway than sent again.
        fmt::print(stderr, "gpusched-notifier: the journal cannot be written\n");
      }
      unsent_ += write_line(outcome) + "\n";
    }
  }

  void write_out() {
    while (!unsent_.empty()) {
      const ssize_t done = ::write(out_, unsent_.data(), unsent_.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0 && errno == EAGAIN) return;
      // Nobody reads any more: the journal says it.
      if (done < 0) return unsent_.clear();
      unsent_.erase(0, static_cast<std::size_t>(done));
    }
  }

  int in_, out_;
  Journal journal_;
  Couriers couriers_;
  std::string arrived_;
  std::string unsent_;
  std::optional<Boot> last_words_;
  bool ended_ = false;
  bool broken_ = false;
};

}  // namespace

int run_notifier(NotifierOptions options) { return Loop(std::move(options)).run(); }

}  // namespace gpusched::notifier
