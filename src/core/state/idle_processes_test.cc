#include "core/state/idle_processes.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

class Idle : public ::testing::Test {
 protected:
  Idle() { rules_.idle_named_after = Seconds{10}; }

  static SeenProcess process(std::optional<double> load, std::int64_t started = 0) {
    SeenProcess one{.pid = 1, .vram_bytes = 1U << 20, .load_percent = load};
    one.started = at_second(started).boot;
    one.command = "/usr/bin/Xorg :0";
    return one;
  }
  SeenProcess look(const SeenProcess& seen, std::int64_t second) {
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
    view.processes = {seen};
    idle_.look(view, rules_);
    return view.processes.front();
  }

  Rules rules_;
  IdleProcesses idle_;
};

TEST_F(Idle, AHolderIsNamedAfterItsTimeAndNoLongerWhenItWorks) {
  EXPECT_FALSE(look(process(0), 0).idle_since);
  EXPECT_FALSE(look(process(0), 9).idle_since);
  EXPECT_EQ(look(process(0), 10).idle_since, at_second(0).wall);
  EXPECT_FALSE(look(process(50), 11).idle_since);
  EXPECT_FALSE(look(process(0), 12).idle_since);
}

TEST_F(Idle, OneThatMayBeMovedForItIsNamedByThen) {
  rules_.room.idle_after = Seconds{5};
  look(process(0), 0);
  EXPECT_EQ(look(process(0), 5).idle_since, at_second(0).wall);
}

TEST_F(Idle, WhatIsUnknownOrAnotherProcessIsNotNamed) {
  look(process(0), 0);
  EXPECT_FALSE(look(process(std::nullopt), 20).idle_since) << "nobody can say";
  EXPECT_FALSE(look(process(0), 21).idle_since) << "its time begins anew";
  EXPECT_FALSE(look(process(0, 7), 40).idle_since) << "the number was given to another one";
}

TEST_F(Idle, AServerIsNotNamedAndNotCounted) {
  SeenProcess server = process(0);
  server.server = true;
  look(server, 0);
  const SeenProcess later = look(server, 20);
  EXPECT_FALSE(later.idle_since);
  EXPECT_TRUE(later.ignored);
}

TEST_F(Idle, TheDesktopIsKnownByTheNameOfItsPrograms) {
  rules_.ignored_programs = "kwin,Xorg";
  EXPECT_TRUE(look(process(30), 0).ignored);
  SeenProcess ours = process(30);
  ours.attempt = AttemptId{JobId{1}, 1};
  EXPECT_FALSE(look(ours, 1).ignored);
  rules_.ignored_programs = "Xor,rg";
  EXPECT_FALSE(look(process(30), 2).ignored);
}

TEST_F(Idle, ACopyOfALookKeepsWhatItSays) {
  SeenProcess copied = process(0);
  copied.idle_since = at_second(-100).wall;
  copied.ignored = true;
  const SeenProcess seen = look(copied, 0);
  EXPECT_EQ(seen.idle_since, at_second(-100).wall);
  EXPECT_TRUE(seen.ignored);
}

}  // namespace
}  // namespace gpusched::testing
