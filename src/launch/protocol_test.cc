// Control and launch packets: what is written comes back, and nothing else is believed.
#include <gtest/gtest.h>

#include <random>

#include "jobdir/control_protocol.h"
#include "jobdir/launch_protocol.h"

namespace gpusched {
namespace {

std::vector<ControlMessage> one_of_each() {
  JobExit exit{Cause::kTimeout, std::nullopt, 15, "too late"};
  return {StopCommand{Seconds{5}},
          SetTime{{Seconds{60}, 10, Seconds{5}, Seconds{3}}},
          PauseCommand{},
          ResumeCommand{},
          SendSignal{2},
          AttachRequest{24, 80},
          Detach{},
          InputData{std::string("a\0b", 3)},
          InputEnd{},
          WindowSize{50, 132},
          Done{},
          Refused{"no"},
          Attached{true},
          OutputData{"out"},
          ErrorData{"err"},
          exit,
          SaveCommand{10, Seconds{60}, Seconds{10}},
          LetGoCommand{},
          AttachFromAfar{24, 80, 1U << 30},
          HangUp{}};
}

TEST(ControlProtocol, EveryMessageComesBackAsItWas) {
  for (const ControlMessage& message : one_of_each()) {
    const auto back = decode_control(encode(message));
    ASSERT_TRUE(back) << message.index();
    EXPECT_EQ(back->index(), message.index());
    EXPECT_EQ(encode(*back), encode(message));
  }
  EXPECT_EQ(one_of_each().size(), std::variant_size_v<ControlMessage>);
}

TEST(ControlProtocol, FromAfarComesNothingThatOnlyTheDaemonMayAsk) {
  std::size_t allowed = 0;
  for (const ControlMessage& message : one_of_each()) {
    if (may_come_from_afar(encode(message))) ++allowed;
  }
  EXPECT_EQ(allowed, 7U);
  EXPECT_TRUE(may_come_from_afar(encode(InputData{"x"})));
  for (const ControlMessage& message :
       {ControlMessage(SetTime{}), ControlMessage(PauseCommand{}), ControlMessage(ResumeCommand{}),
        ControlMessage(LetGoCommand{}), ControlMessage(SaveCommand{}),
        ControlMessage(StopCommand{}), ControlMessage(AttachRequest{})}) {
    EXPECT_FALSE(may_come_from_afar(encode(message))) << message.index();
  }
  EXPECT_FALSE(may_come_from_afar("")) << "nothing";
  EXPECT_FALSE(may_come_from_afar("\x01\xff")) << "an unknown kind";
}

TEST(ControlProtocol, AMessageOfAnotherVersionSaysSo) {
  std::string packet = encode(Done{});
  packet[0] = 9;
  const auto back = decode_control(packet);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(back.error().message.find("version 9"), std::string::npos);
}

TEST(ControlProtocol, NonsenseIsRefusedOrClampedButNeverBelieved) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string packet = encode(one_of_each()[random() % 17]);
    const std::size_t size = random() % (packet.size() + 4);
    packet.resize(size, static_cast<char>(random()));
    if (size > 2) packet[2 + random() % (size - 2)] = static_cast<char>(random());
    const auto back = decode_control(packet);
    if (!back) continue;
    if (const auto* stop = std::get_if<StopCommand>(&*back)) {
      EXPECT_GE(stop->grace.count(), 0);
    }
    if (const auto* time = std::get_if<SetTime>(&*back)) {
      EXPECT_GE(time->time.limit.count(), 0);
    }
  }
}

LaunchOrder full_order() {
  LaunchOrder order;
  order.attempt = {JobId{12345678901ULL}, 3};
  order.command.argv = {"prog", "", "a\nb", "\xff\xfe"};
  auto environment = std::make_shared<Environment>();
  environment->variables = {"A=1", "B="};
  order.command.environment = environment;
  order.command.added_variables = {{"C", "3"}};
  order.command.working_directory = "/somewhere";
  order.command.owner = {1000, 1001, "ml1"};
  order.command.umask = 077;
  order.command.limits = {{7, 1024, 4096}};
  order.command.output_path = "out";
  order.command.error_path = "err";
  order.command.log_limit_bytes = 1 << 20;
  order.time = {Seconds{60}, 10, Seconds{5}, Seconds{3}};
  order.command.attach = Attach::kPty;
  order.command.detached = true;
  order.command.terminal_rows = 24;
  order.command.terminal_columns = 80;
  order.isolation.cpus = 4;
  order.isolation.ram_bytes = 1ULL << 33;
  order.isolation.near = {"0-3", "0", 4};
  order.devices.vram_limits = {{"0000:03:00.0", 1ULL << 33}};
  order.note = "all of it";
  order.holds = "its cards";
  order.devices.mps =
      MpsOrder{CardNumber{2}, "GPU-1", "/usr/bin/control", {"A=b"}, Seconds{9}, 30, 5};
  return order;
}

TEST(LaunchProtocol, AnOrderComesBackAsItWas) {
  const LaunchOrder order = full_order();
  const std::string bytes = encode_order(order);
  const auto back = decode_order(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(encode_order(*back), bytes);
  EXPECT_EQ(back->command.argv, order.command.argv);
  EXPECT_EQ(back->command.environment->variables, order.command.environment->variables);
  EXPECT_EQ(back->command.owner, order.command.owner);
  EXPECT_EQ(back->command.limits, order.command.limits);
  EXPECT_EQ(back->time, order.time);
  EXPECT_EQ(back->command.attach, Attach::kPty);
  EXPECT_TRUE(back->command.detached);
  EXPECT_EQ(back->isolation.near.cpus, "0-3");
  EXPECT_EQ(back->note, "all of it");
  EXPECT_EQ(back->holds, "its cards");
  ASSERT_TRUE(back->devices.mps);
  EXPECT_EQ(back->devices.mps->card, CardNumber{2});
  EXPECT_EQ(back->devices.mps->thread_percent, 30);
}

TEST(LaunchProtocol, AnOrderThatIsCutOffIsRefused) {
  const std::string bytes = encode_order(full_order());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(decode_order(std::string_view(bytes).substr(0, cut))) << cut;
  }
  EXPECT_FALSE(decode_order(bytes + "x"));
}

TEST(LaunchProtocol, EveryMessageComesBackAsItWas) {
  const AttemptId id{JobId{7}, 2};
  const std::vector<LaunchMessage> all = {
      LaunchRequest{id, true, true, "order"},
      EndTreeRequest{id, "/group", 99, Boot{Microseconds{5}}},
      EndContainersRequest{id, Boot{Microseconds{5}}, {"a", "b"}},
      ForgetRequest{{JobId{1}, JobId{2}}},
      LauncherReady{},
      ShimLaunched{id, 42},
      ShimNotLaunched{id, "why"},
      CommandStarted{id, 43, Wall{Microseconds{6}}, "no server"},
      CommandEnded{id, "record"},
      ShimGaveUp{id, "full"},
      TreeEnded{id},
      Forgotten{"problem"},
      MoveRequest{id, "token", {"mover", "out"}, {"A=b"}},
      MoverStarted{id, "token", 44},
      MoverNotStarted{id, "token", "why"},
      MoverEnded{id, "token"}};
  EXPECT_EQ(all.size(), std::variant_size_v<LaunchMessage>);
  for (const LaunchMessage& message : all) {
    const auto back = decode_launch(encode(message));
    ASSERT_TRUE(back);
    EXPECT_EQ(encode(*back), encode(message));
  }
  EXPECT_FALSE(decode_launch(""));
  EXPECT_FALSE(decode_launch("\x63"));
  EXPECT_FALSE(decode_launch(encode(ForgetRequest{{JobId{1}}}).substr(0, 7)));
}

}  // namespace
}  // namespace gpusched
