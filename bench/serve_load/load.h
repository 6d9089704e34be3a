// Carries a plan out on one thread and counts. Requests begin at their time whether or not earlier
// ones are answered, and are timed from then: a server that stands still is not spared.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "connection.h"
#include "latencies.h"
#include "plan.h"

namespace gpusched {

struct Counted {
  Latencies latencies;
  std::uint64_t bytes = 0;
  std::map<int, std::uint64_t> by_status;  // 0: the connection broke.
};
struct LoadResult {
  std::map<std::string, Counted> by_ask;
  std::uint64_t events = 0;  // That came over streams.
  std::uint64_t stream_bytes = 0;
  int streams_ended = 0;
  double seconds = 0;
  std::string first_fault;  // The beginning of the first answer that was no success.
};

class Load {
 public:
  explicit Load(const LoadPlan& plan) : plan_(plan) {}
  Result<void> connect();
  LoadResult run();

 private:
  struct Due {
    std::size_t ask;
    std::int64_t at;
  };
  struct Worker {
    std::unique_ptr<Connection> connection;
    std::size_t number = 0;
    bool busy = false;
    Due due{};
  };
  Result<std::unique_ptr<Connection>> open();
  Result<void> open_worker(std::size_t number);
  Result<void> open_stream(const std::string& target);
  void take_due(std::int64_t now);
  void hand_out();
  void answered(std::size_t worker, int status, std::size_t bytes, const std::string& beginning);
  void wait_until(std::int64_t until);
  void look_at(std::size_t which);

  const LoadPlan& plan_;
  std::shared_ptr<const TlsContext> tls_;
  std::uint32_t opened_ = 0;
  std::vector<Worker> workers_;
  std::vector<std::size_t> idle_;
  std::vector<std::unique_ptr<Connection>> streams_;
  std::vector<std::unique_ptr<Connection>> silent_;  // Stalled ones: nobody looks at them.
  std::vector<std::int64_t> next_;                   // By ask.
  std::deque<Due> waiting_;
  LoadResult result_;
};

}  // namespace gpusched
