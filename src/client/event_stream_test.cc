#include "client/event_stream.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

constexpr std::string_view kStream =
    ": hello\n\n"
    "event: job\nid: 9\ndata: {\"id\":7}\n\n"
    "id: 10\r\ndata: one\r\ndata: two\r\n\r\n"
    "retry: 5\nunknown: x\n\n"
    "data:tight\n\n"
    "data: unfinished";

TEST(EventStream, ReadsEventsCommentsAndSeveralDataLines) {
  EventStreamParser parser;
  const auto events = parser.feed(kStream);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].kind, "job");
  EXPECT_EQ(events[0].id, "9");
  EXPECT_EQ(events[0].data, "{\"id\":7}");
  EXPECT_EQ(events[1].kind, "message");
  EXPECT_EQ(events[1].data, "one\ntwo");
  EXPECT_EQ(events[2].data, "tight");
}

TEST(EventStream, RemembersTheIdOfAnEventWithoutData) {
  EventStreamParser parser;
  EXPECT_EQ(parser.last_id(), "");
  EXPECT_TRUE(parser.feed("id: 12\n\n").empty());
  EXPECT_EQ(parser.last_id(), "12");
  EXPECT_EQ(parser.feed("data: x\n\n").size(), 1U);
  EXPECT_EQ(parser.last_id(), "12");
}

TEST(EventStream, GivesTheSameWhateverThePiecesAre) {
  for (std::size_t size = 1; size < 20; ++size) {
    EventStreamParser parser;
    std::string seen;
    for (std::size_t at = 0; at < kStream.size(); at += size) {
      for (const StreamEvent& event : parser.feed(kStream.substr(at, size))) {
        seen += event.kind + "/" + event.id + "/" + event.data + ";";
      }
    }
    EXPECT_EQ(seen, "job/9/{\"id\":7};message/10/one\ntwo;message//tight;") << size;
  }
}

}  // namespace
}  // namespace gpusched
