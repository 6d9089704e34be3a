// For tests: the real engine with its twins, driven by hand.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/reconcile.h"
#include "sim/memory_store.h"
#include "sim/sim_launcher.h"
#include "sim/sim_mover.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {

class EngineTest : public ::testing::Test {
 protected:
  EngineTest()
      : launcher_([this](const LaunchOrder& order) {
          launched_with_ = order.command.environment->variables;
          return plan_;
        }) {
    boot();
  }

  void boot(const std::string& boot_id = "boot-1") {
    Engine::Options options;
    options.slice = 10;
    options.backlog = 50;
    options.jobs_directory = "/state/jobs";
    options.read_environments = [this](const std::vector<std::string>& hashes, const auto& done) {
      reads_ += hashes.size();
      if (later_) {
        read_later_ = [this, hashes, done] { done(store_.environments(hashes)); };
      } else {
        done(store_.environments(hashes));
      }
    };
    engine_ = std::make_unique<Engine>(State({}, HostCapacity{4, 64 * kGiB}),
                                       Site{launcher_, mover_}, options);
    StoreImage image = *store_.load();
    const Reconciled done = reconcile(
        image, {},
        {.no_environment = std::make_shared<Environment>(), .cards = {}, .now = now_.wall});
    if (image.loss) {
      ASSERT_TRUE(store_.commit(done.repair));
    }
    engine_->recover(std::move(image), boot_id, now_);
    engine_->post(CardsReported{machine(2, 24).cards()});
  }
  // Runs turns until there is nothing to do at this instant.
  void run_turns() {
    for (int i = 0; i < 1000; ++i) {
      launcher_.advance(now_);
      mover_.advance(now_);
      if (!engine_->wants_turn(now_)) return;
      if (const auto commit = engine_->begin_turn(now_)) {
        ++commits_;
        engine_->finish_turn(store_.commit(*commit), now_);
      }
    }
    FAIL() << "the engine does not come to rest";
  }
  void daemon_dies() {
    launcher_.daemon_died();
    mover_.daemon_died();
  }
  void wait(std::int64_t seconds) {
    for (std::int64_t i = 0; i < seconds * 10; ++i) {
      now_.wall += Microseconds{100'000};
      now_.boot += Microseconds{100'000};
      run_turns();
    }
  }
  std::optional<Result<Answer>> submit(const Ask& ask) {
    std::optional<Result<Answer>> answer;
    submit_into(ask, answer);
    run_turns();
    return answer;
  }
  void submit_into(const Ask& ask, std::optional<Result<Answer>>& answer) {
    engine_->submit(ask.event(), [&answer](Result<Answer> given) { answer = std::move(given); });
  }
  std::string state_of(std::uint64_t job) { return testing::state_of(engine_->state(), job); }

  Now now_ = at_second(0);
  SimLauncher::Plan plan_;
  MemoryStore store_;
  SimLauncher launcher_;
  SimMover mover_{launcher_};
  std::unique_ptr<Engine> engine_;
  int commits_ = 0;
  std::vector<std::string> launched_with_;  // The last environment.
  std::size_t reads_ = 0;
  bool later_ = false;  // What is read comes when the test says so.
  std::function<void()> read_later_;
};

}  // namespace gpusched::testing
