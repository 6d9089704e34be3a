#include "notifier/http_post.h"

#include <gtest/gtest.h>

namespace gpusched::notifier {
namespace {

// The status, once all has come: byte by byte, or what went wrong.
std::string answer_of(std::string_view bytes) {
  AnswerReader reader;
  for (const char& byte : bytes) {
    const auto complete = reader.take({&byte, 1});
    if (!complete) return complete.error().message;
    if (*complete) return std::to_string(reader.said().status) + " " + reader.said().body;
  }
  const auto closed = reader.close();
  return closed ? std::to_string(reader.said().status) + " " + reader.said().body + " (closed)"
                : closed.error().message;
}

TEST(AnswerReader, ReadsAnswersByteByByte) {
  EXPECT_EQ(answer_of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), "200 ok");
  EXPECT_EQ(answer_of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n"), "204 ");
  EXPECT_EQ(answer_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
            "200 ok");
  EXPECT_EQ(answer_of("HTTP/1.0 500 No\r\n\r\noops"), "500 oops (closed)");
  EXPECT_EQ(answer_of("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"), "200 ok (closed)");
}

TEST(AnswerReader, KnowsWhatIsNoHttp) {
  EXPECT_EQ(answer_of("220 mail.example ESMTP\r\n"), "its answer is not HTTP");
  EXPECT_EQ(answer_of("HTTP/1.1 200 OK\r\n"), "it closed the connection without an answer");
  EXPECT_EQ(answer_of("HTTP/1.1 200 OK\r\nX: " + std::string(300'000, 'a')),
            "its answer is not HTTP");
}

TEST(AnswerReader, KeepsNoMoreThanItMay) {
  AnswerReader reader;
  ASSERT_TRUE(reader.take("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"));
  const std::string piece(50'000, 'a');
  EXPECT_EQ(reader.take(piece).value(), false);
  EXPECT_EQ(reader.take(piece).value(), true);
  EXPECT_EQ(reader.said().body.size(), kAnswerBodyMost);
}

}  // namespace
}  // namespace gpusched::notifier
