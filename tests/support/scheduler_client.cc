// A program that uses the scheduler library as it is told, line by line, for tests that kill it or
// its daemon. Commands: ask N | wait ID MS | drop ID | check ID | resume ID MS | reset | current |
// waiting | storm THREADS ROUNDS | child | children COUNT. Answers: one line each, "ok …", "wrong:
// …" or "error KIND message".
#include <gpusched/scheduler.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>

#include "tests/support/scheduler_forks.h"
#include "tests/support/scheduler_storm.h"

namespace {

void say_error(const gpusched::Error& error) {
  std::cout << "error " << static_cast<int>(error.kind) << " " << error.message << std::endl;
}

void say_count(std::size_t count) { std::cout << "ok " << count << std::endl; }

void say_wrong(const std::string& wrong) {
  std::cout << (wrong.empty() ? "ok" : "wrong: " + wrong) << std::endl;
}

std::string run_forks(gpusched::GpuScheduler& scheduler, const std::string& verb, int number,
                      int rounds) {
  if (verb == "storm") return storm::run(scheduler, number, rounds);
  if (verb == "child") return forks::child_of_holder(scheduler);
  return forks::children_of_threads(scheduler, number);
}

void describe(const gpusched::Scheduling& one) {
  std::cout << " " << static_cast<std::uint64_t>(one.id()) << ":"
            << (one.granted() ? one.visible_devices() : "waits");
}

}  // namespace

int main(int count, char** words) {
  gpusched::SchedulerOptions options;
  options.mode = gpusched::Mode::kDaemon;
  if (count > 1) options.application = words[1];
  gpusched::GpuScheduler scheduler(options);
  std::map<std::uint64_t, gpusched::Scheduling> held;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string verb;
    std::uint64_t number = 0;
    int ms = 0;
    in >> verb >> number >> ms;
    if (verb == "ask") {
      auto asked = scheduler.ScheduleGpuResources(std::vector<gpusched::GpuRequest>(number));
      if (!asked) {
        say_error(asked.error());
        continue;
      }
      std::cout << "ok";
      for (gpusched::Scheduling& one : *asked) {
        describe(one);
        if (one.granted()) held[static_cast<std::uint64_t>(one.id())] = std::move(one);
      }
      std::cout << std::endl;
    } else if (verb == "wait") {
      auto waited = scheduler.Wait(gpusched::RequestId{number}, std::chrono::milliseconds(ms));
      if (!waited) {
        say_error(waited.error());
        continue;
      }
      std::cout << "ok";
      describe(*waited);
      std::cout << std::endl;
      held[number] = std::move(*waited);
    } else if (verb == "resume") {
      const auto back = held[number].Resume(std::chrono::milliseconds(ms));
      if (!back) {
        say_error(back.error());
      } else {
        std::cout << "ok" << std::endl;
      }
    } else if (verb == "drop" || verb == "check") {
      const auto done = verb == "drop" ? held[number].Release() : held[number].Check();
      if (done) {
        std::cout << "ok" << std::endl;
      } else {
        say_error(done.error());
      }
    } else if (verb == "reset") {
      const auto done = scheduler.ResetScheduler();
      if (done) {
        std::cout << "ok" << std::endl;
      } else {
        say_error(done.error());
      }
    } else if (verb == "storm" || verb == "child" || verb == "children") {
      say_wrong(run_forks(scheduler, verb, static_cast<int>(number), ms));
    } else if (verb == "current") {
      const auto list = scheduler.GetCurrentSchedulings();
      list ? say_count(list->size()) : say_error(list.error());
    } else {
      const auto list = scheduler.GetWaitingResources();
      list ? say_count(list->size()) : say_error(list.error());
    }
  }
  return 0;
}
