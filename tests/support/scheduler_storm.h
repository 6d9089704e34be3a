// For tests: what a program does that trusts the scheduler library: threads that ask and wait,
// children that do the same with the scheduler they inherited and end without a word, and a daemon
// that somebody restarts meanwhile.
#pragma once

#include <gpusched/scheduler.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace storm {

using std::chrono::milliseconds;
using std::chrono::seconds;

// What has to be asked again while the daemon is away.
template <class Call>
auto until_it_is_back(Call call) -> decltype(call()) {
  constexpr seconds kAwayMost{60};
  const auto deadline = std::chrono::steady_clock::now() + kAwayMost;
  while (true) {
    auto answer = call();
    if (answer || answer.error().kind != gpusched::ErrorKind::kUnavailable) return answer;
    if (std::chrono::steady_clock::now() > deadline) return answer;
    std::this_thread::sleep_for(milliseconds(10));
  }
}

inline gpusched::Outcome<gpusched::Scheduling> one_card(gpusched::GpuScheduler& scheduler,
                                                        const gpusched::GpuRequest& request) {
  auto asked = until_it_is_back([&] { return scheduler.ScheduleGpuResources({request}); });
  if (!asked) return asked.error();
  gpusched::Scheduling mine = std::move(asked.value()[0]);
  if (mine.granted()) return mine;
  return until_it_is_back([&] { return scheduler.Wait(mine.id(), seconds(60)); });
}

// What went wrong; empty: nothing.
inline std::string run(gpusched::GpuScheduler& scheduler, int threads, int rounds) {
  std::array<std::atomic<int>, 2> users{};
  std::atomic<int> twice{0}, failed{0}, bad_children{0};
  std::atomic<bool> over{false};
  const auto work = [&](int number) {
    for (int i = 0; i < rounds; ++i) {
      auto mine = one_card(scheduler, {.name = "thread", .critical = number == 0});
      if (!mine) {
        ++failed;
        continue;
      }
      const auto card = static_cast<std::size_t>(mine->cards().at(0).number);
      twice += users.at(card).fetch_add(1) == 0 ? 0 : 1;
      users.at(card).fetch_sub(1);
      failed += until_it_is_back([&] { return mine->Release(); }) ? 0 : 1;
    }
  };
  const auto fork_children = [&] {
    while (!over) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(120);
        ::_exit(one_card(scheduler, {.name = "child", .critical = true}) ? 0 : 1);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      bad_children += status == 0 ? 0 : 1;
    }
  };
  std::vector<std::thread> crowd;
  for (int i = 0; i < threads; ++i) crowd.emplace_back(work, i);
  std::thread forker(fork_children);
  for (std::thread& one : crowd) one.join();
  over = true;
  forker.join();
  const auto left = until_it_is_back([&] { return scheduler.GetWaitingResources(); });
  std::string wrong;
  if (twice > 0) wrong += " a card was held twice;";
  if (failed > 0) wrong += " " + std::to_string(failed) + " requests failed;";
  if (bad_children > 0) wrong += " " + std::to_string(bad_children) + " children failed;";
  if (!left || !left->empty()) wrong += " something still waits;";
  return wrong;
}

}  // namespace storm
