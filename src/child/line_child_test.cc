#include "child/line_child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/asio/io_context.hpp>

namespace gpusched {
namespace {

// A shell as a child, until its end.
class LineChildTest : public ::testing::Test {
 protected:
  void start(const std::string& script, std::size_t line_most = 1000) {
    LineChild::Options options{.command = {"/bin/sh", "-c", script},
                               .environment = {"PATH=/usr/bin:/bin"},
                               .line_most = line_most};
    auto started = LineChild::start(
        loop, options,
        {.line = [this](std::string_view line) { hear(line); },
         .ended = [this](int how) { status = how; },
         .complain = [this](const std::string& what) { complaints.push_back(what); }});
    ASSERT_TRUE(started) << started.error().message;
    child = std::move(*started);
  }
  virtual void hear(std::string_view line) { lines.emplace_back(line); }
  void until_its_end() {
    while (!status) loop.run_one();
  }

  boost::asio::io_context loop;
  std::unique_ptr<LineChild> child;
  std::vector<std::string> lines, complaints;
  std::optional<int> status;
};
using Lines = std::vector<std::string>;

TEST_F(LineChildTest, HearsLinesAndSaysLines) {
  start("while read word; do echo \"heard $word\"; [ $word = two ] && exit 3; done");
  child->send("one");
  child->send("two");
  until_its_end();
  EXPECT_EQ(lines, (Lines{"heard one", "heard two"}));
  EXPECT_EQ(WEXITSTATUS(*status), 3);
}

TEST_F(LineChildTest, ThatIsKilledHasSaidWhatItSaid) {
  start("echo one; kill -9 $$");
  until_its_end();
  EXPECT_EQ(lines, Lines{"one"});
  EXPECT_EQ(WTERMSIG(*status), 9);
}

TEST_F(LineChildTest, PassesOverALineThatIsTooLongAndNoOther) {
  start("echo one; head -c 70000 /dev/zero | tr '\\0' x; echo; echo two", 2048);
  until_its_end();
  EXPECT_EQ(lines, (Lines{"one", "two"}));
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints[0], "a line of sh: more than 2 KiB");
}

TEST_F(LineChildTest, EndsAlthoughSomebodyKeepsItsOutputOpenOrWritesOn) {
  start("(while echo more 2>/dev/null; do :; done) & echo one");
  until_its_end();
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(WIFEXITED(*status));
}

TEST_F(LineChildTest, SaysWhatCannotBeStarted) {
  const auto none =
      LineChild::start(loop, {.command = {"/no/such/program"}, .environment = {}}, {});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("start /no/such/program"), std::string::npos);
}

class LineChildThatIsLeft : public LineChildTest {
 protected:
  void hear(std::string_view line) override {
    LineChildTest::hear(line);
    child.reset();
  }
};

TEST_F(LineChildThatIsLeft, InTheMidstOfALineSaysNothingMore) {
  start("echo one; echo two; sleep 60");
  loop.run();  // Until it is reaped.
  EXPECT_EQ(lines, Lines{"one"});
  EXPECT_FALSE(status) << "nobody listens";
}

}  // namespace
}  // namespace gpusched
