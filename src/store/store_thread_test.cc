#include "store/store_thread.h"

#include <gtest/gtest.h>

#include <future>

#include "sim/memory_store.h"

namespace gpusched {
namespace {

TEST(StoreThread, DoesWorkInOrderAndAnswersThroughTheLoop) {
  MemoryStore store;
  std::mutex mutex;
  std::vector<std::string> log;
  std::promise<void> finished;
  {
    StoreThread thread(store, [](std::function<void()> work) { work(); });
    for (int i = 0; i < 100; ++i) {
      Commit commit;
      commit.groups.put.push_back({"g" + std::to_string(i), i});
      thread.commit(std::move(commit), [&, i](const Committed& result) {
        const std::lock_guard lock(mutex);
        log.push_back((result ? "ok " : "failed ") + std::to_string(i));
        if (i == 99) finished.set_value();
      });
    }
    finished.get_future().wait();
  }
  ASSERT_EQ(log.size(), 100u);
  EXPECT_EQ(log.front(), "ok 0");
  EXPECT_EQ(log.back(), "ok 99");
  EXPECT_EQ(store.load()->groups.size(), 100u);
}

TEST(StoreThread, FinishesWhatItWasGivenBeforeItEnds) {
  MemoryStore store;
  std::atomic<int> done{0};
  {
    StoreThread thread(store, [](std::function<void()> work) { work(); });
    for (int i = 0; i < 50; ++i) thread.commit({}, [&](const Committed&) { ++done; });
  }
  EXPECT_EQ(done, 50);
}

TEST(StoreThread, ReportsAFailedCommit) {
  MemoryStore store;
  store.fail_next(1, ErrorCode::kStorageFull);
  std::promise<ErrorCode> code;
  StoreThread thread(store, [](std::function<void()> work) { work(); });
  Commit commit;
  commit.groups.put.push_back({"g", 1});
  thread.commit(std::move(commit),
                [&](const Committed& result) { code.set_value(result.error().code); });
  EXPECT_EQ(code.get_future().get(), ErrorCode::kStorageFull);
}

}  // namespace
}  // namespace gpusched
