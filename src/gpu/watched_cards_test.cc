// Against a stand-in for gpusched-sampler: a shell script that says what the case needs.
#include "gpu/watched_cards.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <fstream>
#include <optional>

#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

constexpr const char* kCards =
    R"(echo '{"v":1,"type":"cards","cards":[{"number":0,"uuid":"GPU-a","model":"A",)"
    R"("vram_bytes":100,"reserved_bytes":10,"backend":"nvml"}],"backends":[{"name":"nvml"}]}')"
    "\n";
constexpr const char* kSample =
    R"(echo '{"v":1,"type":"sample","card":0,"uuid":"GPU-a","at":"2026-01-01T08:00:00.000Z",)"
    R"("boot_us":5000000,"cause":"period","sample":{"used_bytes":40},)"
    R"("processes":[{"pid":7,"kind":"compute","vram_bytes":30,"busy_percent":12}]}')"
    "\n";

class WatchedCardsTest : public ::testing::Test {
 protected:
  // As in the daemon: a sampler that ends while it is written to must not end us.
  void SetUp() override { std::signal(SIGPIPE, SIG_IGN); }
  void start(const std::string& script) {
    const std::string path = directory_ / "sampler";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0755);
    WatchedCards::Options options;
    options.program = path;
    options.busy_period = options.idle_period = std::chrono::milliseconds(100);
    options.deadline = std::chrono::milliseconds(100);
    options.arrange = arrange_;
    options.complain = [this](const std::string& what) { complaints_.push_back(what); };
    cards_ = std::make_unique<WatchedCards>(loop_, std::move(options));
    cards_->start({[this](Result<CardsFound> found) { found_.push_back(std::move(found)); },
                   [this](CardSeen seen) { seen_.push_back(std::move(seen)); }});
    EXPECT_TRUE(found_.empty()) << "Told from inside the call.";
  }
  template <class Condition>
  bool run_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      loop_.run_one_for(std::chrono::milliseconds(50));
    }
    return condition();
  }

  std::function<std::vector<Card>(std::vector<Card>)> arrange_;
  TemporaryDirectory directory_;
  boost::asio::io_context loop_{1};
  std::unique_ptr<WatchedCards> cards_;
  std::vector<Result<CardsFound>> found_;
  std::vector<CardSeen> seen_;
  std::vector<std::string> complaints_;
};

TEST_F(WatchedCardsTest, MakesOfALineWhatAdmissionNeeds) {
  start(std::string(kCards) + kSample + "cat > /dev/null");
  ASSERT_TRUE(run_until([&] { return !seen_.empty(); }));
  ASSERT_TRUE(found_.front());
  EXPECT_EQ(found_.front()->source, "nvml");
  EXPECT_EQ(found_.front()->cards.front().capacity_bytes(), 90U);
  EXPECT_FALSE(found_.front()->cards.front().usable) << "before it was seen";
  EXPECT_EQ(seen_.front().view.condition, CardCondition::kOk);
  EXPECT_EQ(seen_.front().view.used_bytes, 40U);
  EXPECT_EQ(seen_.front().view.processes.at(0).pid, 7);
  EXPECT_EQ(cards_->board().entries.at(CardNumber{0}).sample->sample.used_bytes, 40U);
}

TEST_F(WatchedCardsTest, NumbersAreOursAndTheDriversIsKept) {
  arrange_ = [](std::vector<Card> cards) {
    for (Card& card : cards) card.number = CardNumber{5};
    return cards;
  };
  start(std::string(kCards) + kSample + "cat > /dev/null");
  ASSERT_TRUE(run_until([&] { return !seen_.empty(); }));
  EXPECT_EQ(found_.front()->cards.front().number, CardNumber{5});
  EXPECT_EQ(found_.front()->cards.front().driver_index, 0);
  EXPECT_EQ(seen_.front().card, CardNumber{5});
  EXPECT_EQ(cards_->board().cards.front().number, CardNumber{5});
  EXPECT_TRUE(cards_->board().entries.contains(CardNumber{5}));
}

TEST_F(WatchedCardsTest, WithoutADriverThereAreNoCards) {
  start(R"(echo '{"v":1,"type":"cards","cards":[],"backends":[]}'; exit 3)");
  ASSERT_TRUE(run_until([&] { return !found_.empty(); }));
  ASSERT_TRUE(found_.front());
  EXPECT_EQ(found_.front()->source, "none");
}

TEST_F(WatchedCardsTest, AProgramThatIsNotThereIsAnErrorAndTriedAgain) {
  WatchedCards::Options options;
  options.program = directory_ / "none";
  cards_ = std::make_unique<WatchedCards>(loop_, std::move(options));
  cards_->start({[this](Result<CardsFound> found) { found_.push_back(std::move(found)); }, {}});
  ASSERT_TRUE(run_until([&] { return found_.size() == 2; }));
  EXPECT_NE(found_.front().error().message.find("No such file"), std::string::npos);
}

TEST_F(WatchedCardsTest, ASamplerThatDiesMakesItsCardsUnknownAndIsStartedAgain) {
  const std::string once = directory_ / "once";
  start(std::string(kCards) + kSample + "test -e " + once + " || { touch " + once +
        "; kill -SEGV $$; }\ncat > /dev/null");
  ASSERT_TRUE(run_until([&] { return seen_.size() == 3; }));
  EXPECT_EQ(seen_[1].view.condition, CardCondition::kUnknown);
  EXPECT_EQ(seen_[2].view.condition, CardCondition::kOk);
  EXPECT_EQ(complaints_.size(), 1U);
}

TEST_F(WatchedCardsTest, ASilentSamplerIsEndedAndStartedAgain) {
  const std::string once = directory_ / "once";
  start(std::string(kCards) + kSample + "test -e " + once + " && exec cat > /dev/null; touch " +
        once + "; exec tail -f /dev/null");
  ASSERT_TRUE(run_until([&] { return seen_.size() >= 3; }));
  EXPECT_NE(complaints_.front().find("says nothing any more"), std::string::npos);
}

TEST_F(WatchedCardsTest, NonsenseIsPassedOver) {
  start("echo garbage; echo '{\"v\":1,\"type\":\"sample\",\"card\":\"x\"}'\n" +
        std::string(kCards) + kSample + "cat > /dev/null");
  ASSERT_TRUE(run_until([&] { return !seen_.empty(); }));
  EXPECT_EQ(complaints_.size(), 2U);
}

TEST_F(WatchedCardsTest, OfACardThatIsGoneNothingIsShown) {
  start(std::string(kCards) + kSample +
        R"(echo '{"v":1,"type":"gone","card":0,"uuid":"GPU-a","at":"2026-01-01T08:00:01.000Z",)"
        R"("boot_us":6000000,"reason":"off the bus"}')"
        "\ncat > /dev/null");
  ASSERT_TRUE(run_until([&] { return seen_.size() == 2; }));
  EXPECT_EQ(seen_[1].view.condition, CardCondition::kGone);
  EXPECT_FALSE(cards_->board().entries.contains(CardNumber{0}));
}

TEST_F(WatchedCardsTest, ALookIsAskedForByTheSamplersOwnNumber) {
  arrange_ = [](std::vector<Card> cards) {
    for (Card& card : cards) card.number = CardNumber{5};
    return cards;
  };
  const std::string heard = directory_ / "heard";
  start(std::string(kCards) + "exec cat > " + heard);
  ASSERT_TRUE(run_until([&] { return !found_.empty(); }));
  cards_->look_now(CardNumber{7});  // There is none.
  cards_->look_now(CardNumber{5});
  std::string text;
  ASSERT_TRUE(run_until([&] {
    std::ifstream file(heard);
    text.assign(std::istreambuf_iterator<char>(file), {});
    return text.find("\"type\":\"sample_now\"") != std::string::npos;
  }));
  const std::string order = text.substr(text.find("\"type\":\"sample_now\""));
  EXPECT_NE(order.substr(0, order.find('\n')).find("\"card\":0"), std::string::npos) << order;
}

TEST_F(WatchedCardsTest, OrdersReachTheSampler) {
  const std::string heard = directory_ / "heard";
  start(std::string(kCards) + "exec cat > " + heard);
  ASSERT_TRUE(run_until([&] { return !found_.empty(); }));
  cards_->set_busy(false);
  ASSERT_TRUE(run_until([&] {
    std::ifstream file(heard);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    return text.find("\"busy\":false") != std::string::npos &&
           text.find("\"type\":\"jobs\"") != std::string::npos;
  }));
}

}  // namespace
}  // namespace gpusched::testing
