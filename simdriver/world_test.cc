#include "simdriver/world.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "simdriver/card_model.h"
#include "simdriver/card_use.h"
#include "simdriver/clock.h"
#include "simdriver/faults.h"
#include "simdriver/futex.h"
#include "simdriver/slots.h"
#include "simdriver/world_changes.h"
#include "simdriver/world_create.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::simdriver {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

class SimulatedWorld : public ::testing::Test {
 protected:
  World make(const std::string& words = "2x24G") {
    auto world = create_world(path(), *describe_scenario(words));
    EXPECT_TRUE(world) << world.error().message;
    return std::move(*world);
  }
  std::string path() const { return directory_ / "world"; }

  gpusched::testing::TemporaryDirectory directory_;
};

// A process of its own that does `work` and then waits to be killed, holding what it took.
class Client {
 public:
  explicit Client(const std::function<bool()>& work) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const char answer = work() ? 'y' : 'n';
      if (::write(ends[1], &answer, 1) != 1) ::_exit(1);
      while (true) ::pause();
    }
    ::close(ends[1]);
    answers_ = Fd(ends[0]);
  }
  ~Client() { kill(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  // Waits until it has done its work; whether that succeeded.
  bool done() {
    if (answer_ == '?' && ::read(answers_.get(), &answer_, 1) != 1) answer_ = 'n';
    return answer_ == 'y';
  }
  pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ <= 0) return;
    done();
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  Fd answers_;
  char answer_ = '?';
};

// In a client: a slot that lives as long as the process, with a context on `card`.
std::size_t move_in(const World& world, std::size_t card) {
  auto own = OwnSlot::claim(world);
  auto* kept = new OwnSlot(std::move(*own));
  world.data().slots[kept->number()].cards[card].started_us.store(wall_us());
  world.data().slot_cards[kept->number()].fetch_or(std::uint64_t{1} << card);
  return kept->number();
}

TEST_F(SimulatedWorld, IsWhatItsScenarioSays) {
  const World world = make("2x24G,1x80G:H100");
  EXPECT_EQ(world.card_count(), 3u);
  EXPECT_STREQ(world.data().facts[2].model, "H100");
  EXPECT_EQ(look_at_card(world, 0).used_bytes, 0u);
  struct stat found {};
  ASSERT_EQ(::stat(path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0666u);
}

TEST_F(SimulatedWorld, HasNoHolesThatAFullDiskCouldNotFill) {
  make();
  struct stat found {};
  ASSERT_EQ(::stat(path().c_str(), &found), 0);
  EXPECT_GE(found.st_blocks * 512, found.st_size);
}

TEST_F(SimulatedWorld, IsNotMadeTwice) {
  make();
  const auto again = create_world(path(), *describe_scenario("2x24G"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(open_or_create_world(path(), *describe_scenario("2x24G")));
}

TEST_F(SimulatedWorld, OfAnotherScenarioIsRefused) {
  make();
  const auto other = open_or_create_world(path(), *describe_scenario("4x24G"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, path() +
                                       " was made from scenario 2x24G, not from 4x24G: remove the "
                                       "file, or ask for the same scenario again");
  auto changed = *describe_scenario("2x24G");
  changed.accounting = true;
  const auto newer = open_or_create_world(path(), changed);
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().message.find("another version of scenario 2x24G"), std::string::npos);
}

TEST_F(SimulatedWorld, OfAnotherVersionOrAnotherKindIsRefused) {
  { make().data().layout_version = 999; }
  const auto newer = World::open(path());
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(newer.error().message.find("version 999, this driver has version 2"),
            std::string::npos);

  std::ofstream(path(), std::ios::trunc) << std::string(8192, 'x');
  const auto strange = World::open(path());
  ASSERT_FALSE(strange);
  EXPECT_NE(strange.error().message.find("is not a simulated world"), std::string::npos);
  std::ofstream(path(), std::ios::trunc) << "short";
  EXPECT_FALSE(World::open(path()));
  EXPECT_FALSE(World::open(path() + "-not-there"));
}

TEST_F(SimulatedWorld, WithItsEndCutOffIsRefused) {
  make();
  ASSERT_EQ(::truncate(path().c_str(), 4096), 0);
  const auto cut = World::open(path());
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("end cut off"), std::string::npos);
}

TEST_F(SimulatedWorld, AKilledProcessHoldsNothingAsSoonAsSomebodyLooks) {
  const World world = make();
  Client client([&] { return take_bytes(world, move_in(world, 1), 1, 5 * kGiB); });
  ASSERT_TRUE(client.done());
  EXPECT_EQ(look_at_card(world, 1).used_bytes, 5 * kGiB);
  ASSERT_EQ(look_at_card(world, 1).processes.size(), 1u);
  EXPECT_EQ(look_at_card(world, 1).processes[0].pid, client.pid());
  client.kill();
  EXPECT_EQ(look_at_card(world, 1).used_bytes, 0u);
  EXPECT_TRUE(look_at_card(world, 1).processes.empty());
}

TEST_F(SimulatedWorld, ASlotIsUsedAgainWithoutWhatItsLastOwnerHad) {
  const World world = make();
  Client first([&] { return take_bytes(world, move_in(world, 0), 0, kGiB); });
  first.kill();
  Client second([&] { return move_in(world, 0) == 0; });
  EXPECT_TRUE(second.done());
  ASSERT_EQ(look_at_card(world, 0).processes.size(), 1u);
  EXPECT_EQ(look_at_card(world, 0).processes[0].vram_bytes, 0u);
}

TEST_F(SimulatedWorld, TheAccountOfAnEndedProcessHasItsPeak) {
  const World world = make();
  world.data().states[0].accounting.store(1);
  Client client([&] {
    const std::size_t slot = move_in(world, 0);
    const bool grown = take_bytes(world, slot, 0, 3 * kGiB);
    give_bytes(world, slot, 0, 2 * kGiB);
    return grown;
  });
  const pid_t pid = client.pid();
  client.kill();
  look_at_card(world, 0);
  ASSERT_EQ(world.data().accounts_kept.load(), 1u);
  EXPECT_EQ(world.data().accounts[1].pid, pid);
  EXPECT_EQ(world.data().accounts[1].peak_bytes, 3 * kGiB);
}

TEST_F(SimulatedWorld, MemoryIsNeverGivenOutTwice) {
  const World world = make();
  // Eight processes want 5 of 24 GiB each at the same moment: four get them.
  SharedU32& start = world.data().change_number;
  const std::uint32_t before = start.load();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<Client>([&] {
      const std::size_t slot = move_in(world, 0);
      while (start.load() == before) futex_wait(start, before, 1000000);
      return take_bytes(world, slot, 0, 5 * kGiB);
    }));
  }
  while (look_at_card(world, 0).processes.size() < 8) std::this_thread::yield();
  announce_change(world);
  int granted = 0;
  for (const auto& client : clients) granted += client->done() ? 1 : 0;
  EXPECT_EQ(granted, 4);
  EXPECT_EQ(look_at_card(world, 0).used_bytes, 20 * kGiB);
}

TEST_F(SimulatedWorld, AProcessKilledInTheMiddleOfAWishDoesNotStopOthers) {
  const World world = make();
  Client client([&] {
    world.data().slots[move_in(world, 0)].cards[0].wanted.store(20 * kGiB);
    return true;
  });
  ASSERT_TRUE(client.done());
  Client blocked([&] { return take_bytes(world, move_in(world, 0), 0, 10 * kGiB); });
  EXPECT_FALSE(blocked.done());
  client.kill();
  Client next([&] { return take_bytes(world, move_in(world, 0), 0, 10 * kGiB); });
  EXPECT_TRUE(next.done());
}

TEST_F(SimulatedWorld, AnOverCommittedCardIsSharedInProportion) {
  const World world = make();
  const ChangeLock lock(world);
  ScenarioProcess process;
  process.busy_permille = 900;
  ASSERT_TRUE(add_foreign(world, process));
  process.busy_permille = 600;
  ASSERT_TRUE(add_foreign(world, process));
  const CardReading reading = read_card(world, 0);
  EXPECT_EQ(reading.busy_percent, 100u);
  ASSERT_EQ(reading.use.processes.size(), 2u);
  EXPECT_EQ(reading.use.processes[0].busy_permille, 600u);
  EXPECT_EQ(reading.use.processes[1].busy_permille, 400u);
}

TEST_F(SimulatedWorld, ABusyCardIsWarmAndUsesPower) {
  const World world = make();
  const CardReading idle = read_card(world, 0);
  world.data().states[0].busy_percent.store(100);
  const CardReading busy = read_card(world, 0);
  EXPECT_GT(busy.power_mw, idle.power_mw);
  EXPECT_GT(busy.temperature_c, idle.temperature_c);
  EXPECT_GE(busy.energy_mj, idle.energy_mj);
  EXPECT_EQ(idle.clock_reasons, 1u);
  EXPECT_EQ(busy.clock_reasons, 0u);
}

TEST_F(SimulatedWorld, AFaultConcernsItsFunctionAndCardOnly) {
  const World world = make();
  {
    const ChangeLock lock(world);
    ASSERT_TRUE(add_fault(world, {FaultKind::kReturn, 1, 999, "nvmlDeviceGetPowerUsage"}));
    ASSERT_TRUE(add_fault(world, {FaultKind::kMissing, kNoCard, 0, "nvmlDeviceGetFanSpeed"}));
  }
  EXPECT_EQ(meet_faults(world, "nvmlDeviceGetPowerUsage", 1), 999);
  EXPECT_EQ(meet_faults(world, "nvmlDeviceGetPowerUsage", 0), 0);
  EXPECT_EQ(meet_faults(world, "nvmlDeviceGetName", 1), 0);
  EXPECT_TRUE(is_missing(world, "nvmlDeviceGetFanSpeed"));
  {
    const ChangeLock lock(world);
    clear_faults(world, 1);
  }
  EXPECT_EQ(meet_faults(world, "nvmlDeviceGetPowerUsage", 1), 0);
  EXPECT_TRUE(is_missing(world, "nvmlDeviceGetFanSpeed"));
}

TEST_F(SimulatedWorld, AHangEndsWhenItIsCleared) {
  const World world = make();
  {
    const ChangeLock lock(world);
    ASSERT_TRUE(add_fault(world, {FaultKind::kHang, 0, 0, "all"}));
  }
  std::atomic<bool> returned = false;
  std::thread caller([&] {
    meet_faults(world, "nvmlDeviceGetName", 0);
    returned = true;
  });
  EXPECT_EQ(meet_faults(world, "nvmlDeviceGetName", 1), 0);
  EXPECT_FALSE(returned);
  {
    const ChangeLock lock(world);
    clear_faults(world, 0);
  }
  caller.join();
}

TEST_F(SimulatedWorld, ACardIsFoundByTheBeginningOfItsUuid) {
  const World world = make();
  const std::string uuid = world.data().facts[1].uuid;
  EXPECT_EQ(find_card(world, uuid), 1u);
  EXPECT_EQ(find_card(world, uuid.substr(0, 20)), 1u);
  EXPECT_EQ(find_card(world, "GPU-"), std::nullopt);
  EXPECT_EQ(find_card(world, "GPU-no"), std::nullopt);
}

TEST_F(SimulatedWorld, ForeignProcessesComeAndGo) {
  const World world = make();
  const ChangeLock lock(world);
  ScenarioProcess process;
  process.name = "server";
  process.vram_bytes = 3 * kGiB;
  const auto pid = add_foreign(world, process);
  ASSERT_TRUE(pid);
  EXPECT_EQ(look_at_card(world, 0).used_bytes, 3 * kGiB);
  process.pid = *pid;
  process.vram_bytes = 4 * kGiB;
  ASSERT_TRUE(add_foreign(world, process));
  EXPECT_EQ(look_at_card(world, 0).used_bytes, 4 * kGiB);
  EXPECT_TRUE(remove_foreign(world, *pid));
  EXPECT_FALSE(remove_foreign(world, *pid));
  EXPECT_EQ(look_at_card(world, 0).used_bytes, 0u);
}

}  // namespace
}  // namespace gpusched::simdriver
