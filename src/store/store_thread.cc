#include "store/store_thread.h"

#include <memory>
#include <utility>

namespace gpusched {

StoreThread::StoreThread(Store& store, PostToLoop post_to_loop)
    : store_(store), post_to_loop_(std::move(post_to_loop)) {
  thread_ = std::thread([this] { run(); });
}

StoreThread::~StoreThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StoreThread::give(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void StoreThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
    if (work_.empty()) return;
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

void StoreThread::commit(Commit commit, std::function<void(Committed)> done) {
  // std::function wants copyable captures; a commit is large, so it is shared instead.
  auto shared = std::make_shared<Commit>(std::move(commit));
  give([this, shared = std::move(shared), done = std::move(done)]() mutable {
    Committed result = store_.commit(*shared);
    post_to_loop_([result = std::move(result), shared = std::move(shared),
                   done = std::move(done)]() mutable { done(std::move(result)); });
  });
}

void StoreThread::read_trail(JobId job, std::uint64_t after, std::size_t limit,
                             std::function<void(Result<std::vector<TrailEntry>>)> done) {
  give([this, job, after, limit, done = std::move(done)] {
    auto result =
        std::make_shared<Result<std::vector<TrailEntry>>>(store_.trail(job, after, limit));
    post_to_loop_([result, done] { done(std::move(*result)); });
  });
}

void StoreThread::read_audit(AuditPart part,
                             std::function<void(Result<std::vector<AuditEntry>>)> done) {
  give([this, part, done = std::move(done)] {
    auto result = std::make_shared<Result<std::vector<AuditEntry>>>(store_.audit(part));
    post_to_loop_([result, done] { done(std::move(*result)); });
  });
}

void StoreThread::read_past(PastPart part, std::function<void(Result<Past>)> done) {
  give([this, part, done = std::move(done)] {
    auto result = std::make_shared<Result<Past>>(store_.past(part));
    post_to_loop_([result, done] { done(std::move(*result)); });
  });
}

void StoreThread::read_environments(std::vector<std::string> hashes,
                                    std::function<void(Result<EnvironmentsByHash>)> done) {
  give([this, hashes = std::move(hashes), done = std::move(done)] {
    auto result = std::make_shared<Result<EnvironmentsByHash>>(store_.environments(hashes));
    post_to_loop_([result, done] { done(std::move(*result)); });
  });
}

void StoreThread::backup(std::string path, std::function<void(Result<void>)> done) {
  give([this, path = std::move(path), done = std::move(done)] {
    Result<void> result = store_.backup(path);
    post_to_loop_([result, done] { done(result); });
  });
}

}  // namespace gpusched
