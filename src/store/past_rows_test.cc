// The past in the database: what is read of it, its bounds, and what it says of what is missing.
#include <gtest/gtest.h>

#include "store/sqlite_store_harness.h"

namespace gpusched::testing {
namespace {

Wall at_s(std::int64_t second) { return Wall(Seconds(second)); }

class PastRowsTest : public SqliteStoreTest {
 protected:
  PastRowsTest() : store_(opened(directory_.path())) { EXPECT_TRUE(store_->load()); }

  static PastSpan span(std::uint64_t job, std::int64_t from, std::int64_t until,
                       std::uint32_t uid = 1001, std::optional<int> card = 0) {
    PastSpan span{.from = at_s(from), .until = at_s(until), .state = "completed"};
    if (card) span.card = static_cast<CardNumber>(*card);
    span.attempt = {JobId{job}, 1};
    span.owner = {.uid = uid, .gid = 0, .user = "user" + std::to_string(uid)};
    return span;
  }
  void add(std::vector<PastSpan> spans, PastBounds bounds = {.since = {}, .most = 1000}) {
    Commit commit;
    commit.audit.push_back({.sequence = next_++});  // So that there is something to be written.
    commit.audit_bounds.most = 10;
    commit.past = std::move(spans);
    commit.past_bounds = bounds;
    commit.clock = at_s(100);
    const Committed done = store_->commit(commit);
    ASSERT_TRUE(done) << done.error().message;
  }
  Past read(PastPart part) {
    if (part.most == 0) part.most = 100;
    Result<Past> past = store_->past(part);
    EXPECT_TRUE(past) << past.error().message;
    return past ? std::move(*past) : Past{};
  }
  static std::vector<std::uint64_t> jobs(const Past& past) {
    std::vector<std::uint64_t> found;
    for (const PastSpan& one : past.spans) found.push_back(number_of(one.attempt.job));
    return found;
  }
  using Numbers = std::vector<std::uint64_t>;

  std::unique_ptr<SqliteStore> store_;
  std::uint64_t next_ = 1;
};

TEST_F(PastRowsTest, WhatIsReadIsWhatWasWritten) {
  PastSpan whole = span(7, 10, 20, 1001, 3);
  whole.kind = PastKind::kAside;
  whole.tenant = "team";
  whole.submitted_at = at_s(5);
  whole.priority = 70;
  whole.cause = "exit";
  whole.vram_bytes = 8ULL << 30;
  whole.whole = true;
  whole.for_job = JobId{9};
  whole.mechanism = "freeze";
  whole.name = "train-0.1";
  whole.shown_name = "train-{lr}";
  PastSpan alarm{.kind = PastKind::kAlarm, .from = at_s(11), .until = at_s(12)};
  alarm.severity = Severity::kCritical;
  alarm.name = "temperature";
  alarm.subject = "card 3";
  alarm.what = "91 °C";
  alarm.owner.user = "user1";
  add({whole, alarm});
  const Past past = read({.from = at_s(0), .until = at_s(50)});
  ASSERT_EQ(past.spans.size(), 2U);
  EXPECT_EQ(past.spans[0], whole);
  EXPECT_EQ(past.spans[1], alarm);
  EXPECT_EQ(past.left_out, 0U);
}

TEST_F(PastRowsTest, IsReadByTimeCardAndUserTheNewestFirst) {
  add({span(1, 0, 10), span(2, 10, 20, 1002), span(3, 20, 30, 1001, 1), span(4, 30, 40)});
  EXPECT_EQ(jobs(read({.from = at_s(0), .until = at_s(99)})), (Numbers{4, 3, 2, 1}));
  EXPECT_EQ(jobs(read({.from = at_s(15), .until = at_s(25)})), (Numbers{3, 2}));
  EXPECT_EQ(jobs(read({.from = at_s(0), .until = at_s(99), .card = CardNumber{1}})), (Numbers{3}));
  EXPECT_EQ(jobs(read({.from = at_s(0), .until = at_s(99), .uid = 1001})), (Numbers{4, 3, 1}));
  const Past two = read({.from = at_s(0), .until = at_s(99), .most = 2});
  EXPECT_EQ(jobs(two), (Numbers{4, 3}));
  EXPECT_EQ(two.left_out, 2U);
  add({span(5, 40, 50, 1001, std::nullopt)});
  EXPECT_EQ(jobs(read({.from = at_s(45), .until = at_s(99)})), (Numbers{}));
  EXPECT_EQ(jobs(read({.from = at_s(45), .until = at_s(99), .without_cards = true})), (Numbers{5}));
}

TEST_F(PastRowsTest, SaysSinceWhenNothingIsMissing) {
  EXPECT_FALSE(read({.from = at_s(0), .until = at_s(99)}).known_since);
  add({span(1, 101, 110)});
  EXPECT_EQ(read({.from = at_s(0), .until = at_s(999)}).known_since, at_s(100))
      << "the first commit";
  add({span(2, 110, 300)}, {.since = at_s(200), .most = 1000});
  const Past past = read({.from = at_s(0), .until = at_s(999)});
  EXPECT_EQ(jobs(past), (Numbers{2})) << "the other was too old";
  EXPECT_EQ(past.known_since, at_s(110));
  store_.reset();
  store_ = opened(directory_.path());
  ASSERT_TRUE(store_->load());
  EXPECT_EQ(read({.from = at_s(0), .until = at_s(999)}).known_since, at_s(110))
      << "after a restart";
}

TEST_F(PastRowsTest, ManyOfOneUserPushOutNoneOfAnother) {
  const PastBounds bounds{.since = {}, .most = 20};
  add({span(1, 0, 1, 1001), span(2, 0, 1, 1001)}, bounds);
  for (std::uint64_t i = 0; i < 60; ++i) {
    add({span(100 + i, 10, static_cast<std::int64_t>(200 + i), 1002)}, bounds);
  }
  EXPECT_EQ(count("past"), 20);
  EXPECT_EQ(count("past WHERE uid = 1001"), 2);
  EXPECT_EQ(read({.from = at_s(0), .until = at_s(999)}).known_since, at_s(241))
      << "the end of the last that went";
}

TEST_F(PastRowsTest, ACommitThatFailedLeavesNothing) {
  add({span(1, 0, 10)});
  Commit refused;
  refused.past = {span(2, 10, 20)};
  refused.past_bounds = {.since = {}, .most = 1000};
  refused.jobs.put.push_back(job(5));
  change("CREATE TRIGGER no BEFORE INSERT ON past BEGIN SELECT RAISE(ABORT, 'no'); END");
  EXPECT_FALSE(store_->commit(refused));
  change("DROP TRIGGER no");
  EXPECT_EQ(jobs(read({.from = at_s(0), .until = at_s(99)})), (Numbers{1}));
  add({span(3, 20, 30)});
  EXPECT_EQ(jobs(read({.from = at_s(0), .until = at_s(99)})), (Numbers{3, 1}));
}

}  // namespace
}  // namespace gpusched::testing
