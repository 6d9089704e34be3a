// What cards and jobs did over time. It has a thread and a database of its own, and can never harm
// the queue: it does not answer back, its inbox is bounded, and whatever fails (a damaged file, one
// of a newer version) switches it off with one sentence in the log. On a full disk it pauses, and
// goes on by itself once there is room.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/result.h"
#include "history/recorder.h"
#include "history/series.h"
#include "history/tiers.h"

namespace gpusched::history {

struct Options {
  std::string directory;  // The state directory.
  Tiers tiers = kDefaultTiers;
  std::uint64_t size_most = 256ULL << 20;  // 0: no history is kept.
  // With less space than this left on the disk, nothing is written.
  std::uint64_t keep_free_bytes = 256ULL << 20;
  std::size_t waiting_most = 20'000;  // Points; then the oldest are dropped.
  const char* vfs = nullptr;          // For tests: another file layer than the system's.
  // Runs a function on the loop's thread; callable from any thread.
  std::function<void(std::function<void()>)> post_to_loop;
};

class History {
 public:
  // Comes back at once: the file is opened on the thread.
  static std::unique_ptr<History> open(Options options);
  ~History();  // Like close().
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  void add(Points points);
  void ask(Question question, std::function<void(Result<Answer>)> done);
  // The queue no longer knows this job.
  void forget(JobId job);
  // After a start: the jobs that the queue knows; all others are forgotten.
  void forget_all_but(std::vector<JobId> kept);
  // Writes what is waiting, the open buckets too, and ends the thread.
  void close();

  // Points that were dropped because the disk was too slow.
  std::uint64_t dropped() const;
  // Why there is no history; empty: there is.
  std::string off_because() const;

 private:
  struct Asked {
    Question question;
    std::function<void(Result<Answer>)> done;
  };
  struct KeepOnly {
    std::vector<JobId> jobs;
  };
  using Work = std::variant<Points, Asked, JobId, KeepOnly>;

  explicit History(Options options);
  void give(Work work);
  void drop_oldest_points();
  void run();
  void start();
  void carry_out(Work& work);
  void answer(Asked& asked);
  // After a failure of the recorder.
  void give_up(const Error& error);
  void begin_anew(const Error& error);
  // A full disk is over some time, all else is not.
  void stop_for(const Error& error);
  void switch_off(const std::string& reason);
  void pause(const std::string& reason);
  // True: there is room again, and the recorder is there.
  bool resume();

  const Options options_;
  // Of the thread alone.
  std::unique_ptr<Recorder> recorder_;
  std::string path_;
  bool begun_anew_ = false;
  std::vector<JobId> forget_later_;  // While paused.

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<Work> work_;
  std::size_t waiting_points_ = 0;
  std::size_t waiting_questions_ = 0;
  std::uint64_t dropped_ = 0;
  std::string off_because_;
  bool paused_ = false;  // Off, but not for good.
  bool ending_ = false;

  std::thread thread_;
};

}  // namespace gpusched::history
