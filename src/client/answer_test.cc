#include "client/answer.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nX-Log-Size:  12\r\n\r\n"
    "5\r\nhello\r\n1;x=y\r\n \r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";

TEST(HttpAnswer, IsTheSameHoweverItArrives) {
  for (std::size_t piece = 1; piece <= kChunked.size(); ++piece) {
    HttpAnswer answer;
    std::string body;
    bool head = false;
    for (std::size_t at = 0; at < kChunked.size(); at += piece) {
      answer.arrived() += kChunked.substr(at, piece);
      if (!head) {
        const auto complete = answer.read_head();
        ASSERT_TRUE(complete);
        head = *complete;
      }
      if (!head) continue;
      const auto part = answer.take_body();
      ASSERT_TRUE(part);
      body += *part;
    }
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.header("x-log-size"), "12");
    EXPECT_EQ(answer.header("content-length"), "");
    EXPECT_EQ(body, "hello 0123456789") << piece;
    EXPECT_TRUE(answer.ended());
    EXPECT_TRUE(answer.followed());
  }
}

// Whether another question may follow on the connection after this whole answer.
bool followed(std::string_view text) {
  HttpAnswer answer;
  answer.arrived() = text;
  EXPECT_TRUE(answer.read_head().value_or(false)) << text;
  EXPECT_TRUE(answer.take_body()) << text;
  return answer.followed();
}

TEST(HttpAnswer, SaysWhetherTheConnectionGoesOn) {
  EXPECT_TRUE(followed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  EXPECT_TRUE(followed("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_FALSE(followed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: Close\r\n\r\nok"));
  EXPECT_FALSE(followed("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok"));
  EXPECT_FALSE(followed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more"));
  EXPECT_FALSE(followed("HTTP/1.1 200 OK\r\n\r\nok"));
}

TEST(HttpAnswer, AStrangerIsKnownByItsFirstLine) {
  HttpAnswer answer;
  answer.arrived() = "SSH-2.0-OpenSSH_9.2\r\n";
  const auto head = answer.read_head();
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace gpusched
