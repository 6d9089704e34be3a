#include "client/line_stream.h"

#include <gtest/gtest.h>

#include "client/fake_server.h"

namespace gpusched {
namespace {

using namespace std::chrono_literals;

const std::string kHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::vector<std::string> in_pieces(const std::string& text, std::size_t piece) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += piece) pieces.push_back(text.substr(at, piece));
  return pieces;
}

TEST(LineStream, LinesComeWholeHoweverTheyWereCut) {
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
    FakeServer server({in_pieces(kHead + "4\r\none\n\r\n6\r\ntwo\nth\r\n4\r\nree\n\r\n", piece)});
    auto stream = LineStream::open(Client({server.path()}), "/lines", 20s);
    ASSERT_TRUE(stream) << stream.error().message;
    std::vector<std::string> all;
    auto lines = stream->lines(20s);
    for (; lines; lines = stream->lines(20s)) all.insert(all.end(), lines->begin(), lines->end());
    EXPECT_EQ(all, (std::vector<std::string>{"one", "two", "three"})) << piece;
    EXPECT_EQ(lines.error().code, ErrorCode::kUnavailable);
  }
}

TEST(LineStream, ItsEndAndNonsenseAreErrors) {
  for (const char* text : {"0\r\n\r\n", "zz\r\n", "ffffffffff\r\n"}) {
    FakeServer server({{kHead, text}});
    auto stream = LineStream::open(Client({server.path()}), "/lines", 20s);
    ASSERT_TRUE(stream) << stream.error().message;
    auto lines = stream->lines(20s);
    while (lines) lines = stream->lines(20s);
    EXPECT_EQ(lines.error().code, ErrorCode::kUnavailable) << text;
  }
  FakeServer refuses({{"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone"}});
  const auto refused = LineStream::open(Client({refuses.path()}), "/lines", 20s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
}

TEST(LineStream, SilenceIsNoLine) {
  FakeServer server({{kHead, "4\r\none\n\r\n6\r\nha"}}, FakeServer::Manner::kStaysOpen);
  auto stream = LineStream::open(Client({server.path()}), "/lines", 20s);
  ASSERT_TRUE(stream) << stream.error().message;
  std::vector<std::string> all;
  while (all.empty()) {
    const auto lines = stream->lines(20s);
    ASSERT_TRUE(lines);
    all = *lines;
  }
  EXPECT_EQ(all, std::vector<std::string>{"one"});
  const auto none = stream->lines(20ms);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

}  // namespace
}  // namespace gpusched
