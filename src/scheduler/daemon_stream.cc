#include "scheduler/daemon_stream.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gpusched::library {
namespace {

constexpr std::size_t kLineMost = 16U << 20;

tl::unexpected<Error> broken(const char* how) {
  return failure(ErrorCode::kUnavailable, std::string("the gpusched daemon's stream ") + how);
}

}  // namespace

Result<DaemonStream> DaemonStream::open(const std::vector<std::string>& sockets,
                                        const std::string& target) {
  Result<Fd> fd = connect_to_daemon(sockets);
  if (!fd) return failure(fd.error());
  DaemonStream stream(std::move(*fd));
  if (Result<void> sent = send_question(stream.fd(), {"GET", target}); !sent) {
    return failure(sent.error());
  }
  Result<AnswerHead> head = read_head(stream.fd(), stream.received_, kDaemonPatience);
  if (!head) return failure(head.error());
  if (head->status == 200 && head->chunked) return stream;
  Result<void> whole = read_body(stream.fd(), stream.received_, head->length, kDaemonPatience);
  if (!whole) return failure(whole.error());
  return broken(("was refused: " + stream.received_).c_str());
}

Result<void> DaemonStream::decode() {
  constexpr std::size_t kLineEnd = 2;
  while (true) {
    if (left_ > 0) {
      const std::size_t size = std::min<std::uint64_t>(left_, received_.size());
      const std::size_t data = left_ > kLineEnd ? std::min<std::size_t>(size, left_ - kLineEnd) : 0;
      text_.append(received_, 0, data);
      received_.erase(0, size);
      left_ -= size;
      if (left_ > 0) return {};
    }
    const std::size_t end = received_.find("\r\n");
    if (end == std::string::npos) return {};
    std::uint64_t size = 0;
    const auto read = std::from_chars(received_.data(), received_.data() + end, size, 16);
    if (read.ec != std::errc() || size > kLineMost) return broken("cannot be read");
    if (size == 0) return broken("has ended");
    received_.erase(0, end + kLineEnd);
    left_ = size + kLineEnd;
  }
}

Result<std::vector<std::string>> DaemonStream::lines(std::chrono::milliseconds patience) {
  // Something may have come together with the head.
  Result<std::vector<std::string>> found = take_lines();
  if (!found || !found->empty()) return found;
  Result<bool> got = receive_some(fd_.get(), received_, patience);
  if (!got) return failure(got.error());
  return *got ? take_lines() : std::move(found);
}

Result<std::vector<std::string>> DaemonStream::take_lines() {
  if (Result<void> read = decode(); !read) return failure(read.error());
  std::vector<std::string> found;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = text_.find('\n', from)) != std::string::npos; from = end + 1) {
    found.push_back(text_.substr(from, end - from));
  }
  text_.erase(0, from);
  if (text_.size() > kLineMost) return broken("sent a line without an end");
  return found;
}

}  // namespace gpusched::library
