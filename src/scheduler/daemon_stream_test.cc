#include "scheduler/daemon_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <thread>

#include "tests/support/temporary_directory.h"

namespace gpusched::library {
namespace {

using namespace std::chrono_literals;

// A daemon that says this, in pieces of so many bytes, and hangs up.
class Speaker {
 public:
  Speaker(std::string text, std::size_t piece) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket().data(), socket().size());
    listener_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    thread_ = std::thread([this, text = std::move(text), piece] {
      const Fd client(::accept(listener_.get(), nullptr, nullptr));
      std::string request;
      EXPECT_TRUE(receive_some(client.get(), request, 20s));
      for (std::size_t at = 0; at < text.size(); at += piece) {
        const std::string part = text.substr(at, piece);
        EXPECT_EQ(::send(client.get(), part.data(), part.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(part.size()));
      }
    });
  }
  ~Speaker() { thread_.join(); }
  std::string socket() { return directory_ / "s"; }

 private:
  gpusched::testing::TemporaryDirectory directory_;
  Fd listener_;
  std::thread thread_;
};

constexpr const char* kHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(DaemonStream, LinesComeWholeHoweverTheyWereCut) {
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
    Speaker speaker(std::string(kHead) + "4\r\none\n\r\n6\r\ntwo\nth\r\n4\r\nree\n\r\n", piece);
    auto stream = DaemonStream::open({speaker.socket()}, "/lines");
    ASSERT_TRUE(stream) << stream.error().message;
    std::vector<std::string> all;
    auto lines = stream->lines(20s);
    for (; lines; lines = stream->lines(20s)) all.insert(all.end(), lines->begin(), lines->end());
    EXPECT_EQ(all, (std::vector<std::string>{"one", "two", "three"})) << piece;
    EXPECT_EQ(lines.error().code, ErrorCode::kUnavailable);
  }
}

TEST(DaemonStream, ItsEndAndNonsenseAreErrors) {
  for (const char* text : {"0\r\n\r\n", "zz\r\n", "ffffffffff\r\n"}) {
    Speaker speaker(std::string(kHead) + text, 1000);
    auto stream = DaemonStream::open({speaker.socket()}, "/lines");
    ASSERT_TRUE(stream) << stream.error().message;
    auto lines = stream->lines(20s);
    while (lines) lines = stream->lines(20s);
    EXPECT_NE(lines.error().message.find("stream"), std::string::npos) << text;
  }
  Speaker refuses("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone", 1000);
  const auto refused = DaemonStream::open({refuses.socket()}, "/lines");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("none"), std::string::npos);
}

}  // namespace
}  // namespace gpusched::library
