#include "jobdir/mps_place.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "jobdir/process_tree.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

MpsOrder order_of(int percent, std::uint64_t limit) {
  MpsOrder order;
  order.uuid = "GPU-1";
  order.thread_percent = percent;
  order.vram_limit_bytes = limit;
  return order;
}

using Variables = std::vector<std::pair<std::string, std::string>>;

TEST(MpsVariables, SayWhereTheServerIsAndWhatTheJobMayHave) {
  const Variables least = {{"CUDA_VISIBLE_DEVICES", "GPU-1"},
                           {"NVIDIA_VISIBLE_DEVICES", "GPU-1"},
                           {"CUDA_MPS_PIPE_DIRECTORY", "/p"},
                           {"GPUSCHED_MPS", "1"}};
  EXPECT_EQ(mps_client_variables(order_of(0, 0), "/p"), least);
  Variables all = least;
  all.emplace_back("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "30");
  all.emplace_back("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=8192M");
  EXPECT_EQ(mps_client_variables(order_of(30, 8ULL << 30), "/p"), all);
  EXPECT_EQ(mps_client_variables(order_of(0, 1), "/p").back().second, "0=1M")
      << "never 0, which would be no limit";
}

TEST(MpsPlace, RecordsReadBack) {
  const MpsPlan plan{
      "GPU-1", "/usr/bin/control", {"A=b", "C=d e"}, {1000, 1001, "ml1"}, Seconds{5}};
  const auto read = parse_mps_plan(write_mps_plan(plan));
  ASSERT_TRUE(read);
  EXPECT_EQ(write_mps_plan(*read), write_mps_plan(plan));
  EXPECT_EQ(read->variables, plan.variables);
  EXPECT_EQ(read->owner, plan.owner);
  const MpsServer server{MpsServer::Phase::kEnded,
                         "it is gone",
                         Wall{Microseconds{7}},
                         {{12, Boot{Microseconds{5}}}, {13, Boot{Microseconds{6}}}}};
  const auto again = parse_mps_server(write_mps_server(server));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, server);
  EXPECT_FALSE(parse_mps_plan("version=1\nend=1\n"));
  EXPECT_FALSE(parse_mps_server("version=1\nphase=asleep\nend=1\n"));
  EXPECT_FALSE(parse_mps_server(""));
}

TEST(MpsPlace, LocksTellKeeperAndUsersApart) {
  const testing::TemporaryDirectory state;
  const std::string name = mps_place_name(1000, CardNumber{3}, 1);
  EXPECT_EQ(name, "1000-3.1");
  const auto first = MpsPlace::open(state.path(), name);
  const auto second = MpsPlace::open(state.path(), name);
  auto third = MpsPlace::open(state.path(), name);
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(MpsPlace::list(state.path()), std::vector<std::string>{name});
  EXPECT_FALSE(first->has_keeper());
  EXPECT_TRUE(second->become_keeper());
  EXPECT_TRUE(first->has_keeper());
  EXPECT_FALSE(third->become_keeper());
  EXPECT_FALSE(second->is_used());
  EXPECT_TRUE(first->join());
  EXPECT_TRUE(third->join());
  EXPECT_TRUE(second->is_used());
  EXPECT_FALSE(second->close_to_newcomers());
  third = failure(Error{});
  EXPECT_FALSE(second->close_to_newcomers());
  {
    const auto late = MpsPlace::open(state.path(), name);
    EXPECT_TRUE(late->join());
  }
  EXPECT_TRUE(first->is_there());
  std::filesystem::remove_all(first->path());
  EXPECT_FALSE(first->is_there());
}

TEST(MpsPlace, NobodyJoinsAServerThatGoes) {
  const testing::TemporaryDirectory state;
  const auto keeper = MpsPlace::open(state.path(), "1-0.1");
  const auto late = MpsPlace::open(state.path(), "1-0.1");
  EXPECT_TRUE(keeper->close_to_newcomers());
  EXPECT_FALSE(late->join());
}

TEST(MpsPlace, TroubleIsAServerThatIsGoneOrSaidToBe) {
  const testing::TemporaryDirectory state;
  const auto place = MpsPlace::open(state.path(), "1-0.1");
  ASSERT_TRUE(place);
  EXPECT_NE(mps_trouble(*place), "");
  const auto self = find_process(::getpid());
  MpsServer server{MpsServer::Phase::kReady, "", Wall{}, {{self->pid, self->started}}};
  ASSERT_TRUE(place->set_server(server));
  EXPECT_EQ(mps_trouble(*place), "");
  server.processes[0].started += Microseconds{1'000'000};  // Somebody else has its number now.
  ASSERT_TRUE(place->set_server(server));
  EXPECT_NE(mps_trouble(*place).find("has ended"), std::string::npos);
  server = {MpsServer::Phase::kEnded, "process 7 of it is gone", Wall{}, {}};
  ASSERT_TRUE(place->set_server(server));
  EXPECT_NE(mps_trouble(*place).find("process 7"), std::string::npos);
}

}  // namespace
}  // namespace gpusched
