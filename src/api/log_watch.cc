#include "api/log_watch.h"

#include <fmt/format.h>
#include <sys/inotify.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace gpusched {

class LogWatch::Impl : public std::enable_shared_from_this<LogWatch::Impl> {
 public:
  explicit Impl(boost::asio::io_context& loop) : inotify_(loop) {}

  Result<Token> watch(int file, std::function<void()> grown) {
    if (!inotify_.is_open()) {
      const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
      if (fd < 0) return fault("watch a log for changes");
      inotify_.assign(fd);
      read();
    }
    const std::string path = fmt::format("/proc/self/fd/{}", file);
    const int number = ::inotify_add_watch(inotify_.native_handle(), path.c_str(), IN_MODIFY);
    if (number < 0) return fault("watch a log for changes");
    auto told = std::make_shared<std::function<void()>>(std::move(grown));
    watched_[number].push_back(told);
    return Token(told.get(), [self = weak_from_this(), told, number](void*) mutable {
      told.reset();
      if (const auto impl = self.lock()) impl->drop(number);
    });
  }

  void stop() {
    boost::system::error_code ignored;
    watched_.clear();
    inotify_.close(ignored);
  }

 private:
  using Told = std::weak_ptr<std::function<void()>>;

  static tl::unexpected<Error> fault(const char* what) {
    return failure(ErrorCode::kIo, fmt::format("{}: {}", what, std::strerror(errno)));
  }

  // Two watches of one file share a number; it goes with the last of them.
  void drop(int number) {
    const auto it = watched_.find(number);
    if (it == watched_.end()) return;
    std::erase_if(it->second, [](const Told& told) { return told.expired(); });
    if (!it->second.empty()) return;
    watched_.erase(it);
    ::inotify_rm_watch(inotify_.native_handle(), number);
  }

  void read() {
    inotify_.async_read_some(
        boost::asio::buffer(buffer_),
        [self = shared_from_this()](boost::system::error_code error, std::size_t size) {
          if (error) return;
          self->take(size);
          self->read();
        });
  }

  void take(std::size_t size) {
    std::vector<int> numbers;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= size;) {
      inotify_event event{};
      std::memcpy(&event, buffer_.data() + at, sizeof event);
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        for (const auto& [number, unused] : watched_) numbers.push_back(number);
      } else {
        numbers.push_back(event.wd);
      }
    }
    for (const int number : numbers) {
      const auto it = watched_.find(number);
      if (it == watched_.end()) continue;
      const std::vector<Told> told = it->second;  // Being told may end a watch.
      for (const Told& weak : told) {
        if (const auto grown = weak.lock()) (*grown)();
      }
    }
  }

  boost::asio::posix::stream_descriptor inotify_;
  std::array<char, 16U << 10> buffer_{};
  std::map<int, std::vector<Told>> watched_;
};

LogWatch::LogWatch(boost::asio::io_context& loop) : impl_(std::make_shared<Impl>(loop)) {}
LogWatch::~LogWatch() { stop(); }
Result<LogWatch::Token> LogWatch::watch(int file, std::function<void()> grown) {
  return impl_->watch(file, std::move(grown));
}
void LogWatch::stop() { impl_->stop(); }

}  // namespace gpusched
