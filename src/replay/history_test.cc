#include "replay/history.h"

#include <gtest/gtest.h>

#include "replay/simulate.h"

namespace gpusched::replay {
namespace {

std::string row(int id, const std::string& started, const std::string& ended,
                const std::string& gpus, const std::string& needs) {
  const auto time = [](const std::string& at) {
    return at.empty() ? "null" : "\"2026-01-01T" + at + "Z\"";
  };
  return R"({"id":)" + std::to_string(id) +
         R"(,"priority":50,"submitted_at":"2026-01-01T08:00:00Z","started_at":)" + time(started) +
         R"(,"ended_at":)" + time(ended) + R"(,"gpus":[)" + gpus +
         R"(],"tenant":"user1","time_limit_s":7200,"needs":{)" + needs + "}}";
}

const std::string kWhole =
    R"({"number":0,"uuid":"a","vram_bytes":1,"share_percent":100,"whole":true})";
// Two jobs of an hour, one after the other on the only card; one that never ran.
const std::string kJobs = R"({"schema":1,"jobs":[)" +
                          row(1, "08:00:00", "09:00:00", kWhole, R"("gpus":1)") + "," +
                          row(2, "09:00:00", "10:00:00", kWhole, R"("gpus":1)") + "," +
                          row(3, "", "", "", R"("gpus":1)") + "]}";

Machine one_card() { return *describe_machine("1x24G", "8", "64G"); }
const Wall kLongAgo{};

TEST(History, IsATraceAndWhatBecameOfIt) {
  const auto past = read_past(kJobs, one_card(), kLongAgo);
  ASSERT_TRUE(past) << past.error().message;
  ASSERT_EQ(past->trace.size(), 2U);
  EXPECT_EQ(past->left_out, 1U);
  EXPECT_EQ(past->trace[1].duration, Seconds{3600});
  EXPECT_EQ(past->trace[1].time_limit, Seconds{7200});
  EXPECT_EQ(past->trace[1].tenant, "user1");
  const Measures was = measure(past->trace, past->as_it_was);
  EXPECT_DOUBLE_EQ(was.wait_s.longest, 3600);
  EXPECT_DOUBLE_EQ(was.makespan_s, 7200);
}

TEST(History, OneCardMoreWouldHaveSpared) {
  SimulateAsked asked;
  asked.machine = one_card();
  const auto past = read_past(kJobs, asked.machine, kLongAgo);
  ASSERT_TRUE(past);
  const auto same = simulate_trace(asked, past->trace);
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_DOUBLE_EQ(same->measures.wait_s.longest, 3600);
  ASSERT_TRUE(add_card(asked.machine, "H100:80G"));
  EXPECT_EQ(asked.machine.cards.back().model, "H100");
  const auto more = simulate_trace(asked, past->trace);
  ASSERT_TRUE(more);
  EXPECT_DOUBLE_EQ(more->measures.wait_s.longest, 0);
  const std::string table = compared(measure(past->trace, past->as_it_was), more->measures);
  EXPECT_NE(table.find("as it was"), std::string::npos);
  EXPECT_NE(table.find("waiting, longest"), std::string::npos);
}

TEST(History, AJobThatSharedHoldsWhatItWasGiven) {
  const std::string shared =
      R"({"number":0,"uuid":"a","vram_bytes":5368709120,"share_percent":30,"whole":false})";
  const auto past =
      read_past(R"({"jobs":[)" + row(1, "08:00:00", "09:00:00", shared, R"("gpus":1)") + "]}",
                one_card(), kLongAgo);
  ASSERT_TRUE(past);
  EXPECT_EQ(past->trace[0].needs.vram_bytes, 5ULL << 30);
  EXPECT_EQ(past->trace[0].needs.share_percent, 30);
}

TEST(History, SaysWhatIsWrong) {
  EXPECT_FALSE(read_past("nonsense", one_card(), kLongAgo));
  const auto none = read_past(kJobs, one_card(), Wall{Seconds{4'000'000'000}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no job of that time has run and ended");
  Machine machine = one_card();
  EXPECT_EQ(add_card(machine, "large").error().message, "'large' is not like 24G or H100:80G");
  EXPECT_EQ(remove_card(machine, "7").error().message, "there is no card '7'");
  EXPECT_EQ(remove_card(machine, "0").error().message, "that is the only card there is");
  ASSERT_TRUE(add_card(machine, "24G"));
  ASSERT_TRUE(remove_card(machine, "0"));
  EXPECT_EQ(number_of(machine.cards.front().number), 1);
}

}  // namespace
}  // namespace gpusched::replay
