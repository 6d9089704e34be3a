#include "core/notify/outbox.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "core/notify/tell.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

State with_receivers(std::size_t most = 1000) {
  Receivers all;
  for (const char* name : {"a", "b"}) all[name] = {.name = name, .for_users = true};
  all["b"].give_up = Seconds{20};
  all["mail"] = {.name = "mail", .channel = Channel::kMail, .for_users = true};
  Rules rules;
  rules.outbox_most = most;
  rules.receivers = std::make_shared<const Receivers>(std::move(all));
  return machine(1, 24, 8, rules);
}

Notice news(const std::string& what, const std::string& group = "") {
  Notice notice;
  notice.what = what;
  notice.group = group;
  return notice;
}

Notice news_of(const std::string& user, const std::string& what) {
  Notice notice = news(what);
  notice.whom = user;
  notice.job = JobId{7};
  return notice;
}
Target mail_to(const std::string& name) { return {"mail", name + "@lab.org"}; }
std::size_t waiting_of(const State& state, const std::string& user) {
  return static_cast<std::size_t>(std::ranges::count_if(
      state.messages(), [&](const auto& one) { return one.second.notice.whom == user; }));
}

std::vector<std::string> sent(State& state, Now now) {
  std::vector<LostMessage> lost;
  std::vector<std::string> words;
  for (const Message& message : take_due(state, now, lost)) {
    words.push_back(message.receiver + ":" + message.notice.what);
  }
  return words;
}

std::vector<LostMessage> settled(State& state, const MessagesSettled& how, Now now) {
  std::vector<LostMessage> lost;
  settle(state, how, now, lost);
  return lost;
}

using Words = std::vector<std::string>;

TEST(Outbox, SendsOneMessageAtATimeToEachReceiverInOrder) {
  State state = with_receivers();
  tell(state, news("one"), {{"a"}, {"b"}, {"a"}, {"unknown"}}, at_second(0));
  tell(state, news("two"), {{"a"}}, at_second(1));
  EXPECT_EQ(state.messages().size(), 3U);
  EXPECT_EQ(sent(state, at_second(2)), (Words{"a:one", "b:one"}));
  EXPECT_EQ(sent(state, at_second(2)), Words{});
  settled(state, {.delivered = {*state.sending("a")}}, at_second(3));
  EXPECT_EQ(sent(state, at_second(3)), (Words{"a:two"}));
}

TEST(Outbox, CountsNoticesOfAGroupInOneMessage) {
  State state = with_receivers();
  for (int i = 0; i < 10'000; ++i) {
    tell(state, news("job " + std::to_string(i), "fail"), {{"a"}}, at_second(i / 5000));
  }
  ASSERT_EQ(state.messages().size(), 1U);
  const Message& only = state.messages().begin()->second;
  EXPECT_EQ(only.times, 10'000U);
  EXPECT_EQ(only.notice.what, "job 0");
  EXPECT_EQ(only.others.size(), 5U);
  EXPECT_EQ(only.last_at, at_second(1).wall);
  EXPECT_EQ(sent(state, at_second(4)), Words{});
  EXPECT_EQ(sent(state, at_second(5)), Words{"a:job 0"});
  // What is on its way takes no more.
  tell(state, news("later", "fail"), {{"a"}}, at_second(6));
  EXPECT_EQ(state.messages().size(), 2U);
}

TEST(Outbox, CountsNothingInWhatMayHaveBeenOnItsWayBeforeARestart) {
  State state = with_receivers();
  tell(state, news("one", "fail"), {{"a"}}, at_second(0));
  tell(state, news("two", "other"), {{"a"}}, at_second(0));
  state.keep_changes();
  state.doubt_first_messages();
  tell(state, news("three", "fail"), {{"a"}}, at_second(1));
  tell(state, news("four", "other"), {{"a"}}, at_second(1));
  ASSERT_EQ(state.messages().size(), 3U);
  EXPECT_EQ(state.messages().begin()->second.times, 1U);
  EXPECT_EQ(std::next(state.messages().begin())->second.times, 2U);
}

TEST(Outbox, DoesNotCountAnEndWithItsBeginning) {
  State state = with_receivers();
  tell(state, news("hot", "heat"), {{"a"}}, at_second(0));
  Notice over = news("cool again", "heat");
  over.resolved = true;
  tell(state, over, {{"a"}}, at_second(1));
  EXPECT_EQ(state.messages().size(), 2U);
}

Notice of_thread(const std::string& thread, const std::string& group) {
  Notice notice = news(thread + " " + group, group);
  notice.thread = thread;
  return notice;
}

TEST(Outbox, TellsNoEndBeforeItsBeginning) {
  State state = with_receivers();
  const auto start = [&](int job, int second) {
    tell(state, of_thread("job " + std::to_string(job), "n/u/start"), {{"a"}}, at_second(second));
  };
  const auto end = [&](int job, int second) {
    tell(state, of_thread("job " + std::to_string(job), "n/u/done"), {{"a"}}, at_second(second));
  };
  start(1, 0);
  EXPECT_EQ(sent(state, at_second(5)), Words{"a:job 1 n/u/start"});
  end(1, 6);    // Waits behind it,
  start(2, 7);  // as this does,
  end(2, 8);    // and this must not be counted in what goes before its start.
  ASSERT_EQ(state.messages().size(), 4U);
  // Whatever is told of other jobs is still counted.
  for (int job = 3; job < 50; ++job) {
    start(job, 9);
    end(job, 9);
  }
  EXPECT_EQ(state.messages().size(), 4U);
  Words order;
  for (int second = 20; !state.messages().empty(); ++second) {
    settled(state, {.delivered = {*state.sending("a")}}, at_second(second));
    for (const std::string& words : sent(state, at_second(second))) order.push_back(words);
  }
  EXPECT_EQ(order, (Words{"a:job 1 n/u/done", "a:job 2 n/u/start", "a:job 2 n/u/done"}));
}

TEST(Outbox, TheLastThatIsToldOfAThreadIsHowItStands) {
  State state = with_receivers();
  Notice hot = of_thread("heat/card 0", "heat");
  Notice over = of_thread("heat/card 0", "heat/over");
  over.resolved = true;
  for (int i = 0; i < 2; ++i) {
    tell(state, hot, {{"a"}}, at_second(i));
    tell(state, over, {{"a"}}, at_second(i));
  }
  tell(state, hot, {{"a"}}, at_second(2));
  EXPECT_FALSE(state.messages().rbegin()->second.notice.resolved);
}

TEST(Outbox, ManyJobsAreFewMessagesAlsoWhereNobodyKnowsWhichTheyAre) {
  State state = with_receivers();
  for (int job = 0; job < 2000; ++job) {
    const std::string name = "job " + std::to_string(job);
    tell(state, of_thread(name, "n/u/start"), {{"a"}}, at_second(job));
    tell(state, of_thread(name, "n/u/done"), {{"a"}}, at_second(job));
  }
  EXPECT_LE(state.messages().size(), 100U);
  std::uint64_t counted = 0;
  for (const auto& [id, message] : state.messages()) counted += message.times;
  EXPECT_EQ(counted, 4000U);
}

TEST(Outbox, ThatIsFullCountsInItsLastMessage) {
  State state = with_receivers(3);
  for (int i = 0; i < 20; ++i) tell(state, news(std::to_string(i)), {{"a"}}, at_second(i));
  ASSERT_EQ(state.messages().size(), 3U);
  EXPECT_EQ(state.messages().rbegin()->second.times, 18U);
  // Others have their own room.
  tell(state, news("x"), {{"b"}}, at_second(30));
  EXPECT_EQ(state.messages().size(), 4U);
}

TEST(Outbox, OfAddressesLeavesRoomForTheReceiverAndForOthers) {
  State state = with_receivers(20);
  for (int i = 0; i < 50; ++i) {
    tell(state, news(std::to_string(i)), {{"mail", "ml1@lab.org"}}, at_second(i));
  }
  EXPECT_EQ(state.messages().size(), 2U);  // A tenth.
  for (int i = 0; i < 50; ++i) {
    const std::string user = "ml" + std::to_string(i);
    tell(state, news_of(user, "x"), {{"mail", user + "@lab.org"}}, at_second(60));
  }
  EXPECT_EQ(state.messages().size(), 20U);
  tell(state, news("alarm"), {{"mail"}}, at_second(70));
  ASSERT_EQ(state.messages().size(), 21U);
  EXPECT_EQ(state.messages().rbegin()->second.notice.what, "alarm");
}

TEST(Outbox, OfOneUserWithVeryManyAddressesLeavesRoomForOthers) {
  State state = with_receivers(100);
  std::size_t untold = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto none =
        tell(state, news_of("ml1", "x"), {mail_to("a" + std::to_string(i))}, at_second(i));
    untold += none.size();
    for (const Untold& one : none) EXPECT_EQ(one.job, JobId{7});
  }
  EXPECT_EQ(waiting_of(state, "ml1"), 10U);
  EXPECT_EQ(untold, 4990U) << "what is dropped is said";
  EXPECT_TRUE(tell(state, news_of("ml2", "x"), {mail_to("ml2")}, at_second(9000)).empty());
  EXPECT_EQ(waiting_of(state, "ml2"), 1U);
}

TEST(Outbox, ThatManyUsersFillIsSharedEvenly) {
  State state = with_receivers(100);
  for (int i = 0; i < 1000; ++i) {
    const std::string user = "u" + std::to_string(i % 10);
    tell(state, news_of(user, "x"), {mail_to("a" + std::to_string(i))}, at_second(i));
  }
  ASSERT_EQ(state.messages().size(), 100U);
  for (int i = 0; i < 5; ++i) {
    const auto gone = tell(state, news_of("ml1", std::to_string(i)),
                           {mail_to("ml1." + std::to_string(i))}, at_second(2000));
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_TRUE(gone[0].made_room);
    EXPECT_NE(gone[0].user, "ml1");
  }
  EXPECT_EQ(state.messages().size(), 100U);
  EXPECT_EQ(waiting_of(state, "ml1"), 5U);
  for (int i = 5; i < 50; ++i) {
    tell(state, news_of("ml1", "x"), {mail_to("ml1." + std::to_string(i))}, at_second(2000));
  }
  EXPECT_EQ(state.messages().size(), 100U);
  for (int i = 0; i < 10; ++i) EXPECT_GE(waiting_of(state, "u" + std::to_string(i)), 9U);
  EXPECT_LE(waiting_of(state, "ml1"), 10U);
  state.check_invariants();
}

TEST(Outbox, MakesNoRoomByWhatIsOnItsWay) {
  State state = with_receivers(4);
  for (int i = 0; i < 2; ++i) {
    tell(state, news_of("ml1", "x"), {mail_to("a" + std::to_string(i))}, at_second(0));
    tell(state, news_of("ml2", "x"), {mail_to("b" + std::to_string(i))}, at_second(0));
  }
  ASSERT_EQ(sent(state, at_second(1)).size(), 1U);
  const std::uint64_t on_its_way = *state.sending("mail");
  EXPECT_EQ(tell(state, news_of("ml3", "x"), {mail_to("c")}, at_second(2)).size(), 1U);
  EXPECT_TRUE(state.messages().contains(on_its_way));
  EXPECT_EQ(waiting_of(state, "ml3"), 1U);
}

TEST(Outbox, AnAddressThatFailsHoldsUpNoOther) {
  State state = with_receivers();
  tell(state, news("one"), {{"mail", "ml1@lab.org"}}, at_second(0));
  tell(state, news("two"), {{"mail", "ml2@lab.org"}}, at_second(1));
  EXPECT_EQ(sent(state, at_second(2)), Words{"mail:one"});
  settled(state, {.delivered = {}, .failed = {{*state.sending("mail"), "grey list"}}},
          at_second(2));
  EXPECT_EQ(sent(state, at_second(2)), Words{"mail:two"});
}

TEST(Outbox, TriesAgainLaterEachTimeAndGivesUp) {
  State state = with_receivers();
  tell(state, news("one"), {{"b"}}, at_second(0));
  const std::uint64_t id = state.messages().begin()->first;
  ASSERT_EQ(sent(state, at_second(0)), Words{"b:one"});
  EXPECT_TRUE(
      settled(state, {.delivered = {}, .failed = {{id, "no answer"}}}, at_second(0)).empty());
  EXPECT_EQ(state.messages().at(id).tries, 1U);
  EXPECT_EQ(state.messages().at(id).error, "no answer");
  EXPECT_EQ(sent(state, at_second(4)), Words{});
  EXPECT_EQ(sent(state, at_second(6)), Words{"b:one"});
  EXPECT_TRUE(
      settled(state, {.delivered = {}, .failed = {{id, "no answer"}}}, at_second(6)).empty());
  EXPECT_EQ(sent(state, at_second(15)), Words{});
  EXPECT_EQ(sent(state, at_second(17)), Words{"b:one"});
  // 5 + 10 + 20 s are more than its 20 s.
  const auto lost = settled(state, {.delivered = {}, .failed = {{id, "no answer"}}}, at_second(17));
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_TRUE(state.messages().empty());
}

TEST(Outbox, DropsWhatIsRefusedAndWhatHasNoReceiverAnyMore) {
  State state = with_receivers();
  tell(state, news("one"), {{"a"}, {"b"}}, at_second(0));
  sent(state, at_second(0));
  const std::uint64_t id = *state.sending("a");
  MessagesSettled::Failed no{.id = id, .error = "404", .refused = true};
  EXPECT_EQ(settled(state, {.delivered = {}, .failed = {no}}, at_second(1)).size(), 1U);
  settled(state, {.delivered = {}, .failed = {{*state.sending("b"), "later"}}}, at_second(1));
  state.set_rules(Rules{}, at_second(2));
  EXPECT_EQ(state.next_deadline(at_second(2)), at_second(2).boot);
  std::vector<LostMessage> lost;
  EXPECT_TRUE(take_due(state, at_second(2), lost).empty());
  EXPECT_EQ(lost.size(), 1U);
  EXPECT_TRUE(state.messages().empty());
}

TEST(Outbox, WaitsNoLongerAfterTheClockHasJumpedBack) {
  State state = with_receivers();
  tell(state, news("one", "g"), {{"a"}}, at_second(100'000));
  Now earlier = at_second(0);
  earlier.boot = at_second(100'001).boot;
  EXPECT_EQ(state.next_deadline(earlier), earlier.boot);
  EXPECT_EQ(sent(state, earlier), Words{});
  const Wall due = state.messages().begin()->second.due;
  EXPECT_GT(due, earlier.wall);
  EXPECT_LE(due, earlier.wall + kLongestMessageWait);
}

TEST(Outbox, BackOffDoublesToAQuarterOfAnHour) {
  EXPECT_GE(message_back_off(1, 7), Seconds{5});
  EXPECT_LE(message_back_off(1, 7), Microseconds{5'500'000});
  EXPECT_GE(message_back_off(3, 7), Seconds{20});
  EXPECT_GE(message_back_off(100, 7), Seconds{900});
  EXPECT_LE(message_back_off(4'000'000'000U, 7), Seconds{990});
  EXPECT_EQ(waited_after(3), Seconds{35});
  EXPECT_EQ(waited_after(9) - waited_after(8), Seconds{900});
}

// A receiver that fails as it likes, and commits that do, too.
RC_GTEST_PROP(Outbox, LosesNothingRepeatsNothingAndKeepsTheOrder, ()) {
  State state = with_receivers(5);
  std::uint64_t told = 0, kept_told = 0, got = 0;
  std::map<std::string, std::uint64_t> last;  // By receiver.
  std::set<std::uint64_t> delivered;
  std::int64_t second = 0;
  for (int turn = 0; turn < 60; ++turn) {
    second += *rc::gen::inRange(0, 8);
    const Now now = at_second(second);
    const int notices = *rc::gen::inRange(0, 4);
    for (int i = 0; i < notices; ++i) {
      const std::string group = *rc::gen::inRange(0, 2) == 0 ? "" : "g";
      tell(state, news("n", group), {{"a"}}, now);
      ++told;
    }
    std::vector<std::uint64_t> done;
    MessagesSettled how;
    if (const auto id = state.sending("a"); id && *rc::gen::inRange(0, 3) > 0) {
      if (*rc::gen::inRange(0, 3) > 0) {
        how.delivered.push_back(*id);
      } else {
        how.failed.push_back({.id = *id, .error = "no"});
      }
    }
    std::uint64_t in_it = 0;
    for (const std::uint64_t id : how.delivered) in_it = state.messages().at(id).times;
    RC_ASSERT(settled(state, how, now).empty());
    std::vector<LostMessage> lost;
    take_due(state, now, lost);
    RC_ASSERT(lost.empty());
    RC_ASSERT(state.messages().size() <= 5U);
    if (*rc::gen::inRange(0, 3) == 0) {
      state.roll_back(now);  // The same is reported again, perhaps.
      told = kept_told;
      continue;
    }
    state.keep_changes();
    kept_told = told;
    for (const std::uint64_t id : how.delivered) {
      RC_ASSERT(delivered.insert(id).second);
      RC_ASSERT(id > last["a"]);
      last["a"] = id;
      got += in_it;
    }
    std::uint64_t waiting = 0;
    for (const auto& [id, message] : state.messages()) waiting += message.times;
    RC_ASSERT(waiting + got == told);
  }
}

}  // namespace
}  // namespace gpusched::testing
