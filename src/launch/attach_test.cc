// The terminal of a `run` job, end to end through the control socket.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "launch/shim_harness.h"

namespace gpusched {
namespace {

const AttemptId kOne{JobId{1}, 1};

class Attaching : public ::testing::Test {
 protected:
  void launch(Attach kind, const std::string& script) {
    LaunchOrder order = harness_.shell_order(kOne, script);
    order.command.attach = kind;
    order.command.terminal_rows = 33;
    order.command.terminal_columns = 77;
    order.time.grace = Seconds{0};
    harness_.launcher().launch(std::move(order));
  }
  bool run_until_started() {
    return harness_.run_until([&] { return !harness_.reports().empty(); });
  }
  const AttemptFinished* ended() {
    for (const SeamReport& report : harness_.reports()) {
      if (const auto* one = std::get_if<AttemptFinished>(&report)) return one;
    }
    return nullptr;
  }
  bool run_until_ended() {
    return harness_.run_until([&] { return ended() != nullptr; });
  }
  ControlClient attach() {
    auto client = ControlClient::connect(harness_.attempt_path(kOne));
    EXPECT_TRUE(client) << client.error().message;
    EXPECT_TRUE(client->send(AttachRequest{33, 77}));
    const auto answer = client->receive();
    EXPECT_TRUE(answer && std::holds_alternative<Attached>(*answer));
    return std::move(*client);
  }
  Result<ControlClient> attach_from_afar(std::uint64_t key) {
    auto client = ControlClient::connect(harness_.attempt_path(kOne));
    if (!client) return client;
    EXPECT_TRUE(client->send(AttachFromAfar{33, 77, key}));
    const auto answer = client->receive();
    if (answer && std::holds_alternative<Attached>(*answer)) return client;
    const auto* refused = answer ? std::get_if<Refused>(&*answer) : nullptr;
    return failure(ErrorCode::kForbidden, refused != nullptr ? refused->message : "another answer");
  }
  // Reads until the text has come, or the end.
  void read_until(ControlClient& client, const std::string& text) {
    while (output_.find(text) == std::string::npos) {
      const auto message = client.receive();
      ASSERT_TRUE(message) << message.error().message << " after: " << output_;
      take(*message);
      if (exit_) return;
    }
  }
  void read_to_the_end(ControlClient& client) {
    while (!exit_) {
      const auto message = client.receive();
      ASSERT_TRUE(message) << message.error().message << " after: " << output_;
      take(*message);
    }
  }
  void take(const ControlMessage& message) {
    if (const auto* out = std::get_if<OutputData>(&message)) output_ += out->bytes;
    if (const auto* err = std::get_if<ErrorData>(&message)) errors_ += err->bytes;
    if (const auto* exit = std::get_if<JobExit>(&message)) exit_ = *exit;
  }

  std::optional<int> exit_code() const { return exit_ ? exit_->exit_code : std::nullopt; }

  ShimHarness harness_{false};
  std::string output_;
  std::string errors_;
  std::optional<JobExit> exit_;
};

TEST_F(Attaching, PipesCarryInputOutputErrorsAndTheExitCode) {
  launch(Attach::kPipes, "echo to-err >&2; read line; echo got $line; cat; exit 5");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  ASSERT_TRUE(client.send(InputData{"hello\nrest"}));
  ASSERT_TRUE(client.send(InputEnd{}));
  read_to_the_end(client);
  EXPECT_EQ(output_, "got hello\nrest");
  EXPECT_EQ(errors_, "to-err\n");
  ASSERT_TRUE(exit_);
  EXPECT_EQ(exit_code(), 5);
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, 5);
  // In which order the two streams were copied is not promised.
  const std::string log = harness_.read(kOne, "log");
  EXPECT_EQ(log.size(), output_.size() + errors_.size());
  EXPECT_NE(log.find("got hello\n"), std::string::npos);
  EXPECT_NE(log.find("to-err\n"), std::string::npos);
}

TEST_F(Attaching, OutputBeforeTheClientCameIsNotLost) {
  launch(Attach::kPipes, "echo early; exit 2");
  // The command is over long before anybody attaches.
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(harness_.read(kOne, "log"), "early\n");
  ControlClient client = attach();
  read_to_the_end(client);
  EXPECT_EQ(output_, "early\n");
  EXPECT_EQ(exit_code(), 2);
}

TEST_F(Attaching, MoreThanAPipefulWaitsForTheClient) {
  launch(Attach::kPipes, "seq 1 100000");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  read_to_the_end(client);
  EXPECT_EQ(output_.size(), 588'895U);
  EXPECT_NE(output_.find("\n100000\n"), std::string::npos);
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(harness_.read(kOne, "log"), output_);
}

TEST_F(Attaching, ATerminalIsATerminal) {
  launch(Attach::kPty, "test -t 0 && test -t 1 && test -t 2 && stty size; tty; read x; exit 3");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  read_until(client, "/dev/pts/");
  EXPECT_NE(output_.find("33 77"), std::string::npos) << output_;
  ASSERT_TRUE(client.send(InputData{"go\n"}));
  read_to_the_end(client);
  EXPECT_EQ(exit_code(), 3);
  ASSERT_TRUE(run_until_ended());
}

TEST_F(Attaching, ATerminalChangesItsSize) {
  launch(Attach::kPty, "trap 'stty size' WINCH; echo ready; while :; do read x && exit 0; done");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  read_until(client, "ready");
  ASSERT_TRUE(client.send(WindowSize{50, 120}));
  ASSERT_TRUE(client.send(InputData{"\n"}));
  read_to_the_end(client);
  EXPECT_NE(output_.find("50 120"), std::string::npos) << output_;
}

TEST_F(Attaching, ControlCInATerminalReachesTheCommand) {
  launch(Attach::kPty, "trap 'echo interrupted; exit 9' INT; echo ready; while :; do read x; done");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  read_until(client, "ready");
  ASSERT_TRUE(client.send(InputData{"\x03"}));
  read_to_the_end(client);
  EXPECT_EQ(exit_code(), 9);
}

TEST_F(Attaching, EndOfInputEndsACommandThatReadsItsTerminal) {
  launch(Attach::kPty, "cat; exit 4");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  ASSERT_TRUE(client.send(InputData{"typed\n"}));
  ASSERT_TRUE(client.send(InputEnd{}));
  read_to_the_end(client);
  EXPECT_EQ(exit_code(), 4);
  EXPECT_NE(output_.find("typed"), std::string::npos);
}

TEST_F(Attaching, ASignalGoesPastInputThatNobodyReads) {
  launch(Attach::kPipes, "trap 'exit 8' INT; echo ready; while :; do :; done");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  read_until(client, "ready");
  // Until the way in is full.
  const std::string chunk(kControlChunk, 'x');
  const std::string packet = encode(InputData{chunk});
  while (::send(client.fd(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
  auto second = ControlClient::connect(harness_.attempt_path(kOne));
  ASSERT_TRUE(second);
  ASSERT_TRUE(second->ask(SendSignal{SIGINT}));
  read_to_the_end(client);
  EXPECT_EQ(exit_code(), 8);
}

TEST_F(Attaching, AVanishedClientEndsTheJob) {
  launch(Attach::kPipes, "trap '' HUP; echo ready; while :; do read x < /dev/null; done");
  ASSERT_TRUE(run_until_started());
  {
    ControlClient client = attach();
    read_until(client, "ready");
  }
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->cause, Cause::kSignal);
  EXPECT_EQ(ended()->message, "the client of this job went away");
}

TEST_F(Attaching, ADetachedJobRunsOn) {
  launch(Attach::kPipes,
         "echo ready; read code < " + harness_.fifo(kOne) + "; echo late; exit $code");
  ::mkfifo(harness_.fifo(kOne).c_str(), 0600);
  ASSERT_TRUE(run_until_started());
  {
    ControlClient client = attach();
    read_until(client, "ready");
    ASSERT_TRUE(client.send(Detach{}));
  }
  harness_.finish(kOne, 11);
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, 11);
  EXPECT_EQ(harness_.read(kOne, "log"), "ready\nlate\n");
}

TEST_F(Attaching, ADetachedJobIsAttachedToAgainAndOutlivesThatClient) {
  ::mkfifo(harness_.fifo(kOne).c_str(), 0600);
  launch(Attach::kPty,
         "echo ready; read x; echo \"<$x>\"; read code < " + harness_.fifo(kOne) + "; exit $code");
  ASSERT_TRUE(run_until_started());
  {
    ControlClient client = attach();
    read_until(client, "ready");
    ASSERT_TRUE(client.send(Detach{}));
    while (client.receive()) continue;  // Closed once it is kept in mind.
  }
  {
    ControlClient client = attach();
    ASSERT_TRUE(client.send(InputData{"back\n"}));
    read_until(client, "<back>");
  }  // Without a word.
  harness_.finish(kOne, 11);
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, 11);
  EXPECT_EQ(ended()->message, "");
}

TEST_F(Attaching, ADaemonRestartDoesNotDisturbTheTerminal) {
  launch(Attach::kPty, "echo ready; read x; echo \"<$x>\"; exit 6");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  read_until(client, "ready");
  harness_.restart();
  harness_.launcher().reattach(kOne);
  ASSERT_TRUE(client.send(InputData{"still here\n"}));
  read_to_the_end(client);
  EXPECT_NE(output_.find("<still here>"), std::string::npos);
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, 6);
}

TEST_F(Attaching, ASecondClientIsRefused) {
  launch(Attach::kPipes, "echo ready; cat");
  ASSERT_TRUE(run_until_started());
  ControlClient client = attach();
  read_until(client, "ready");
  auto second = ControlClient::connect(harness_.attempt_path(kOne));
  ASSERT_TRUE(second);
  const auto refused = second->ask(AttachRequest{1, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "somebody is attached to this job already");
  ASSERT_TRUE(client.send(InputEnd{}));
  read_to_the_end(client);
}

TEST_F(Attaching, OutputAlsoGoesToTheFileTheUserChose) {
  LaunchOrder order = harness_.shell_order(kOne, "echo seen; exit 0");
  order.command.attach = Attach::kPipes;
  order.command.output_path = harness_.state() + "/chosen";
  harness_.launcher().launch(std::move(order));
  ASSERT_TRUE(run_until_ended());
  ControlClient client = attach();
  read_to_the_end(client);
  EXPECT_EQ(output_, "seen\n");
  std::ifstream file(harness_.state() + "/chosen");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "seen");
}

TEST_F(Attaching, AConnectionFromAfarThatBreaksLeavesTheJobToItself) {
  launch(Attach::kPipes, "echo one; read a; echo two $a; exit 3");
  ASSERT_TRUE(run_until_started());
  {
    auto client = attach_from_afar(7);
    ASSERT_TRUE(client) << client.error().message;
    read_until(*client, "one");
  }
  auto again = attach_from_afar(7);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_TRUE(again->send(InputData{"there\n"}));
  read_to_the_end(*again);
  EXPECT_NE(output_.find("two there"), std::string::npos) << output_;
  EXPECT_EQ(exit_code(), 3);
}

TEST_F(Attaching, WhoComesBackFromAfarTakesTheirOwnPlaceAndNobodyElses) {
  launch(Attach::kPipes, "echo one; read a; echo two $a; exit 3");
  ASSERT_TRUE(run_until_started());
  auto first = attach_from_afar(7);
  ASSERT_TRUE(first) << first.error().message;
  read_until(*first, "one");
  const auto other = attach_from_afar(8);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "somebody is attached to this job already");
  // The first one is half open: nobody has noticed that it is lost.
  auto again = attach_from_afar(7);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(first->receive()) << "it was let go";
  ASSERT_TRUE(again->send(InputData{"back\n"}));
  read_to_the_end(*again);
  EXPECT_EQ(exit_code(), 3);
}

TEST_F(Attaching, WhoHangsUpFromAfarEndsTheJob) {
  launch(Attach::kPipes, "echo one; read a; exit 3");
  ASSERT_TRUE(run_until_started());
  auto client = attach_from_afar(7);
  ASSERT_TRUE(client) << client.error().message;
  read_until(*client, "one");
  ASSERT_TRUE(client->send(HangUp{}));
  ASSERT_TRUE(run_until_ended());
  EXPECT_NE(ended()->exit_code, 3);
  EXPECT_EQ(ended()->message, "the client of this job went away");
}

}  // namespace
}  // namespace gpusched
