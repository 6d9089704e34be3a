// The threads of the sampler around a backend in memory.
#include "sampler/sampler.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <thread>

#include "sampler/fake_backend.h"
#include "sampler/sampler_harness.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

using std::chrono::milliseconds;
using watch::Cause;

// A process that does nothing until the test ends it.
class Child {
 public:
  Child() : pid_(::fork()) {
    if (pid_ == 0) {
      ::alarm(60);
      while (true) ::pause();
    }
  }
  ~Child() { end(); }
  int pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  int pid_;
};

class SamplerTest : public ::testing::Test {
 protected:
  // Only what is asked for or happens: no look comes by its period.
  void start(int cards, Pace pace = {.busy_period = milliseconds{600'000}}) {
    fake_ = std::make_unique<FakeCards>(cards);
    start_with(pace);
  }
  void start_with(Pace pace) {
    Pipe orders, reports;
    SamplerOptions options;
    options.input = orders.read.get();
    options.output = reports.write.get();
    options.once = once_;
    options.pace = pace;
    options.open_deadline = open_deadline_;
    options.clock = read_clock;
    options.sysfs = sysfs_ / "sys";
    options.open = [this] {
      watch::Backends all;
      all.findings.push_back({"fake", true, false, "found"});
      all.opened.push_back(std::make_unique<FakeBackend>(*fake_));
      return all;
    };
    sampler_ = std::make_unique<Sampler>(std::move(options));
    talk_ = std::make_unique<Conversation>(std::move(reports.read), std::move(orders.write));
    thread_ = std::thread([this, in = std::move(orders.read), out = std::move(reports.write)] {
      exit_code_ = sampler_->run();
      sampler_.reset();
    });
  }
  int finish() {
    talk_->hang_up();
    thread_.join();
    return exit_code_;
  }
  void TearDown() override {
    if (fake_) {
      fake_->change([](FakeCards& all) {
        all.open_hangs = false;
        for (auto& card : all.cards) card.hangs = false;
      });
    }
    if (thread_.joinable()) finish();
  }

  bool once_ = false;
  milliseconds open_deadline_{30'000};
  TemporaryDirectory sysfs_;
  std::unique_ptr<FakeCards> fake_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Conversation> talk_;
  std::thread thread_;
  int exit_code_ = -1;
};

TEST_F(SamplerTest, SaysWhichCardsThereAreAndHowTheyDo) {
  start(2);
  const auto cards = talk_->wait_for<watch::CardsReport>();
  ASSERT_TRUE(cards);
  ASSERT_EQ(cards->cards.size(), 2u);
  EXPECT_EQ(cards->cards[1].number, CardNumber{1});
  EXPECT_EQ(cards->cards[1].identity.uuid, "GPU-1");
  EXPECT_EQ(cards->cards[1].backend, "fake");
  EXPECT_EQ(cards->backends[0].driver_version, "1.2");
  const auto sample = talk_->sample_of(1);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->uuid, "GPU-1");
  EXPECT_EQ(sample->sample.used_bytes, 0u);
  EXPECT_EQ(finish(), kSamplerDone);
}

TEST_F(SamplerTest, LooksAgainEachPeriodAndWhenAsked) {
  start(1, {.busy_period = milliseconds{10}});
  for (int i = 0; i < 3; ++i) {
    const auto sample = talk_->sample_of(0);
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->cause, Cause::kPeriod);
  }
  talk_->say(watch::PeriodOrder{false, {}, milliseconds{600'000}, {}});
  talk_->say(watch::SampleNowOrder{CardNumber{0}});
  EXPECT_TRUE(talk_->sample_of(0, [](const auto& s) { return s.cause == Cause::kAsked; }));
  talk_->say(watch::SampleNowOrder{});
  EXPECT_TRUE(talk_->sample_of(0, [](const auto& s) { return s.cause == Cause::kAsked; }));
}

TEST_F(SamplerTest, AnOrderThatCameTooEarlyIsKept) {
  fake_ = std::make_unique<FakeCards>(2);
  fake_->open_hangs = true;
  start_with({.busy_period = milliseconds{600'000}});
  talk_->say(watch::SampleNowOrder{CardNumber{1}});
  talk_->say_text("nonsense\n");
  ASSERT_TRUE(talk_->wait_for<watch::ComplaintReport>()) << "By now it has read the first one.";
  fake_->change([](FakeCards& all) { all.open_hangs = false; });
  EXPECT_TRUE(talk_->sample_of(1, [](const auto& s) { return s.cause == Cause::kAsked; }));
}

TEST_F(SamplerTest, AShorterPeriodTakesEffectAtOnce) {
  start(1);
  ASSERT_TRUE(talk_->sample_of(0));
  talk_->say(watch::PeriodOrder{true, milliseconds{10}, {}, {}});
  EXPECT_TRUE(talk_->sample_of(0));
}

TEST_F(SamplerTest, AHungCardIsUnknownAndComesBackByItself) {
  start(2, {.busy_period = milliseconds{20}, .deadline = milliseconds{50}});
  ASSERT_TRUE(talk_->sample_of(0));
  fake_->hang(0, true);
  const auto unknown = talk_->wait_for<watch::UnknownReport>();
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->card, CardNumber{0});
  EXPECT_NE(unknown->reason.find("not answered"), std::string::npos);
  ASSERT_TRUE(talk_->sample_of(1)) << "The other one goes on.";
  ASSERT_TRUE(talk_->wait_for<watch::UnknownReport>()) << "It is said again while it lasts.";
  fake_->hang(0, false);
  const auto back = talk_->sample_of(0);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->cause, Cause::kReturn);
}

TEST_F(SamplerTest, AStuckCardDoesNotKeepOrdersFromBeingRead) {
  start(2, {.busy_period = milliseconds{600'000}, .deadline = milliseconds{50}});
  ASSERT_TRUE(talk_->sample_of(1));
  fake_->hang(0, true);
  talk_->say(watch::SampleNowOrder{});
  ASSERT_TRUE(talk_->wait_for<watch::UnknownReport>());
  talk_->say(watch::SampleNowOrder{CardNumber{1}});
  EXPECT_TRUE(talk_->sample_of(1));
}

TEST_F(SamplerTest, TellsFailuresApart) {
  start(1);
  ASSERT_TRUE(talk_->sample_of(0));
  const auto fail = [&](std::optional<Error> error) {
    fake_->change([&](FakeCards& all) { all.cards[0].error = error; });
    talk_->say(watch::SampleNowOrder{});
  };
  fail(Error{ErrorCode::kUnavailable, "needs a reset"});
  const auto unknown = talk_->wait_for<watch::UnknownReport>();
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->reason, "needs a reset");
  fail(Error{ErrorCode::kNotFound, "fell off the bus"});
  const auto gone = talk_->wait_for<watch::GoneReport>();
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->reason, "fell off the bus");
  fail(std::nullopt);
  EXPECT_TRUE(talk_->sample_of(0));
}

TEST_F(SamplerTest, AReplacedDriverEndsItWithEveryCardUnknown) {
  start(2);
  ASSERT_TRUE(talk_->sample_of(0));
  fake_->change([](FakeCards& all) { all.cards[1].error = Error{ErrorCode::kConflict, "new"}; });
  talk_->say(watch::SampleNowOrder{CardNumber{1}});
  ASSERT_TRUE(talk_->wait_for<watch::UnknownReport>());
  ASSERT_TRUE(talk_->wait_for<watch::UnknownReport>());
  talk_->rest();
  EXPECT_EQ(finish(), kSamplerDriverReplaced);
}

TEST_F(SamplerTest, WhereProcessesAreNotListedTheyAreAbsent) {
  start(1);
  ASSERT_TRUE(talk_->sample_of(0)->processes);
  fake_->change([](FakeCards& all) { all.cards[0].lists_processes = false; });
  talk_->say(watch::SampleNowOrder{});
  EXPECT_FALSE(talk_->sample_of(0)->processes);
}

TEST_F(SamplerTest, TheEndOfAProcessIsNoticedAtOnceOnItsCards) {
  start(3);
  ASSERT_TRUE(talk_->sample_of(1));
  talk_->say(watch::SampleNowOrder{CardNumber{2}});
  ASSERT_TRUE(talk_->sample_of(2, [](const auto& s) { return s.cause == Cause::kAsked; }));
  Child child;
  fake_->change(
      [&](FakeCards& all) { all.cards[1].processes = all.cards[2].processes = {{child.pid()}}; });
  const auto listed = [](const auto& s) { return s.processes && s.processes->size() == 1; };
  talk_->say(watch::SampleNowOrder{CardNumber{1}});
  ASSERT_TRUE(talk_->sample_of(1, listed));
  talk_->say(watch::SampleNowOrder{CardNumber{2}});
  ASSERT_TRUE(talk_->sample_of(2, listed));
  // The list forgets it a little later than the kernel does.
  fake_->change([&](FakeCards& all) {
    all.cards[1].processes.clear();
    all.cards[2].processes.clear();
    all.cards[2].lingers[child.pid()] = 3;
  });
  child.end();
  std::set<int> looked;
  EXPECT_TRUE(talk_->wait_for<watch::SampleReport>([&](const watch::SampleReport& s) {
    if (s.cause != Cause::kExit) return false;
    EXPECT_TRUE(s.processes->empty()) << "It looks again until the process is off the list.";
    looked.insert(number_of(s.card));
    return looked == std::set<int>{1, 2};
  }));
}

TEST_F(SamplerTest, AListThatNeverForgetsIsBelievedInTheEnd) {
  start(1);
  ASSERT_TRUE(talk_->sample_of(0));
  Child child;
  fake_->change([&](FakeCards& all) { all.cards[0].processes = {{child.pid()}}; });
  talk_->say(watch::SampleNowOrder{});
  ASSERT_TRUE(talk_->sample_of(0));
  child.end();
  const auto sample = talk_->sample_of(0, [](const auto& s) { return s.cause == Cause::kExit; });
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->processes->size(), 1u);
}

TEST_F(SamplerTest, AnEventIsToldAndItsCardLookedAt) {
  start(2);
  ASSERT_TRUE(talk_->sample_of(1));
  fake_->change([](FakeCards& all) {
    all.events.push_back({"GPU-1", watch::CardEvent::Kind::kXid, 79});
  });
  const auto event = talk_->wait_for<watch::EventReport>();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->card, CardNumber{1});
  EXPECT_EQ(event->event.number, 79u);
  const auto sample = talk_->sample_of(1, [](const auto& s) { return s.cause == Cause::kEvent; });
  EXPECT_TRUE(sample);
}

TEST_F(SamplerTest, AccountsOfEndedProcessesFollow) {
  start(1);
  Child child;
  fake_->change([&](FakeCards& all) { all.cards[0].processes = {{child.pid()}}; });
  talk_->say(watch::JobsOrder{{{AttemptId{JobId{7}, 1}, ::getpid(), {}}}, {}});
  talk_->say(watch::SampleNowOrder{});
  const auto ours = talk_->sample_of(0, [&](const auto& s) {
    return s.processes->size() == 1 && s.processes->at(0).owner.attempt;
  });
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->processes->at(0).owner.evidence, watch::Evidence::kTree);
  fake_->change([&](FakeCards& all) {
    all.cards[0].processes.clear();
    all.cards[0].accounts = {{child.pid(), 123, 50.0, 1000}};
  });
  child.end();
  const auto ended = talk_->wait_for<watch::EndedReport>();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->processes.at(0).account.peak_vram_bytes, 123u);
  EXPECT_EQ(ended->processes.at(0).attempt, (AttemptId{JobId{7}, 1}));
}

TEST_F(SamplerTest, ASleepingCardIsNotWokenUp) {
  fake_ = std::make_unique<FakeCards>(1);
  fake_->cards[0].identity.pci = "00000000:3B:00.0";
  const std::string device = sysfs_ / "sys/bus/pci/devices/0000:3b:00.0/power";
  std::filesystem::create_directories(device);
  std::ofstream(device + "/runtime_status") << "suspended\n";
  start_with({.busy_period = milliseconds{600'000}});
  ASSERT_TRUE(talk_->wait_for<watch::AsleepReport>());
  fake_->change([](FakeCards& all) { EXPECT_EQ(all.cards[0].asked, 0); });
  std::ofstream(device + "/runtime_status") << "active\n";
  talk_->say(watch::SampleNowOrder{});
  EXPECT_TRUE(talk_->sample_of(0));
}

TEST_F(SamplerTest, ACardThatDoesNotAnswerKeepsItsNumber) {
  fake_ = std::make_unique<FakeCards>(2);
  fake_->cards[0].identity.uuid.clear();
  start_with({});
  const auto cards = talk_->wait_for<watch::CardsReport>();
  ASSERT_TRUE(cards);
  ASSERT_EQ(cards->cards.size(), 1u);
  EXPECT_EQ(cards->cards[0].number, CardNumber{1});
}

TEST_F(SamplerTest, ADriverThatCannotBeOpenedIsGivenUp) {
  fake_ = std::make_unique<FakeCards>(1);
  fake_->open_hangs = true;
  open_deadline_ = milliseconds{50};
  start_with({});
  ASSERT_TRUE(talk_->wait_for<watch::ComplaintReport>());
  fake_->change([](FakeCards& all) { all.open_hangs = false; });
  talk_->rest();
  EXPECT_EQ(finish(), kSamplerTrouble);
}

TEST_F(SamplerTest, WithoutCardsItEnds) {
  start(0);
  ASSERT_TRUE(talk_->wait_for<watch::CardsReport>());
  talk_->rest();
  EXPECT_EQ(finish(), kSamplerNoCards);
}

TEST_F(SamplerTest, OnceIsOneReportPerCardAHungOneToo) {
  once_ = true;
  fake_ = std::make_unique<FakeCards>(3);
  fake_->cards[1].hangs = true;
  start_with({.deadline = milliseconds{50}});
  ASSERT_TRUE(talk_->wait_for<watch::UnknownReport>());
  int samples = 0;
  for (const auto& report : talk_->passed) {
    samples += std::holds_alternative<watch::SampleReport>(report) ? 1 : 0;
  }
  EXPECT_EQ(samples, 2);
  fake_->hang(1, false);
  talk_->rest();
  EXPECT_EQ(finish(), kSamplerDone);
}

TEST_F(SamplerTest, ALineThatIsNoOrderIsAComplaint) {
  start(1);
  talk_->say_text("nonsense\n{\"v\":1,\"type\":\"dance\"}\n");
  ASSERT_TRUE(talk_->wait_for<watch::ComplaintReport>());
  talk_->say(watch::QuitOrder{});
  talk_->rest();
  EXPECT_EQ(finish(), kSamplerDone);
}

}  // namespace
}  // namespace gpusched::testing
