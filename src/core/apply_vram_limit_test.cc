#include <gtest/gtest.h>

#include "core/apply.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

// One card with two jobs on it, of 4 GiB each; the first may take 6.
class VramLimit : public ::testing::Test {
 protected:
  VramLimit() {
    Ask limited = ask().vram(4);
    limited.spec().rare.edit().vram_limit_bytes = 6 * kGiB;
    limited.submit(state_, at_second(0));
    ask().vram(4).submit(state_, at_second(0));
    start_what_fits(state_, at_second(0));
    testing::run(state_, 1, at_second(0));
    testing::run(state_, 2, at_second(0));
    state_.keep_changes();
  }
  // A look at the card; what was said and done.
  std::vector<Effect> look(std::uint64_t first_gib, std::uint64_t second_gib) {
    CardView view;
    view.condition = CardCondition::kOk;
    view.at = at_second(++second_);
    view.used_bytes = (first_gib + second_gib) * kGiB;
    // Two processes of the first job, one of the second.
    view.processes = {
        {.pid = 1, .vram_bytes = (first_gib - 1) * kGiB, .attempt = AttemptId{JobId{1}, 1}},
        {.pid = 2, .vram_bytes = kGiB, .attempt = AttemptId{JobId{1}, 1}},
        {.pid = 3, .vram_bytes = second_gib * kGiB, .attempt = AttemptId{JobId{2}, 1}}};
    return apply(state_, CardSeen{CardNumber{0}, view}, view.at).effects;
  }
  std::size_t notes() const { return state_.changes().trail.size(); }

  State state_ = machine(1, 24);
  std::int64_t second_ = 0;
};

TEST_F(VramLimit, TwoLooksInARowPastItEndTheJobAndNobodyElse) {
  EXPECT_TRUE(look(7, 4).empty()) << "once may be a moment";
  const auto effects = look(7, 20);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(std::get<StopAttempt>(effects[0]).attempt, (AttemptId{JobId{1}, 1}));
  EXPECT_TRUE(look(7, 20).empty()) << "it is asked once";
  AttemptFinished report{.attempt = {JobId{1}, 1}, .cause = Cause::kSignal};
  report.signal = 15;
  apply(state_, report, at_second(20));
  ASSERT_EQ(state_of(state_, 1), "failed");
  const auto& ended = std::get<Ended>(state_.find(JobId{1})->state);
  EXPECT_EQ(ended.cause, Cause::kVramLimit);
  EXPECT_EQ(ended.message, "took more than its limit of 6144 MiB on a card");
  EXPECT_EQ(state_of(state_, 2), "running");
}

TEST_F(VramLimit, APeakBetweenTwoGoodLooksIsForgiven) {
  EXPECT_TRUE(look(7, 4).empty());
  EXPECT_TRUE(look(6, 4).empty());
  EXPECT_TRUE(look(7, 4).empty());
  EXPECT_EQ(state_of(state_, 1), "running");
}

TEST_F(VramLimit, MoreThanTheNeedIsToldOfOnce) {
  look(4, 4);
  EXPECT_EQ(notes(), 0u);
  look(5, 5);
  EXPECT_EQ(notes(), 1u);
  EXPECT_EQ(state_.changes().trail[0].text,
            "takes 5120 MiB on card 0, more than the 4096 MiB it asked for; its limit is 6144 MiB");
  look(4, 4);
  look(6, 6);
  EXPECT_EQ(notes(), 1u);
}

}  // namespace
}  // namespace gpusched::testing
